// What runs in a session, in one panel of the console: background jobs, sub-agents and terminals, each with
// its output and a way to end it. Real host, real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';
import { openFromMenu } from './console/rig.ts';

const browsing = useBrowser();
const real = useRealHost(undefined, { shared: true });
const phone = { width: 360, height: 740 } as const;

const job = (command: string, label: string, more: { readonly interactive?: boolean } = {}) =>
  `tool shell_command ${JSON.stringify({ command, background: label, ...more })}`;

function runningPanel(page: Page) {
  return page.getByRole('complementary', { name: 'Sub-agents, jobs and terminals' });
}

test('a background job is counted, shows its output as it comes, and is killed', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, job('echo ready; sleep 1; echo later; sleep 600', 'dev server'), 'Scripted');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.getByRole('button', { name: 'Jobs 1' }).waitFor();
  await page.keyboard.press('Control+Backquote');
  const row = runningPanel(page).getByRole('listitem', { name: 'dev server' });
  await row.locator('.term', { hasText: 'later' }).waitFor();
  await row.getByText('echo ready; sleep 1').waitFor();
  await expectAccessible(page);
  await row.getByRole('button', { name: 'Kill dev server' }).click();
  await row.getByText(/^Killed · /).waitFor();
  await page.getByRole('button', { name: 'Jobs', exact: true }).waitFor();
  await expect.poll(() => row.getByRole('button', { name: /^Kill/ }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('on a phone an interactive job takes lines until its input is ended, and the log says who wrote', async () => {
  const { page, complaints } = await browsing.open(real.at(), { colorScheme: 'dark' });
  const command = 'printf "Name? "; read name; echo "Hello, $name."; sort; echo over; sleep 600';
  await real.begin(page, job(command, 'questions', { interactive: true }), 'Scripted');
  await page.setViewportSize(phone);
  await page.getByRole('button', { name: 'Allow once' }).click();
  await openFromMenu(page, 'Sub-agents, jobs and terminals');
  const row = runningPanel(page).getByRole('listitem', { name: 'questions' });
  await row.locator('.term', { hasText: 'Name?' }).waitFor();
  const input = row.getByRole('textbox', { name: 'Input for questions' });
  await input.fill('Ada of secrets');
  await input.press('Enter');
  await row.locator('.term', { hasText: 'Hello, Ada of secrets.' }).waitFor();
  await row.getByText(/Parley console wrote 15 characters/).waitFor();
  expect(await input.inputValue()).toBe('');
  await expectAccessible(page);
  await expectNoOverflow(page);
  await row.getByRole('button', { name: 'End input of questions' }).click();
  await row.locator('.term', { hasText: 'over' }).waitFor();
  await input.waitFor({ state: 'detached' });
  const id = decodeURIComponent(page.url()).split('/').at(-1) ?? '';
  const log = (await real.home.run('sessions', 'export', id).done).out;
  const facts = log.split('\n').filter((line) => line.includes('"job.written"'));
  expect(facts).toHaveLength(2);
  expect(facts[0]).toContain('"name":"Parley console"');
  expect(facts.join('')).not.toContain('secrets');
  await row.getByRole('button', { name: 'Kill questions' }).click();
  await row.getByText(/^Killed · /).waitFor();
  expect(complaints).toEqual([]);
});

test('a line that an interactive job does not take comes back to its input', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await page.routeWebSocket(/./, (socket) => {
    const host = socket.connectToServer();
    socket.onMessage((text) => {
      const { id, method } = JSON.parse(String(text)) as { readonly id?: number; readonly method?: string };
      if (method?.endsWith('jobs/write') === true)
        socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: false }));
      else host.send(text);
    });
  });
  await page.reload();
  await real.begin(page, job('cat', 'copy', { interactive: true }), 'Scripted');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.getByRole('button', { name: 'Jobs 1' }).click();
  const row = runningPanel(page).getByRole('listitem', { name: 'copy' });
  const input = row.getByRole('textbox', { name: 'Input for copy' });
  await input.fill('anybody there?');
  await input.press('Enter');
  await page.getByText('The program does not read its input.').waitFor();
  await expect.poll(() => input.inputValue()).toBe('anybody there?');
  await row.getByRole('button', { name: 'Kill copy' }).click();
  await row.getByText(/^Killed · /).waitFor();
  expect(complaints).toEqual([]);
});

