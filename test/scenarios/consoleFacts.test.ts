// What the console says around a decision: how a call would run, which branch a folder has, and what was
// answered. On the desk and on a phone, on the real host in a real browser.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';

const browsing = useBrowser();
const real = useRealHost(
  ({ dir, workspace }) => {
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'fix/cart-total'], { cwd: workspace });
    mkdirSync(join(workspace, 'docs'));
    const settings = {
      permissions: { mode: 'auto' },
      approvals: { ask: ['$ git tag *'] },
      sandbox: { network: 'off' },
    };
    mkdirSync(join(dir, 'home'), { recursive: true });
    writeFileSync(join(dir, 'home', 'config.jsonc'), JSON.stringify(settings));
  },
  { shared: true },
);

const looks = [
  ['the desk, light', { width: 1280, height: 800 }, 'light'],
  ['a phone, dark', { width: 360, height: 740 }, 'dark'],
] as const;

const command = (input: object) => `tool shell_command ${JSON.stringify(input)}`;
const facts = (page: Page) => page.getByRole('list', { name: 'How it would run' }).getByRole('listitem');

test.each(looks)('an approval says how the command would run, on %s', async (_, size, colorScheme) => {
  const { page, complaints } = await browsing.open(real.at(), { colorScheme });
  await real.begin(page, command({ command: 'git tag v1', working_directory: 'docs' }), 'Scripted');
  await page.setViewportSize(size);
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await expect
    .poll(() => facts(page).allTextContents())
    .toEqual(['Runs in ~/workspace/docs', 'Sandboxed', 'No network', 'May write in ~/workspace']);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.setViewportSize(looks[0][1]);
  await real.begin(page, command({ command: 'date', outside_sandbox: 'the clock is there' }), 'Scripted');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await expect
    .poll(() => facts(page).allTextContents())
    .toEqual(['Session in ~/workspace', 'Outside the sandbox', 'Network on', 'May write all your files']);
  await expectNoOverflow(page);
  await page.getByRole('button', { name: 'Deny' }).click();
  expect(complaints).toEqual([]);
});

test.each(looks)(
  'a recent folder is shown with its branch and below ~, on %s',
  async (_, size, colorScheme) => {
    const { page, complaints } = await browsing.open(real.at(), { colorScheme });
    await real.begin(page, 'say begun', 'Scripted');
    await page.setViewportSize(size);
    await page.goto(`${real.address}#/new`);
    const card = page.getByRole('region', { name: 'Recent folders' }).getByRole('button');
    await expect
      .poll(() => card.locator('> *').allTextContents())
      .toEqual(['workspace', '~/workspace', 'Branch: fix/cart-total']);
    await card.getByText('~/workspace').waitFor();
    await expectAccessible(page);
    await expectNoOverflow(page);
    expect(complaints).toEqual([]);
  },
);

test.each(looks)('the inbox lists what was answered, on %s', async (_, size, colorScheme) => {
  const { page, complaints } = await browsing.open(real.at(), { colorScheme });
  const name = `v${size.width}`;
  await real.begin(page, command({ command: `git tag ${name}` }), 'Scripted');
  await page.setViewportSize(size);
  await page.getByLabel('Tell the agent what to do instead').fill('ask the team first');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('“ask the team first”').first().waitFor({ state: 'attached' });
  await page.goto(`${real.address}#/inbox`);
  await page.getByRole('navigation', { name: 'Show' }).getByRole('link', { name: 'Answered' }).click();
  const row = page.getByRole('list', { name: 'Answered' }).getByRole('link').filter({ hasText: name });
  await row.getByText(/Denied by .*: “ask the team first”/).waitFor();
  await row.getByRole('img', { name: 'Denied' }).waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.reload();
  await row.click();
  await page.getByText(`git tag ${name}`).first().waitFor();
  expect(complaints).toEqual([]);
});
