// Work on a phone alone, with nothing done at a desk before: a session is begun, approvals and questions are
// answered, and what runs is looked at and ended. Real host, real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';
import { chooseFolder, field, openFromMenu } from './console/rig.ts';

const browsing = useBrowser();
const real = useRealHost(undefined, { shared: true });
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

const tool = (name: string, input: object) => `tool ${name} ${JSON.stringify(input)}`;

/** Chooses one option in the sheet that holds all pickers, and looks at what it shows. */
async function choose(page: Page, picker: string, option: string): Promise<void> {
  await page.getByRole('button', { name: /^Options: / }).tap();
  const sheet = page.locator('.menu:popover-open');
  await expectAccessible(page);
  await sheet.getByRole('button', { name: picker }).tap();
  const chosen = sheet
    .getByRole('menuitemradio', { name: option })
    .or(sheet.getByRole('option', { name: option }));
  await chosen.first().waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await chosen.first().tap();
}

async function begin(page: Page, text: string): Promise<void> {
  await choose(page, 'Model', 'Scripted');
  await chooseFolder(page, real.home.workspace);
  await field(page).fill(text);
  await page.getByRole('button', { name: 'Start session' }).tap();
  await page
    .locator('.msg-user', { hasText: text.slice(0, 20) })
    .first()
    .waitFor();
}

test.each(['light', 'dark'] as const)('a session is begun, a command allowed, %s', async (colorScheme) => {
  const { page, complaints } = await browsing.open(real.at('#/new'), { ...phone, colorScheme });
  await begin(page, tool('shell_command', { command: `echo ${colorScheme} > said.txt` }));
  const allow = page.getByRole('button', { name: 'Allow once' });
  await allow.waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await allow.tap();
  await expect.poll(() => real.written('said.txt')).toBe(colorScheme);
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  // The next message may go to another level of permissions, and it still fits.
  await choose(page, 'Permissions', 'Plan');
  await page.getByRole('button', { name: /^Options: .*Plan/ }).waitFor();
  await expectNoOverflow(page);
  expect(complaints).toEqual([]);
});

test('a question is answered', async () => {
  const { page, complaints } = await browsing.open(real.at('#/new'), { ...phone, colorScheme: 'dark' });
  await begin(page, tool('ask_user', { question: 'Which database?', options: ['PostgreSQL', 'SQLite'] }));
  await page.getByRole('radio', { name: 'SQLite' }).check();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.getByRole('button', { name: 'Answer', exact: true }).tap();
  await page.locator('.call > summary', { hasText: 'SQLite' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a sub-agent is looked at and stopped', async () => {
  const { page, complaints } = await browsing.open(real.at('#/new'), { ...phone, colorScheme: 'light' });
  const task = 'say I look around.\nhang';
  await begin(page, tool('spawn_agent', { agent: 'general', task, activity: 'looking around' }));
  const panel = page.getByRole('complementary', { name: 'Sub-agents, jobs and terminals' });
  const row = panel.getByRole('region', { name: 'Sub-agents' }).getByRole('listitem');
  await openFromMenu(page, 'Sub-agents, jobs and terminals');
  await row.getByRole('button', { name: /^Open .* beside$/ }).tap();
  const beside = page.locator('.side-panel.has-chat');
  const said = beside.locator('.prose', { hasText: 'I look around.' });
  await said.waitFor();
  // Below the title, and not further in.
  const [title, text] = await Promise.all(
    [beside.getByRole('heading').first(), said].map((each) => each.boundingBox()),
  );
  expect(text?.x).toBe(title?.x);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await beside.getByRole('button', { name: 'Stop', exact: true }).tap();
  await beside.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('a terminal is opened, typed into and ended', async () => {
  const { page, complaints } = await browsing.open(real.at('#/new'), { ...phone, colorScheme: 'dark' });
  await begin(page, 'say hello');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await openFromMenu(page, 'Sub-agents, jobs and terminals');
  const panel = page.getByRole('complementary', { name: 'Sub-agents, jobs and terminals' });
  await panel.getByRole('button', { name: 'New terminal' }).tap();
  await panel.locator('.xterm-helper-textarea').focus();
  await page.keyboard.type('echo typed-$((40+2)) > typed.txt; cat typed.txt\n');
  await expect.poll(() => real.written('typed.txt')).toBe('typed-42');
  await expectAccessible(page);
  await expectNoOverflow(page);
  await panel.getByRole('button', { name: /^Kill / }).tap();
  await panel.getByText('Nothing runs in this session').waitFor();
  expect(complaints).toEqual([]);
});

test('what is typed before a new terminal is known is not lost', async () => {
  const { page } = await browsing.open(real.at('#/new'), { ...phone, colorScheme: 'dark' });
  const held: (string | Buffer)[] = [];
  let send: ((message: string | Buffer) => void) | undefined;
  let isHeld = true;
  await page.routeWebSocket(/./, (socket) => {
    send = (message) => socket.send(message);
    socket.connectToServer().onMessage((message) => {
      // The state of the terminal, and everything after it.
      const isTerminal = /"lifecycle":\{"status":"running"/.test(String(message));
      if (isHeld && (held.length > 0 || isTerminal)) held.push(message);
      else socket.send(message);
    });
  });
  await page.reload();
  await begin(page, 'say hello');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await openFromMenu(page, 'Sub-agents, jobs and terminals');
  const panel = page.getByRole('complementary', { name: 'Sub-agents, jobs and terminals' });
  await panel.getByRole('button', { name: 'New terminal' }).tap();
  await panel.locator('.xterm-helper-textarea').focus();
  await expect.poll(() => held.length).toBeGreaterThan(0);
  await page.keyboard.type('echo early > early.txt\n');
  isHeld = false;
  held.forEach((message) => send?.(message));
  await expect.poll(() => real.written('early.txt')).toBe('early');
});

test('the list of shortcuts opens at its beginning', async () => {
  const { page } = await browsing.open(real.at('#/new'), {
    ...phone,
    viewport: { width: 360, height: 400 },
  });
  await page.getByRole('button', { name: 'Start session' }).waitFor();
  await page.locator('body').press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByRole('heading').and(page.locator(':focus')).waitFor();
  const [beyond, scrolled] = (await page.evaluate(`(({ scrollHeight, clientHeight, scrollTop }) => [
    scrollHeight - clientHeight, scrollTop,
  ])(document.querySelector('.keys-dialog'))`)) as readonly number[];
  expect(beyond).toBeGreaterThan(0);
  expect(scrolled).toBe(0);
});

test('what is chosen for a device is read whole', async () => {
  const { page, complaints } = await browsing.open(real.at(), phone);
  const { out } = await real.home.run('devices', 'add', '--role', 'control').done;
  const link = /http\S+/.exec(out)?.[0] ?? '';
  await browsing.open(link, phone);
  await page.goto(`${real.address}#/settings/devices`);
  const chosen = page.locator('.item-row select');
  await expect.poll(() => chosen.count()).toBeGreaterThan(1);
  // As wide as a list of the chosen entry alone would like to be.
  const cut = await page.evaluate(`[...document.querySelectorAll('.item-row select')].filter((each) => {
    const alone = each.cloneNode(false);
    alone.append(each.selectedOptions[0].cloneNode(true));
    alone.style.cssText = 'position: absolute; width: auto';
    each.after(alone);
    const wanted = alone.offsetWidth;
    alone.remove();
    return wanted > each.offsetWidth;
  }).map((each) => each.value)`);
  expect(cut).toEqual([]);
  await expectAccessible(page);
  await expectNoOverflow(page);
  expect(complaints).toEqual([]);
});
