// Small things that a look at pictures of the real page has found: lines that are cut, numbers in the wrong
// column, words that stand twice.
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { say, useRealHost } from './console/realHost.ts';
import { field } from './console/rig.ts';

const browsing = useBrowser();
const real = useRealHost(
  ({ workspace }) => writeFileSync(join(workspace, 'till.txt'), 'one\nmilk\nthree\n'),
  { shared: true },
);
const phone = { width: 360, height: 740 };
const desk = { viewport: { width: 1280, height: 800 } };

async function right(box: Locator): Promise<number> {
  const { x, width } = (await box.boundingBox()) ?? { x: Infinity, width: 0 };
  return x + width;
}

test('on a phone the line of an edited command shows the command and its end', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, 'run echo milk');
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.locator('.ask textarea').first().fill('echo bread and butter');
  await page.getByRole('button', { name: 'Allow once' }).first().click();
  const line = page.locator('.call > summary', { hasText: 'Edited by' });
  await line.waitFor();
  await page.setViewportSize(phone);
  await expect
    .poll(async () => (await line.locator('.object').boundingBox())?.width ?? 0)
    .toBeGreaterThan(120);
  expect(await right(line.locator('.end > :last-child'))).toBeLessThanOrEqual(phone.width);
});

test('on a phone the descriptions of commands are whole', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, 'what is in this folder');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.setViewportSize(phone);
  await field(page).fill('/');
  const notes = page.locator('.completions .end');
  await notes.first().waitFor();
  const cut = await notes.evaluateAll(
    (all: { scrollWidth: number; clientWidth: number }[]) =>
      all.filter((each) => each.scrollWidth > each.clientWidth).length,
  );
  const starts = await Promise.all((await notes.all()).map(async (each) => (await each.boundingBox())?.x));
  expect([cut, new Set(starts).size]).toEqual([0, 1]);
  await expectNoOverflow(page);
});

test('the number of a line that is gone stands among the old ones, and an undone file has a short path', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, 'replace milk with bread in till.txt');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.keyboard.press('Alt+KeyC');
  await page.getByRole('radio', { name: 'Unified' }).check();
  const numbers = (kind: string) => page.locator(`table.diff tr.${kind} .ln`).allInnerTexts();
  await expect.poll(() => numbers('del')).toEqual(['2', '']);
  expect(await numbers('add')).toEqual(['', '2']);
  await page.getByRole('button', { name: /^Undo/ }).last().click();
  await expect.poll(() => page.locator('.undone-file .path').allInnerTexts()).toEqual(['till.txt']);
});

test('the end stays in sight while the transcript grows faster than it scrolls', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, Array.from({ length: 60 }, (_, line) => `say Line ${line}.`).join('\n'), 'Scripted');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  // The event of the page's own scroll comes after a large piece was added.
  const distance = await page.evaluate(`(async () => {
    const box = document.querySelector('.scroll.chat');
    const piece = document.createElement('pre');
    piece.textContent = '\\n'.repeat(40);
    box.querySelector('.transcript').append(piece);
    box.dispatchEvent(new Event('scroll'));
    for (const _ of [1, 2, 3]) await new Promise(requestAnimationFrame);
    return box.scrollHeight - box.scrollTop - box.clientHeight;
  })()`);
  expect(distance).toBeLessThan(2);
});

test('a folder that is gone is reported once', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, 'what is in this folder');
  const { workspace } = real.home;
  renameSync(workspace, `${workspace}-away`);
  await page.goto(`${real.address}#/new`);
  await page.getByText('There is no folder').first().waitFor();
  await field(page).fill('hello');
  await page.getByRole('button', { name: 'Start session' }).click();
  await page.getByRole('alert').filter({ hasText: 'There is no folder' }).waitFor();
  expect(await page.getByText('There is no folder').count()).toBe(1);
  renameSync(`${workspace}-away`, workspace);
});

