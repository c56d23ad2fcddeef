// What a person does with a session beside talking to it, on the real host: message actions on a phone, going
// back, names and whitespace in the review, the branch in the list, the palette for fast fingers.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { say, useRealHost } from './console/realHost.ts';
import { chooseFolder, field } from './console/rig.ts';

const browsing = useBrowser();
const code = ['export function price(milk) {', '  return milk;', '}', ''].join('\n');
const real = useRealHost(
  ({ workspace }) => {
    for (const name of ['shop.js', 'till.js']) writeFileSync(join(workspace, name), code);
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: workspace });
    git('init', '--quiet', '--initial-branch=trunk');
  },
  { shared: true },
);

test('the actions of a message are behind one button on a phone, and work from there', async () => {
  const { page, complaints } = await browsing.open(real.at(), { hasTouch: true });
  await real.begin(page, 'First words', 'Scripted');
  await say(page, 'Second words');
  await page.locator('.msg-user', { hasText: 'Second words' }).waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => page.getByRole('button', { name: 'Edit and resend' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Answer actions' }).last().click();
  const answer = page.getByRole('menu', { name: 'Answer actions' });
  await answer.getByRole('menuitem', { name: 'Retry' }).waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Message actions' }).last().click();
  const message = page.getByRole('menu', { name: 'Message actions' });
  await message.getByRole('menuitem', { name: 'Edit and resend' }).click();
  await expect.poll(() => field(page).inputValue()).toBe('Second words');
  await page.getByText('Sending replaces the message').waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await field(page).fill('Better words');
  await page.getByRole('button', { name: 'Send', exact: true }).tap();
  await page.locator('.msg-user', { hasText: 'Second words' }).waitFor({ state: 'detached' });
  await page.locator('.msg-user', { hasText: 'Better words' }).waitFor();
  expect(complaints).toEqual([]);
});

test('an edited message replaces nothing until it is sent, and the unsent draft stays', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'say One.', 'Scripted');
  for (const text of ['say Two.', 'say Three.']) await say(page, text);
  await page.locator('.prose', { hasText: 'Three.' }).waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await field(page).fill('not sent yet');
  const edit = async () => {
    await page.locator('.msg-user', { hasText: 'say Two.' }).hover();
    await page.getByRole('button', { name: 'Edit and resend' }).nth(1).click();
    await expect.poll(() => field(page).inputValue()).toBe('say Two.');
  };
  const said = () => page.locator('.msg-user .said').allInnerTexts();
  await edit();
  await expectAccessible(page);
  await field(page).press('Escape');
  await expect.poll(() => field(page).inputValue()).toBe('not sent yet');
  expect(await said()).toEqual(['say One.', 'say Two.', 'say Three.']);

  // Refused while a turn runs: nothing is gone.
  await say(page, 'hang');
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
  await field(page).fill('not sent yet');
  await edit();
  await field(page).fill('say Better.');
  await field(page).press('Enter');
  await page.locator('.toast', { hasText: 'A turn is running' }).waitFor();
  await expect.poll(() => field(page).inputValue()).toBe('say Better.');
  expect(await said()).toEqual(['say One.', 'say Two.', 'say Three.', 'hang']);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });

  await field(page).press('Enter');
  await page.locator('.prose', { hasText: 'Better.' }).waitFor();
  await expect.poll(said).toEqual(['say One.', 'say Better.']);
  await expect.poll(() => field(page).inputValue()).toBe('not sent yet');
  expect(complaints).toEqual([]);
});

test.each([1280, 1024, 390])('a short message covers nothing that waits, at %i pixels', async (width) => {
  const { page } = await browsing.open(real.at(), { hasTouch: true });
  await real.begin(page, 'hello', 'Scripted');
  const lines = Array.from({ length: 40 }, (_, line) => `echo ${line}`).join('\n');
  await say(page, `tool shell_command ${JSON.stringify({ command: lines })}`);
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.setViewportSize({ width, height: 800 });
  await page.locator('.msg-user').first().hover();
  const name = width < 720 ? 'Message actions' : 'Rewind to here';
  await page.getByRole('button', { name }).first().click();
  await page.getByRole('menuitem', { name: 'Files' }).first().click();
  await page.locator('.toast').waitFor();
  // One look at all of them: the message goes again.
  const [toast, ...places] =
    (await page.evaluate(`['.toast', '.chat-frame', '.dock', '.composer'].map((part) => {
    const { top, bottom } = document.querySelector(part).getBoundingClientRect();
    return { top, bottom };
  })`)) as readonly { readonly top: number; readonly bottom: number }[];
  for (const { top } of places) expect(toast?.bottom).toBeLessThanOrEqual(top);
});

