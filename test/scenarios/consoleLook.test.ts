// Things that a person sees at a glance, on the real host in a real browser: nothing is told twice, nothing
// that matters is cut off, and a list says what each session wants.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';
import { chooseFolder, field, pick } from './console/rig.ts';

const browsing = useBrowser();
const longName = 'a-rather-long-folder-name-for-the-bakery-website';
const real = useRealHost(
  ({ workspace }) => {
    mkdirSync(join(workspace, longName));
    writeFileSync(join(workspace, 'list.txt'), 'milk\nmilk\n');
    writeFileSync(join(workspace, 'shelf.txt'), 'salt\n');
  },
  { shared: true },
);

const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;
const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript', exact: true });
const tool = (name: string, input: object) => `tool ${name} ${JSON.stringify(input)}`;

/** Headings and lines; what is folded or for screen readers only is not counted. */
const shownTexts = '.ask-head, .call > summary';
const overflowOfFolder = "getComputedStyle(document.querySelector('.head .where .truncate')).textOverflow";

/** Whether a box shows all of its text. */
const isCut = (box: Locator) =>
  box.evaluate((element: { readonly scrollWidth: number; readonly clientWidth: number }) => {
    return element.scrollWidth > element.clientWidth;
  });

test('a question is shown once, while it waits and when it is answered', async () => {
  const { page, complaints } = await browsing.open(real.at());
  const question = 'Which database should the shop use?';
  await real.begin(page, 'ask me', 'Scripted');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await field(page).fill(tool('ask_user', { question, options: ['PostgreSQL', 'SQLite'] }));
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: 'SQLite' }).waitFor();
  const asked = () => transcript(page).locator(shownTexts).getByText(question).count();
  expect(await asked()).toBe(1);
  expect(await transcript(page).locator('.fields').count()).toBe(0);
  await page.getByRole('navigation', { name: 'Sessions' }).getByText(question).waitFor();
  await page.getByRole('radio', { name: 'SQLite' }).check();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(await asked()).toBe(1);
  await transcript(page).locator('.call > summary', { hasText: 'SQLite' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a command is named as far as there is room, and of a failure the last lines are in sight', async () => {
  const { page, complaints } = await browsing.open(real.at());
  const command = 'seq 1 60 | sed s/^/line/ && echo the tests of the cart have failed && exit 3';
  await real.begin(page, tool('shell_command', { command }), 'Scripted');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  const row = page.getByRole('navigation', { name: 'Sessions' }).locator('[aria-current]');
  await row.getByText(`Wants to run ${command}`).waitFor();
  await page.getByRole('button', { name: 'Allow once' }).click();
  const line = transcript(page).locator('.call > summary').first();
  await line.getByText('Exit 3', { exact: true }).waitFor();
  expect(await line.locator('.object').innerText()).toBe(command);
  const output = transcript(page).locator('.term').first();
  const below = await output.evaluate(
    (box: { readonly scrollHeight: number; readonly scrollTop: number; readonly clientHeight: number }) =>
      box.scrollHeight - box.scrollTop - box.clientHeight,
  );
  expect(below).toBeLessThan(2);
  expect(complaints).toEqual([]);
});

test('the end stays in view when the conversation shrinks and grows again at once', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'say Hello.', 'Scripted');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.evaluate(`(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const part = (height) => Object.assign(document.createElement('div'), { style: 'height: ' + height + 'px' });
    const content = document.querySelector('.chat > .transcript');
    const first = part(3000);
    content.append(first);
    for (let n = 0; n < 4; n += 1) await frame();
    // The next task comes after the layout of this frame, and before the browser tells of the scrolling.
    const { port1, port2 } = new MessageChannel();
    const grown = new Promise((resolve) => {
      port1.onmessage = () => {
        content.append(part(2500));
        resolve();
      };
    });
    await frame();
    first.style.height = '2000px';
    port2.postMessage('');
    await grown;
    for (let n = 0; n < 4; n += 1) await frame();
  })()`);
  const below = await transcript(page).evaluate(
    (box: { readonly scrollHeight: number; readonly scrollTop: number; readonly clientHeight: number }) =>
      box.scrollHeight - box.scrollTop - box.clientHeight,
  );
  expect(below).toBeLessThan(2);
  expect(complaints).toEqual([]);
});

