// The console on the real host with the models that need no key: first run, approval, difference, inbox, and
// a host that is killed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { say, useRealHost } from './console/realHost.ts';
import { field } from './console/rig.ts';

const browsing = useBrowser();
const real = useRealHost();

test('first run with the demo model: looks, asks, writes, changes', async () => {
  writeFileSync(join(real.home.workspace, 'README.md'), '# A small project\n');
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'what is in this folder');
  await page.locator('.prose', { hasText: 'README.md' }).first().waitFor();

  await say(page, 'create notes.txt with Remember the milk');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.locator('tr.add', { hasText: 'Remember the milk' }).waitFor();
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.prose', { hasText: 'notes.txt is written' }).waitFor();
  expect(real.written('notes.txt')).toBe('Remember the milk');

  await say(page, 'replace milk with bread in notes.txt');
  await page.locator('tr.del', { hasText: 'Remember the milk' }).first().waitFor();
  await page.locator('tr.add', { hasText: 'Remember the bread' }).first().waitFor();
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.prose', { hasText: 'notes.txt is changed' }).waitFor();

  await page.getByRole('button', { name: 'Changes' }).click();
  await page.getByRole('region', { name: 'notes.txt' }).getByText('bread').waitFor();
  await page.keyboard.press('Alt+KeyC');
  await page.getByRole('navigation', { name: 'Sessions' }).getByRole('link').first().waitFor();
  expect(complaints).toEqual([]);
});

test('a denial with a reason leaves everything as it was', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, 'create notes.txt with Remember the milk');
  await page.getByLabel('Tell the agent what to do instead').fill('not now');
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByText('“not now”').waitFor();
  await page.locator('.prose', { hasText: 'You said no' }).waitFor();
  expect(real.written('notes.txt')).toBeUndefined();
});

test('a command that is allowed is watched in a live terminal', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'run echo it-is-$((40+2)); until [ -e seen ]; do sleep 0.1; done; echo done');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.xterm-rows', { hasText: 'it-is-42' }).first().waitFor();
  writeFileSync(join(real.home.workspace, 'seen'), '');
  await page
    .locator('.prose', { hasText: 'it-is-42' })
    .or(page.getByText('Done', { exact: true }))
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
});

test('a terminal is opened beside the conversation, takes what is typed, and is ended', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'what is in this folder');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Jobs' }).click();
  const panel = page.getByRole('complementary', { name: 'Sub-agents, jobs and terminals' });
  await panel.getByRole('button', { name: 'New terminal' }).click();
  await panel.locator('.xterm-helper-textarea').focus();
  await page.keyboard.type('echo typed-$((40+2)) > typed.txt; cat typed.txt\n');
  await panel.locator('.xterm-rows', { hasText: 'typed-42' }).waitFor();
  await expect.poll(() => real.written('typed.txt')).toBe('typed-42');
  await expectAccessible(page);
  await panel.getByRole('button', { name: /^Kill / }).click();
  await panel.getByText('Nothing runs in this session').waitFor();
  expect(complaints).toEqual([]);
});

test('three sessions wait and are answered from the inbox, seen by a second page', async () => {
  const { page, complaints } = await browsing.open(real.at());
  for (const name of ['one', 'two', 'three']) {
    await real.begin(page, `create ${name}.txt with ${name}`);
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
  }
  const { page: other } = await browsing.open(real.at('#/inbox'));
  await other.getByRole('article').nth(2).waitFor();
  await page.getByRole('link', { name: 'Inbox, 3 sessions need you' }).click();
  for (let left = 3; left > 0; left -= 1) {
    await page
      .getByRole('article')
      .nth(left - 1)
      .waitFor();
    await page.getByRole('article').first().getByRole('button', { name: 'Allow once' }).click();
    await page
      .getByRole('article')
      .nth(left - 1)
      .waitFor({ state: 'detached' });
  }
  await page.getByText("You're all caught up.").waitFor();
  await other.getByText("You're all caught up.").waitFor();
  await expect
    .poll(() => ['one', 'two', 'three'].map((name) => real.written(`${name}.txt`)))
    .toEqual(['one', 'two', 'three']);
  expect(complaints).toEqual([]);
});

test('the host is killed in the middle of a turn, comes back, and the page goes on', async () => {
  const { page } = await browsing.open(real.at());
  const allow = page.getByRole('button', { name: 'Allow once' });
  const interrupted = page.getByText('Interrupted: Parley was restarted. Nothing was lost.').first();
  await real.begin(page, 'create notes.txt with Remember the milk');
  await allow.waitFor();
  await killAndServe(page);
  // The approval is still open: its answer is used, and the turn goes on.
  await allow.click();
  await page.locator('.prose', { hasText: 'notes.txt is written' }).waitFor();
  expect(real.written('notes.txt')).toBe('Remember the milk');
  expect(await interrupted.count()).toBe(0);

  // A command that runs ends with its host; its turn is interrupted and can be tried again.
  await say(page, 'run echo ran >> runs.txt; sleep 30');
  await allow.click();
  await expect.poll(() => real.written('runs.txt')).toBe('ran');
  await killAndServe(page);
  await interrupted.waitFor();
  await page.getByText('Retry', { exact: true }).click();
  await allow.click();
  await expect.poll(() => real.written('runs.txt')).toBe('ran\nran');
});

/** The page notices that its host is gone, and keeps what is typed until the host is back. */
async function killAndServe(page: Page): Promise<void> {
  await real.host.kill('SIGKILL');
  await page.getByText('Reconnecting…').waitFor();
  await field(page).fill('half a thought');
  real.host = await real.home.serve('--port', String(real.host.port));
  await page.getByText('Reconnecting…').waitFor({ state: 'detached' });
  await expect.poll(() => field(page).inputValue()).toBe('half a thought');
}

test('the printed link signs a browser in once and for good, and the page keeps to itself', async () => {
  await real.host.kill('SIGTERM');
  const again = real.home.run('serve', '--port', String(real.host.port));
  const link = await new Promise<string>((resolve) => {
    let said = '';
    again.child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /http:\/\/\S+\/sign-in\?code=\S+/.exec(said);
      if (found) resolve(found[0]);
    });
  });
  const { page, complaints } = await browsing.open(link);
  await page.getByText('No sessions yet.').waitFor();
  expect(page.url()).toBe(real.address);
  await page.reload();
  await page.getByText('No sessions yet.').waitFor();
  const { page: stranger } = await browsing.open(real.address);
  await stranger.getByRole('heading', { name: 'Sign in' }).waitFor();
  await stranger.getByLabel('Sign-in link or token').fill(link);
  await stranger.getByRole('button', { name: 'Sign in' }).click();
  await stranger.getByText('This link was already used').waitFor();
  expect(complaints).toEqual([]);
});
