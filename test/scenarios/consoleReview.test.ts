// The review of what a session changed: hunks undone, redone and accepted, comments to the agent, a commit.
// One real host and one real browser for all tests of the file.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { say, useRealHost } from './console/realHost.ts';

const browsing = useBrowser();
const text = (word: string) =>
  Array.from({ length: 60 }, (_, line) =>
    line === 10 || line === 50 ? `const line${line} = '${word} ${line}';` : `// line ${line}`,
  ).join('\n') + '\n';
const real = useRealHost(
  ({ workspace }) => {
    mkdirSync(join(workspace, 'src'));
    writeFileSync(join(workspace, 'src', 'list.ts'), text('milk'));
    writeFileSync(join(workspace, 'notes.txt'), 'tea and milk\n');
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: workspace });
    git('init', '--quiet', '--initial-branch=trunk');
    git('config', 'user.name', 'Test');
    git('config', 'user.email', 'test@example.com');
    git('add', '.');
    git('commit', '--quiet', '--message', 'Begin');
  },
  { shared: true },
);

const listed = () => readFileSync(join(real.home.workspace, 'src', 'list.ts'), 'utf8');
const fileCard = (page: Page, path: string) => page.getByRole('region', { name: path, exact: true });

async function allow(page: Page, said: string): Promise<void> {
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.prose', { hasText: said }).waitFor();
}

async function changeBoth(page: Page): Promise<void> {
  writeFileSync(join(real.home.workspace, 'src', 'list.ts'), text('milk'));
  writeFileSync(join(real.home.workspace, 'notes.txt'), 'tea and milk\n');
  await real.begin(page, 'replace milk with bread in src/list.ts');
  await allow(page, 'list.ts is changed');
  await say(page, 'replace tea with coffee in notes.txt');
  await allow(page, 'notes.txt is changed');
  await page.keyboard.press('Alt+KeyC');
  await page.getByRole('heading', { name: 'Changes' }).waitFor();
  await expect.poll(() => fileCard(page, 'src/list.ts').locator('.review-hunk').count()).toBe(2);
}

test('a hunk is undone and redone, exactly, and refused where the file has changed since', async () => {
  const { page, complaints } = await browsing.open(real.at(), { viewport: { width: 1280, height: 900 } });
  await changeBoth(page);
  const file = fileCard(page, 'src/list.ts');
  const hunk = (lines: string) => file.getByRole('group', { name: lines, exact: true });
  await expectAccessible(page);
  await page.screenshot({ path: 'artifacts/console/review-desk-light.png' });

  await hunk('list.ts, lines 8–14').getByRole('button', { name: 'Undo', exact: true }).click();
  await hunk('list.ts, undone lines 8–14').getByRole('button', { name: 'Redo' }).waitFor();
  expect(listed().split('\n')[10]).toContain('milk 10');
  expect(listed().split('\n')[50]).toContain('bread 50');
  await expectAccessible(page);

  // What somebody typed in the meantime is not lost, and that is said.
  const present = listed();
  writeFileSync(join(real.home.workspace, 'src', 'list.ts'), `${present}// mine\n`);
  await hunk('list.ts, undone lines 8–14').getByRole('button', { name: 'Redo' }).click();
  await page.getByText('The file was edited since and was skipped.').waitFor();
  expect(listed()).toBe(`${present}// mine\n`);
  writeFileSync(join(real.home.workspace, 'src', 'list.ts'), present);

  await hunk('list.ts, undone lines 8–14').getByRole('button', { name: 'Redo' }).click();
  await expect.poll(listed).toBe(text('bread'));
  await expect.poll(() => file.locator('.review-hunk').count()).toBe(2);

  // A whole file is undone after a second word, and redone from its row.
  await file.getByRole('button', { name: 'Undo file' }).click();
  await file.getByRole('group', { name: 'Undo', exact: true }).getByRole('button', { name: 'Undo' }).click();
  await file.waitFor({ state: 'detached' });
  expect(listed()).toBe(text('milk'));
  await page.getByRole('listitem', { name: 'list.ts' }).getByRole('button', { name: 'Redo' }).click();
  await file.waitFor();
  expect(listed()).toBe(text('bread'));
  expect(complaints).toEqual([]);
});