test('a hunk is named, and whitespace is left out on request', async () => {
  const { page } = await browsing.open(real.at(), { viewport: { width: 1280, height: 800 } });
  await real.begin(page, 'replace "return milk" with "  return milk" in shop.js');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.prose', { hasText: 'shop.js is changed' }).waitFor();
  await page.keyboard.press('Alt+KeyC');
  await page.locator('.hunk-head', { hasText: 'export function price(milk)' }).waitFor();
  await page.getByRole('checkbox', { name: 'Ignore whitespace' }).check();
  await page.getByText('No difference but whitespace').waitFor();
  expect(await page.locator('.hunk-head').count()).toBe(0);
  await expectAccessible(page);
});

test('going back over a turn without edits puts the files of earlier turns back, too', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'replace "return milk" with "return 2 * milk" in till.js');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.prose', { hasText: 'till.js is changed' }).waitFor();
  await say(page, 'hello');
  await expect.poll(() => page.locator('.msg-user').count()).toBe(2);
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(readFileSync(join(real.home.workspace, 'till.js'), 'utf8')).not.toBe(code);
  await page.locator('.msg-user').first().hover();
  await page.getByRole('button', { name: 'Rewind to here' }).first().click();
  await page.getByRole('menuitem', { name: 'Conversation and files' }).click();
  await expect.poll(() => page.locator('.msg-user').count()).toBe(0);
  expect(readFileSync(join(real.home.workspace, 'till.js'), 'utf8')).toBe(code);
  expect(complaints).toEqual([]);
});

test('the model that is shown answers, in a fork and after the page was loaded again', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, 'hello');
  await page.locator('.prose').first().hover();
  const begun = page.url();
  await page.getByRole('button', { name: 'Fork from here' }).click();
  await expect.poll(() => page.url()).not.toBe(begun);
  await page.getByRole('navigation', { name: 'Chats' }).getByText('Fork', { exact: true }).waitFor();
  for (const time of ['in the fork', 'after loading']) {
    await page.getByRole('button', { name: 'Model: Demo (built in)' }).waitFor();
    // Only this model can do that.
    await say(page, `replace "return milk" with "return ${time}" in till.js`);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await page.reload();
  }
});

test('comments on changes go to the model that is shown', async () => {
  const { page } = await browsing.open(real.at(), { viewport: { width: 1280, height: 800 } });
  await real.begin(page, 'replace "return milk" with "return 4 * milk" in shop.js');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.prose', { hasText: 'shop.js is changed' }).waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.keyboard.press('Alt+KeyC');
  await page
    .getByRole('button', { name: /^Comment on shop/ })
    .first()
    .click();
  await page.getByRole('textbox', { name: /^Comment on line/ }).fill('Why four?');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.getByRole('button', { name: 'Send to agent' }).click();
  const answeredBy = page.locator('.turn .meta', { hasText: 'Demo (built in)' });
  await expect.poll(() => answeredBy.count()).toBe(2);
});

test('the page of a new session names the model and the permissions that it would have', async () => {
  const { page } = await browsing.open(real.at('#/new'));
  await chooseFolder(page, real.home.workspace);
  await page.getByRole('button', { name: 'Permissions: Ask' }).waitFor();
  await page.getByRole('button', { name: 'Model: Scripted' }).waitFor();
  expect(await page.getByRole('button', { name: 'Model: Model' }).count()).toBe(0);
  await field(page).fill('Who answers?');
  await page.getByRole('button', { name: 'Start session' }).click();
  // Only this model answers so.
  await page.locator('.prose', { hasText: 'You said: Who answers?' }).waitFor();
  // The session goes on naming it, although no message did.
  await page.getByRole('button', { name: 'Model: Scripted' }).waitFor();
});