test('a session that failed says why in every list, until it goes on', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, 'fail', 'Scripted');
  const row = page.getByRole('navigation', { name: 'Sessions' }).locator('.what.fails');
  await row.filter({ hasText: 'The script says so.' }).waitFor();
  await page.keyboard.press('Alt+KeyI');
  await page.locator('.list-row', { hasText: 'The script says so.' }).click();
  await say(page, 'hello');
  await expect.poll(() => row.count()).toBe(0);
});

test('a page from before an update says that it must be loaded again', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, 'what is in this folder');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  // The files of the page are gone, as after an update of the program.
  await page.route('**/assets/**', (route) => route.fulfill({ status: 404 }));
  await page.keyboard.press('Alt+KeyC');
  await page.getByText('Parley may have been updated since you opened it.').waitFor();
  await expectAccessible(page);
  await page.unroute('**/assets/**');
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await expect.poll(() => page.getByRole('heading', { name: 'Changes' }).count()).toBe(1);
});

test('a terminal has its styles when it comes, and keeps its rows in a box of any height', async () => {
  const { page } = await browsing.open(real.at(), desk);
  const later: string[] = [];
  await real.begin(page, 'run sleep 300');
  page.on('request', (request) => later.push(new URL(request.url()).pathname));
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.xterm').waitFor();
  expect(later.filter((path) => path.endsWith('.css'))).toEqual([]);
  const position = "getComputedStyle(document.querySelector('.xterm-accessibility')).position";
  expect(await page.evaluate(position)).toBe('absolute');

  // What a screen reader hears stands below the rows now, and the box is twice as high.
  const rowsLater = `new Promise((done) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.xterm-accessibility { position: static !important }');
    document.adoptedStyleSheets.push(sheet);
    let frames = 6;
    const next = () => (frames-- === 0 ? done(document.querySelectorAll('.xterm-rows > div').length)
      : requestAnimationFrame(next));
    next();
  })`;
  expect(await page.evaluate(rowsLater)).toBe(16);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
});

const command = (line: string, more: object = {}) =>
  `tool shell_command ${JSON.stringify({ command: line, ...more })}`;

test('on a phone the bar of what waits is gone once the buttons are in view', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, command(Array.from({ length: 120 }, () => 'echo milk').join(' && ')), 'Scripted');
  const deny = page.locator('.ask').getByRole('button', { name: 'Deny', exact: true });
  await deny.waitFor();
  await page.setViewportSize({ width: 360, height: 560 });
  const bar = page.locator('.waits');
  await page.locator('.msg-user').scrollIntoViewIfNeeded();
  await bar.waitFor();
  await page
    .locator('.ask')
    .evaluate((card: { scrollIntoView(to: object): void }) => card.scrollIntoView({ block: 'end' }));
  await bar.waitFor({ state: 'detached' });
  expect((await page.locator('.ask').boundingBox())?.y).toBeLessThan(0);
  await deny.click();
});

test('on a phone the inbox and the palette name folder and agent', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, command('echo "a title that is longer than the line"'), 'Scripted');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.setViewportSize(phone);
  await page.goto(`${real.address}#/inbox`);
  const context = page.locator('.item-context').first();
  await context.waitFor();
  const cut = await context
    .locator('.truncate')
    .evaluateAll((all: { scrollWidth: number; clientWidth: number }[]) =>
      all.map((each) => each.scrollWidth > each.clientWidth),
    );
  expect(cut).toEqual([false, false]);
  await expectNoOverflow(page);
  await page.keyboard.press('Control+k');
  const session = page.locator('.palette a.item').first();
  await session.getByText('workspace', { exact: true }).waitFor();
  await expectNoOverflow(page);
  await expectAccessible(page);
});

test('a command that took too long says so in its line', async () => {
  const { page } = await browsing.open(real.at(), desk);
  await real.begin(page, command('sleep 600', { timeout: 1_000 }), 'Scripted');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.call > summary', { hasText: 'Timed out after 1.0 s' }).waitFor();
  expect(await page.locator('.call > summary', { hasText: 'Failed' }).count()).toBe(0);
});