test('on a phone a failed job tells its exit code', async () => {
  const { page, complaints } = await browsing.open(real.at(), { colorScheme: 'dark' });
  await real.begin(page, job('echo broken; exit 3', 'checks'), 'Scripted');
  await page.setViewportSize(phone);
  await page.getByRole('button', { name: 'Allow once' }).click();
  await openFromMenu(page, 'Sub-agents, jobs and terminals');
  const row = runningPanel(page).getByRole('listitem', { name: 'checks' });
  await row.getByText('Exit 3').waitFor();
  // It is unfolded if it still ran when the panel was opened; its output comes a moment later.
  if ((await row.locator('details[open]').count()) === 0) await row.locator('summary').click();
  await row.locator('.term', { hasText: 'broken' }).waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  expect(complaints).toEqual([]);
});

test('on a phone a sub-agent at work gets a message before its next step', async () => {
  const { page, complaints } = await browsing.open(real.at(), { colorScheme: 'dark' });
  const task = `say I look around.\ntool shell_command ${JSON.stringify({ command: 'echo seen' })}\nhang`;
  const helper = { agent: 'general', task, activity: 'looking' };
  await real.begin(page, `tool spawn_agent ${JSON.stringify(helper)}`, 'Scripted');
  await page.setViewportSize(phone);
  await openFromMenu(page, 'Sub-agents, jobs and terminals');
  const panel = runningPanel(page).getByRole('region', { name: 'Sub-agents' });
  await panel.getByRole('button', { name: /^Open .* beside$/ }).click();
  const beside = page.locator('.side-panel.has-chat');
  const input = beside.getByRole('textbox', { name: 'Message to the sub-agent' });
  await input.fill('Be quick');
  await input.press('Enter');
  await beside.getByText('Waits for the next step: Be quick').waitFor();
  expect(await input.inputValue()).toBe('');
  await expectAccessible(page);
  await expectNoOverflow(page);
  await beside.getByRole('button', { name: 'Allow once' }).click();
  await beside.locator('.prose', { hasText: 'Steered: Be quick' }).waitFor();
  await beside.getByText('Waits for the next step').waitFor({ state: 'detached' });
  await beside.getByRole('button', { name: 'Stop', exact: true }).click();
  await input.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('a sub-agent is listed, opens beside its parent, and is stopped alone', async () => {
  const { page, complaints } = await browsing.open(real.at());
  const task = 'say I look around.\nhang';
  await real.begin(
    page,
    `tool spawn_agent ${JSON.stringify({ agent: 'general', task, activity: 'looking around' })}`,
    'Scripted',
  );
  const allow = page.getByRole('button', { name: 'Allow once' });
  const count = page.getByRole('button', { name: 'Jobs 1' });
  await allow.or(count).first().waitFor();
  if ((await allow.count()) > 0) await allow.click();
  await count.click();
  const row = runningPanel(page).getByRole('region', { name: 'Sub-agents' }).getByRole('listitem');
  await row.getByRole('button', { name: /^Stop / }).waitFor();
  await row.getByRole('button', { name: /^Open .* beside$/ }).click();
  const beside = page.locator('.side-panel.has-chat');
  await beside.locator('.prose', { hasText: 'I look around.' }).waitFor();
  await expect
    .poll(() => page.getByRole('region', { name: 'Transcript', exact: true }).isVisible())
    .toBe(true);
  await expectAccessible(page);
  await beside.getByRole('button', { name: 'Stop', exact: true }).click();
  await beside.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('a sub-agent unfolds to what it says and an input, and says how it ended', async () => {
  const { page, complaints } = await browsing.open(real.at());
  const helper = { agent: 'general', task: 'say I look around.\nhang', activity: 'looking around' };
  await real.begin(page, `tool spawn_agent ${JSON.stringify(helper)}`, 'Scripted');
  await page.setViewportSize(phone);
  await openFromMenu(page, 'Sub-agents, jobs and terminals');
  const row = runningPanel(page).getByRole('region', { name: 'Sub-agents' }).getByRole('listitem').first();
  await row.locator('summary').first().click();
  await row.locator('.prose', { hasText: 'I look around.' }).waitFor();
  await row.getByRole('textbox', { name: 'Message to the sub-agent' }).waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await row.getByRole('button', { name: /^Stop / }).click();
  await row.locator('summary .end', { hasText: /^Stopped · / }).waitFor();
  await row.getByRole('textbox').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('a program of a new terminal knows its size from the beginning', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'hello');
  await page.keyboard.press('Control+Backquote');
  await runningPanel(page).getByRole('button', { name: 'New terminal' }).click();
  const keys = runningPanel(page).locator('.xterm-helper-textarea');
  await runningPanel(page).locator('.xterm-rows', { hasText: /\S/ }).waitFor();
  await keys.focus();
  await page.keyboard.type('echo "size $(stty size)"\r');
  // The host's own idea is 24 rows; a terminal of the console has 16.
  await runningPanel(page)
    .locator('.xterm-rows', { hasText: /size 16 \d+/ })
    .waitFor();
  expect(complaints).toEqual([]);
});