test('hunks are accepted with the keyboard, marks survive a reload, and files are filtered and folded', async () => {
  const { page, complaints } = await browsing.open(real.at(), { viewport: { width: 1280, height: 900 } });
  await changeBoth(page);
  const file = fileCard(page, 'src/list.ts');
  await page.getByText('0 of 2 reviewed').waitFor();
  await page.getByRole('radio', { name: 'Unified' }).check();
  await file.locator('table.diff:not(.side)').first().waitFor();
  await file.locator('tr.add ins', { hasText: 'bread' }).first().waitFor();
  await file.locator('tr.add .hljs-keyword', { hasText: 'const' }).first().waitFor();
  await page.keyboard.press('KeyJ');
  await page.keyboard.press('KeyX');
  await file.getByText('Accepted').waitFor();
  await page.reload();
  await file.getByText('Accepted').waitFor();
  await expect.poll(() => file.getByText('Accepted').count()).toBe(1);
  await page.keyboard.press('KeyJ');
  await page.keyboard.press('KeyJ');
  await page.keyboard.press('KeyX');
  await page.getByText('1 of 2 reviewed').waitFor();
  // A reviewed file folds, and opens again.
  await expect.poll(() => file.locator('.review-hunk').count()).toBe(0);
  await page.getByRole('button', { name: /^Modified list\.ts/ }).click();
  await file.getByRole('button', { name: /^Reopen list.ts, lines 8–14/ }).click();
  await page.getByText('0 of 2 reviewed').waitFor();
  await page.getByRole('searchbox', { name: 'Filter files' }).fill('NOTES');
  await file.waitFor({ state: 'detached' });
  await fileCard(page, 'notes.txt').waitFor();
  await page.getByRole('searchbox', { name: 'Filter files' }).fill('');
  await page.getByRole('button', { name: 'Collapse all' }).click();
  await expect.poll(() => page.locator('.review-hunk').count()).toBe(0);
  await page.getByRole('button', { name: 'Expand all' }).click();
  await expect.poll(() => page.locator('.review-hunk').count()).toBe(3);
  await page.getByRole('button', { name: 'Accept all' }).click();
  await page.getByText('2 of 2 reviewed').waitFor();
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

test('comments on lines go to the agent as one message, and the files are committed', async () => {
  const { page, complaints } = await browsing.open(real.at(), {
    viewport: { width: 1280, height: 900 },
    colorScheme: 'dark',
  });
  await changeBoth(page);
  const file = fileCard(page, 'src/list.ts');
  await file.locator('td.add').getByRole('button', { name: 'Comment on line 11' }).click();
  await page.getByRole('textbox', { name: 'Comment on line 11' }).fill('Whole grain, please.');
  // A narrow window shows the lines in another table.
  await page.setViewportSize({ width: 1000, height: 900 });
  await file.locator('.side').first().waitFor({ state: 'detached' });
  expect(await page.getByRole('textbox', { name: 'Comment on line 11' }).inputValue()).toBe(
    'Whole grain, please.',
  );
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('textbox', { name: 'Comment on line 11' }).focus();
  await page.keyboard.press('Control+Enter');
  await fileCard(page, 'notes.txt')
    .getByRole('button', { name: /^Comment on notes/ })
    .click();
  await page.getByRole('textbox', { name: /^Comment on line/ }).fill('Green tea is fine.');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.getByText('2 comments').waitFor();
  await expectAccessible(page);
  await page.screenshot({ path: 'artifacts/console/review-desk-dark.png' });

  const form = page.getByRole('form', { name: 'Commit' });
  await form.getByText('trunk').waitFor();
  expect(await form.getByRole('textbox').inputValue()).toBe(
    'Replace milk with bread in src/list.ts\n\n- src/list.ts\n- notes.txt',
  );
  await form.getByRole('textbox').fill('Buy bread');
  await form.getByRole('button', { name: 'Commit 2 files' }).click();
  await page.getByText(/Committed 2 files as [0-9a-f]{7}/).waitFor();
  await form.getByRole('button', { name: 'Nothing to commit' }).waitFor();
  const shown = execFileSync('git', ['show', '--stat', '--format=%s'], { cwd: real.home.workspace });
  expect(shown.toString()).toMatch(/^Buy bread\n[^]*notes\.txt[^]*src\/list\.ts/);

  await page.getByRole('button', { name: 'Send to agent' }).click();
  const sent = page.locator('.msg-user').last();
  await sent.getByText('Whole grain, please.').waitFor();
  await expect.poll(() => sent.innerText()).toMatch(/src\/list\.ts, line 11:[^]*notes\.txt, line 1/);
  expect(complaints).toEqual([]);
});

test('on a phone the review fits, in light and dark', async () => {
  const desk = await browsing.open(real.at(), { viewport: { width: 1280, height: 900 } });
  await changeBoth(desk.page);
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, complaints } = await browsing.open(real.at(), {
      viewport: { width: 390, height: 844 },
      colorScheme,
      hasTouch: true,
      isMobile: true,
    });
    await page
      .getByRole('link', { name: /replace milk/ })
      .first()
      .tap();
    await page.getByRole('button', { name: 'Changes' }).tap();
    await page.getByRole('heading', { name: 'Changes' }).waitFor();
    await page
      .getByRole('button', { name: 'Expand all' })
      .or(page.getByRole('button', { name: 'Collapse all' }))
      .waitFor();
    if (await page.getByRole('button', { name: 'Expand all' }).isVisible())
      await page.getByRole('button', { name: 'Expand all' }).tap();
    await page.locator('.review-hunk').first().waitFor();
    await page.screenshot({ path: `artifacts/console/review-phone-${colorScheme}.png` });
    await page.getByRole('button', { name: 'Files' }).tap();
    await page.getByRole('navigation', { name: 'Changed files' }).getByText('notes.txt').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 360, height: 640 });
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    await expect.poll(() => page.evaluate(overflow)).toBe(0);
    expect(complaints).toEqual([]);
  }
});
