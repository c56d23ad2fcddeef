// What is done about sessions on the pages of the console, on the real host: changes are looked at and
// undone, lists narrowed, sessions deleted, company seen.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { say, useRealHost } from './console/realHost.ts';

const browsing = useBrowser();
const real = useRealHost();

async function allow(page: Page, done: string): Promise<void> {
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.prose', { hasText: done }).last().waitFor();
}

test('changes are looked at by file and hunk, and undone by file', async () => {
  const long = Array.from({ length: 40 }, (_, line) =>
    line === 3 || line === 33 ? `line ${line} milk` : `line ${line}`,
  ).join('\n');
  writeFileSync(join(real.home.workspace, 'long.txt'), `${long}\n`);
  writeFileSync(join(real.home.workspace, 'short.txt'), 'tea\n');
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'replace milk with bread in long.txt');
  await allow(page, 'long.txt is changed');
  await say(page, 'replace tea with coffee in short.txt');
  await allow(page, 'short.txt is changed');
  await say(page, 'create new.txt with something new');
  await allow(page, 'new.txt is written');
  await page.getByRole('button', { name: 'Changes (3)' }).click();
  const panel = page.getByRole('complementary', { name: 'Changes' });
  const file = (name: string) => panel.locator('.changed-file', { hasText: name });
  await file('long.txt').locator('summary').first().click();
  await expect.poll(() => file('long.txt').locator('.hunk').count()).toBe(2);
  await file('long.txt')
    .locator('.hunk')
    .nth(1)
    .locator('.line.added', { hasText: 'line 33 bread' })
    .waitFor();
  await file('long.txt').getByRole('checkbox', { name: 'Reviewed' }).check();
  await expectAccessible(page);

  const undo = async (name: string) => {
    await file(name).getByRole('button', { name: 'Undo', exact: true }).click();
    // A second word is asked for in the place of the first.
    await file(name)
      .getByRole('group', { name: 'Undo', exact: true })
      .getByRole('button', { name: 'Undo' })
      .click();
  };
  await undo('long.txt');
  await file('long.txt').waitFor({ state: 'detached' });
  expect(readFileSync(join(real.home.workspace, 'long.txt'), 'utf8')).toBe(`${long}\n`);
  expect(real.written('short.txt')).toBe('coffee');
  await undo('new.txt');
  await file('new.txt').waitFor({ state: 'detached' });
  expect(existsSync(join(real.home.workspace, 'new.txt'))).toBe(false);

  // What somebody else has changed since then is left alone, and that is said.
  writeFileSync(join(real.home.workspace, 'short.txt'), 'my own\n');
  await undo('short.txt');
  await page.getByText('The file was edited since and was skipped.').waitFor();
  expect(real.written('short.txt')).toBe('my own');
  expect(complaints).toEqual([]);
});

test('the list is narrowed by how sessions stand, and a session is deleted after a second word', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await page.getByRole('link', { name: 'Start the first one' }).waitFor();
  await page
    .getByText('You are using the built-in demo model')
    .or(page.getByText('Pick a session on the left, or start a new one.'))
    .first()
    .waitFor();
  await real.begin(page, 'what is in this folder');
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await real.begin(page, 'create notes.txt with milk');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  const list = page.getByRole('navigation', { name: 'Sessions' });
  const rows = list.locator('.session-row');
  await list.getByRole('combobox', { name: 'Filter sessions' }).selectOption('Needs me');
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('create notes.txt')]);
  await list.getByRole('combobox', { name: 'Filter sessions' }).selectOption('Archived');
  await list.getByText('No matching sessions').waitFor();
  await list.getByRole('combobox', { name: 'Filter sessions' }).selectOption('All');
  // The folder of the last session is offered for the next one.
  await page.goto(`${real.address}#/new`);
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Folder' }).inputValue())
    .toBe(real.home.workspace);

  await rows.filter({ hasText: 'what is in this folder' }).getByRole('link').click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this session?' });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('create notes.txt')]);
  await page.getByRole('heading', { name: 'Parley' }).waitFor();
  const { out } = await real.home.run('sessions', 'list', '--all', '--json').done;
  expect(JSON.parse(out)).toHaveLength(1);
  expect(complaints).toEqual([]);
});

test('who else is at a session is seen, by name', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, 'create notes.txt with milk');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.getByRole('button', { name: '1 connected' }).click();
  const panel = page.getByRole('complementary', { name: 'Connected clients' });
  await panel.getByText('(this page)').waitFor();
  const { page: other } = await browsing.open(real.at());
  await other.getByRole('link', { name: 'create notes.txt with milk' }).click();
  await page.getByRole('button', { name: '2 connected' }).waitFor();
  const [{ id } = { id: '' }] = JSON.parse((await real.home.run('sessions', 'list', '--json').done).out) as {
    id: string;
  }[];
  const terminal = real.home.run('chat', id);
  await page.getByRole('button', { name: '3 connected' }).waitFor();
  await panel.getByText('Terminal').waitFor();
  terminal.child.stdin?.write('y\n');
  await page.locator('.decided', { hasText: 'Terminal' }).waitFor();
  terminal.child.stdin?.end();
  await terminal.done;
  await page.getByRole('button', { name: '2 connected' }).waitFor();
  await other.reload();
  await page.getByRole('button', { name: '2 connected' }).waitFor();
  await other.getByRole('link', { name: 'Parley', exact: true }).click();
  await page.getByRole('button', { name: '1 connected' }).waitFor();
  const editor = real.home.run('server');
  await other.goto(`${real.address}#/settings/devices`);
  await other.getByRole('listitem').filter({ hasText: 'Editor (ECA)' }).waitFor();
  editor.child.stdin?.end();
  await editor.done;
  await expect
    .poll(() => other.getByRole('listitem').filter({ hasText: 'Editor (ECA)' }).count(), {
      timeout: 45_000,
    })
    .toBe(0);
});
