// What is done about sessions on the pages of the console, on the real host: changes are looked at and
// undone, lists narrowed, sessions deleted, company seen.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { connect } from '../../client/node.ts';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { say, useRealHost } from './console/realHost.ts';
import { openFromMenu } from './console/rig.ts';

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
  await page.getByRole('button', { name: 'Changes' }).click();
  const file = (name: string) => page.getByRole('region', { name, exact: true });
  const hunks = file('long.txt').locator('.review-hunk');
  await expect.poll(() => hunks.count()).toBe(2);
  await hunks.nth(1).locator('td.add', { hasText: 'line 33 bread' }).waitFor();
  await file('long.txt').getByRole('checkbox', { name: 'long.txt reviewed' }).check();
  await expectAccessible(page);

  const undo = async (name: string) => {
    await file(name).getByRole('button', { name: 'Undo file', exact: true }).click();
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

test('a session is found by how it stands, archived with a way back, and deleted after a second word', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await page.getByRole('link', { name: 'Start the first one' }).waitFor();
  await real.begin(page, 'what is in this folder');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await real.begin(page, 'create notes.txt with milk');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  const list = page.getByRole('navigation', { name: 'Sessions' });
  const rows = list.locator('.session-wrap');
  await page.keyboard.press('Control+KeyK');
  await page.getByRole('searchbox', { name: 'Search sessions' }).fill('needs you');
  const found = page.getByRole('dialog').getByRole('region', { name: 'Sessions' }).getByRole('link');
  await expect.poll(() => found.allInnerTexts()).toEqual([expect.stringContaining('create notes.txt')]);
  await page.keyboard.press('Escape');
  await rows.filter({ hasText: 'what is in this folder' }).hover();
  await page.getByRole('button', { name: 'Archive what is in this folder' }).click();
  await list.getByText('Archived').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await list.getByText('Archived').waitFor({ state: 'detached' });
  // The folder of the last session is offered for the next one.
  await page.goto(`${real.address}#/new`);
  await page.getByRole('button', { name: `Folder: ${real.home.workspace}` }).waitFor();

  await rows.filter({ hasText: 'what is in this folder' }).getByRole('link').click();
  await openFromMenu(page, 'Delete…');
  const dialog = page.getByRole('dialog', { name: 'Delete “what is in this folder”?' });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await openFromMenu(page, 'Delete…');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('create notes.txt')]);
  await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  const { out } = await real.home.run('sessions', 'list', '--all', '--json').done;
  expect(JSON.parse(out)).toHaveLength(1);
  expect(complaints).toEqual([]);
});

test('a session in which everything runs unasked is marked in red in every list', async () => {
  const { home } = real;
  expect(await home.run('run', '--full', 'what is in this folder').done).toMatchObject({ code: 0 });
  expect(await home.run('run', 'create notes.txt with milk').done).toMatchObject({ code: 0 });
  const { page } = await browsing.open(real.at());
  const marked = (text: string) => page.locator('.session-wrap', { hasText: text }).locator('.badge.bad');
  await marked('what is in this folder').getByText('Full').waitFor();
  expect(await marked('create notes.txt').count()).toBe(0);
  await page.keyboard.press('Control+KeyK');
  const found = (text: string) => page.locator('.palette a.item', { hasText: text }).locator('.badge.bad');
  await found('what is in this folder').getByText('Full').waitFor();
  expect(await found('create notes.txt').count()).toBe(0);
  await page.keyboard.press('Escape');
  const { out } = await home.run('sessions', 'list').done;
  const [head, ...rows] = out.trim().split('\n');
  expect(head).toMatch(/ MODE$/);
  expect(rows.map((row) => [row.includes('what is'), row.endsWith(' full')])).toEqual([
    [false, false],
    [true, true],
  ]);
});

test('who else is at a session is seen, by name', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, 'create notes.txt with milk');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await openFromMenu(page, 'Connected clients');
  const panel = page.getByRole('complementary', { name: 'Connected clients' });
  const company = async (count: number) =>
    await expect.poll(() => panel.locator('.people > ul > li').count()).toBe(count);
  await company(1);
  await panel.getByText('(this page)').waitFor();
  const { page: other } = await browsing.open(real.at());
  await other.getByRole('link', { name: 'create notes.txt with milk' }).first().click();
  await company(2);
  const [{ id } = { id: '' }] = JSON.parse((await real.home.run('sessions', 'list', '--json').done).out) as {
    id: string;
  }[];
  const terminal = real.home.run('chat', id);
  let printed = '';
  terminal.child.stdout?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await company(3);
  await panel.getByText('Terminal').waitFor();
  // What was not shown yet cannot be allowed.
  await expect.poll(() => printed).toContain('Allow this?');
  terminal.child.stdin?.write('y\n');
  await page.locator('.decided', { hasText: 'Terminal' }).waitFor();
  terminal.child.stdin?.end();
  await terminal.done;
  await company(2);
  await other.reload();
  await company(2);
  await other.getByRole('link', { name: 'Parley', exact: true }).click();
  await company(1);
  const editor = real.home.run('server');
  await other.goto(`${real.address}#/settings/devices`);
  await other.getByRole('listitem').filter({ hasText: 'Editor (ECA)' }).waitFor();
  editor.child.stdin?.end();
  await editor.done;
  await expect
    .poll(() => other.getByRole('listitem').filter({ hasText: 'Editor (ECA)' }).count(), {
      timeout: 100_000,
    })
    .toBe(0);
});

test.each([
  ['a desk', { width: 1200, height: 800 }],
  ['a phone', { width: 390, height: 844 }],
] as const)('a search opens the session at the line that it has found, on %s', async (_, viewport) => {
  const client = await connect({ url: real.address, token: real.host.token });
  const session = await client.create({ model: 'scripted/scripted', folder: real.home.workspace });
  await session.prompt('say A **grey** pelican flies.').result;
  // More turns than the page has at first.
  for (let turn = 0; turn < 30; turn += 1) await session.prompt(`stream 80 word${turn}`).result;
  client.close();
  const { page, complaints } = await browsing.open(real.at(), { viewport });
  const marked = "CSS.highlights.get('found')?.values().next().value.toString()";
  const open = async () => {
    await page.keyboard.press('Control+KeyK');
    await page.getByRole('searchbox').fill('grey flies');
    await page.locator('.hits .item').click();
    const line = page.locator('.msg-user', { hasText: 'pelican' });
    await line.waitFor();
    await expect.poll(() => isInView(line)).toBe(true);
    await expect.poll(() => page.evaluate(marked)).toBe('say A **grey** pelican flies');
  };
  await open();
  expect(page.url()).not.toContain('line=');
  await expectAccessible(page);
  // The same again, from the end of the session that is open.
  await page.getByRole('button', { name: 'Latest' }).click();
  await page.locator('.msg-user', { hasText: 'word29' }).waitFor();
  await open();
  expect(complaints).toEqual([]);
});

async function isInView(line: Locator): Promise<boolean> {
  const [box, page] = [await line.boundingBox(), line.page().viewportSize()];
  return box !== null && page !== null && box.y >= 0 && box.y + box.height <= page.height;
}