test('a model that was chosen by a command is shown, and answers', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, 'hello', 'Scripted');
  await say(page, '/model demo/demo');
  await page.getByText('The model is demo/demo.').waitFor();
  for (const time of ['at once', 'after loading']) {
    await page.getByRole('button', { name: 'Model: Demo (built in)' }).waitFor();
    // Only this model can do that.
    await say(page, `replace "return milk" with "return ${time}" in till.js`);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await page.reload();
  }
  await expect.poll(() => page.locator('.msg-user').count()).toBe(4);
});

test('a message that is sent is in sight, wherever one was reading', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, Array.from({ length: 80 }, (_, line) => `say Line ${line}.`).join('\n'), 'Scripted');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.getByRole('region', { name: 'Transcript' }).evaluate((box: { scrollTop: number }) => {
    box.scrollTop = 0;
  });
  await page.getByRole('button', { name: 'Latest' }).waitFor();
  await say(page, 'Last words');
  await page.locator('.prose', { hasText: 'You said: Last words' }).waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Latest' }).count()).toBe(0);
});

test('a folder that is not there is named as such', async () => {
  const { page } = await browsing.open(real.at('#/new'));
  await chooseFolder(page, '~/nowhere');
  const problem = page.locator('.field-error');
  await expect.poll(() => problem.innerText()).toBe(`There is no folder ${join(real.home.dir, 'nowhere')}.`);
});

test('the change that waits for an approval says where it is', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, 'replace "return milk" with "return 3 * milk" in till.js');
  await page.locator('.skip-row', { hasText: 'Lines 1–3 export function price(milk)' }).waitFor();
  await page.locator('.ask .diff tr.add .hljs-keyword', { hasText: 'return' }).waitFor();
  expect(await page.locator('.ask .file-edit .path').innerText()).toBe('till.js');
  expect(await page.getByText('@@').count()).toBe(0);
  await page.getByRole('button', { name: 'Deny' }).click();
});

test('a browser that has come with the token is known by its name among the devices', async () => {
  const { page } = await browsing.open(real.at('#/settings/devices'));
  await page.locator('.connected li', { hasText: 'Chrome on Linux' }).first().waitFor();
  expect(await page.getByText('AHP client').count()).toBe(0);
});

test('the list names the branch of a folder', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, 'Where am I?', 'Scripted');
  const list = page.getByRole('navigation', { name: 'Sessions' });
  await list.getByText('trunk', { exact: true }).waitFor();
  expect(await list.locator('.branch').allTextContents()).toEqual(['trunk']);
});

test('the permissions of a session are named where nobody has chosen them', async () => {
  const { page } = await browsing.open(real.at('#/new'));
  await chooseFolder(page, real.home.workspace);
  await field(page).fill('hello');
  await page.getByRole('button', { name: 'Start session' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Permissions: Ask' }).waitFor();
  expect(await page.getByRole('button', { name: 'Permissions: Permissions' }).count()).toBe(0);
});

test('Enter in the palette takes the first result of what was typed last', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, 'A session to be found', 'Scripted');
  await page.keyboard.press('Control+KeyK');
  await page.getByRole('searchbox').waitFor();
  // Typed and sent within one frame.
  await page.evaluate(
    "const field = document.querySelector('.search-field'); field.value = 'devices'; " +
      "field.dispatchEvent(new Event('input', { bubbles: true })); " +
      "field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))",
  );
  await expect.poll(() => page.url()).toContain('#/settings');
});

test('a palette that is opened again right after it was closed stays open', async () => {
  const { page } = await browsing.open(real.at());
  const palette = page.getByRole('dialog', { name: 'Palette' });
  await page.keyboard.press('Control+KeyK');
  await palette.waitFor();
  // The browser tells the page that the dialog is closed a moment after it is.
  await page.evaluate(
    "new MutationObserver((_, observer) => { observer.disconnect(); dispatchEvent(new KeyboardEvent('keydown', " +
      "{ key: 'k', ctrlKey: true })) }).observe(document.querySelector('.palette'), { attributeFilter: ['open'] })",
  );
  const closed = "new Promise((done) => document.querySelector('.palette').addEventListener('close', done))";
  const told = page.evaluate(`${closed}.then(() => new Promise((done) => setTimeout(done, 200)))`);
  await page.keyboard.press('Control+KeyK');
  await told;
  expect(await palette.isVisible()).toBe(true);
});