test.each([
  ['a desk', {}],
  ['a phone', phone],
] as const)('a command that was stopped keeps its output, also after a reload, on %s', async (_, options) => {
  const { page, complaints } = await browsing.open(real.at(), options);
  const begin = options === phone ? beginOnPhone : real.begin.bind(real);
  await begin(
    page,
    tool('shell_command', { command: 'echo part one; echo part two; sleep 100' }),
    'Scripted',
  );
  await page.getByRole('button', { name: 'Allow once' }).click();
  // The command names both parts, too; only its output has them on lines of their own.
  await transcript(page)
    .locator('.xterm-rows > div', { hasText: /^part two\s*$/ })
    .waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  const call = transcript(page).locator('.call').first();
  await call.locator('summary').getByText('Stopped', { exact: true }).waitFor();
  for (const isReloaded of [false, true]) {
    if (isReloaded) await page.reload();
    await call.locator('summary').first().click();
    await expect.poll(() => call.locator('.term').allInnerTexts()).toEqual(['part one\npart two\n']);
    expect(await call.getByText('Failed').count()).toBe(0);
  }
  const id = decodeURIComponent(page.url()).split('/').at(-1) ?? '';
  const { out } = await real.home.run('sessions', 'show', id).done;
  expect(out).toContain('  | part one\n  | part two\n');
  await expectNoOverflow(page);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

/** The pickers of a phone are in one sheet. */
async function beginOnPhone(page: Page, text: string, model: string): Promise<void> {
  await page.goto(`${real.address}#/new`);
  await page.getByRole('button', { name: /^Options: / }).tap();
  const sheet = page.locator('.menu:popover-open');
  await sheet.getByRole('button', { name: 'Model' }).tap();
  const option = { name: model };
  await sheet.getByRole('menuitemradio', option).or(sheet.getByRole('option', option)).first().tap();
  await chooseFolder(page, real.home.workspace);
  await field(page).fill(text);
  await page.getByRole('button', { name: 'Start session' }).tap();
}

test('a sub-agent at work is named once, without its raw arguments', async () => {
  const { page, complaints } = await browsing.open(real.at());
  const input = { agent: 'general', task: 'say I look around.\nhang', activity: 'Looking for slow pages' };
  await real.begin(page, tool('spawn_agent', input), 'Scripted');
  const name = transcript(page).getByText('general: Looking for slow pages');
  await transcript(page).locator('.nested .prose', { hasText: 'I look around.' }).waitFor();
  expect(await transcript(page).locator('.fields').count()).toBe(0);
  expect(await name.count()).toBe(1);
  expect(
    await transcript(page).getByText('Running', { exact: true }).and(page.locator(':not(.unseen)')).count(),
  ).toBe(0);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('an edit names its file, and shows nothing of it twice', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'ask me', 'Scripted');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  const edit = { path: 'list.txt', original_content: 'milk', new_content: 'tea', all_occurrences: true };
  await field(page).fill(tool('edit_file', edit));
  await page.keyboard.press('Enter');
  await page.locator('.ask .diff tr.add', { hasText: 'tea' }).first().waitFor();
  expect(await page.locator('.ask .fields').filter({ visible: true }).count()).toBe(0);
  await page.goto(`${real.address}#/inbox`);
  await page.locator('article .age', { hasText: /^(now|\d+ min)$/ }).waitFor();
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.getByText("You're all caught up.").waitFor();
  await page.goBack();
  await transcript(page).locator('.diff tr.add', { hasText: 'tea' }).first().waitFor();
  const line = transcript(page).locator('.call > summary', { hasText: 'Edited' });
  expect(await line.locator('.path').innerText()).toBe('list.txt');
  expect(await transcript(page).locator('.file-edit').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('reads that follow each other are one line, which unfolds to all of them', async () => {
  const { page, complaints } = await browsing.open(real.at());
  const shelf = JSON.stringify({ path: 'shelf.txt' });
  const reads = ['tool read_file', 'also read_file', 'also read_file'].map((each) => `${each} ${shelf}`);
  await real.begin(page, reads.join('\n'), 'Scripted');
  const line = transcript(page).locator('.call > summary', {
    hasText: 'Read shelf.txt, shelf.txt and 1 more',
  });
  await line.click();
  const calls = transcript(page).locator('.call .call > summary', { hasText: 'Read shelf.txt' });
  await calls.nth(2).waitFor();
  await calls.first().click();
  await transcript(page).locator('.term, .out', { hasText: 'salt' }).first().waitFor();
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

test('names of sessions and their age are in sight beside a long folder name', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await page.goto(`${real.address}#/new`);
  await pick(page, 'Model', 'Scripted');
  await chooseFolder(page, join(real.home.workspace, longName));
  await field(page).fill('Explain');
  await page.getByRole('button', { name: 'Start session' }).click();
  await page.locator('.head .where .truncate').first().waitFor();
  expect(await page.evaluate(overflowOfFolder)).toBe('ellipsis');
  await page.goto(real.address);
  const row = page.locator('.list-row', { hasText: 'Explain' });
  await row.waitFor();
  expect(await isCut(row.locator('.age'))).toBe(false);
  await page.setViewportSize(phone.viewport);
  expect((await row.locator('.truncate').first().boundingBox())?.width).toBeGreaterThan(100);
  expect(await isCut(row.locator('.age'))).toBe(false);
  await expectNoOverflow(page);
  expect(complaints).toEqual([]);
});

test.each([
  ['a desk', {}],
  ['a phone', phone],
] as const)('the page to sign in has nothing else, on %s', async (_, options) => {
  const { page } = await browsing.open(real.address, options);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(await page.getByRole('link', { name: 'New session' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Search' }).count()).toBe(0);
  await expectAccessible(page);
  await expectNoOverflow(page);
});
