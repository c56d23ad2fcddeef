// Every page of the console on the real host, in the light and in the dark, wide and on a phone: axe finds
// nothing, and nothing sticks out.
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';
import { openFromMenu } from './console/rig.ts';

const browsing = useBrowser();
const real = useRealHost();

const settingsSections = [
  'page',
  'models',
  'tools',
  'agents',
  'permissions',
  'devices',
  'usage',
  'file',
] as const;

type Section = (typeof settingsSections)[number];

/** What tells that a section has what it shows. */
const ready: Readonly<Record<Section, string>> = {
  page: 'Appearance',
  models: 'Anthropic',
  tools: 'Add a server',
  agents: 'External agents',
  permissions: 'Nothing is remembered',
  devices: 'Add a device',
  usage: 'Nothing was used',
  file: 'Effective settings',
};

const phone = { width: 360, height: 640 };
const desk = { width: 1200, height: 800 };

const looks = [
  [desk, 'light'],
  [desk, 'dark'],
  [phone, 'light'],
  [phone, 'dark'],
] as const;

/** What tells of keys is of no use on a phone, apart from the list of all of them. */
const keysOnPhone =
  "innerWidth < 720 ? [...document.querySelectorAll('kbd')].filter((key) => key.checkVisibility()).length : 0";

/** Looks at what is on the screen in both colours and both sizes. */
async function look(page: Page): Promise<void> {
  for (const [viewport, colorScheme] of looks) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectAccessible(page);
    expect(
      await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      `${page.url()} at ${viewport.width}`,
    ).toBe(0);
    expect(await page.evaluate(keysOnPhone), page.url()).toBe(0);
  }
  await page.setViewportSize(desk);
}

test('pages about the host', async () => {
  const { page, complaints } = await browsing.open(real.at());
  for (const section of settingsSections) {
    await page.goto(`${real.address}#/settings/${section}`);
    await page.getByRole('main').getByText(ready[section]).first().waitFor();
    await look(page);
  }
  await page.goto(`${real.address}#/new`);
  await page.getByRole('button', { name: /^Folder: / }).click();
  await page.getByRole('button', { name: 'Browse' }).click();
  await page.getByRole('list', { name: 'Folders' }).waitFor();
  await look(page);
  await page.goto(`${real.address}#/inbox`);
  await page.getByText("You're all caught up.").waitFor();
  await look(page);
  await page.goto(real.address);
  await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  await look(page);
  expect(complaints).toEqual([]);
});

test('an answer names its rule before it is given, and the page of permissions takes it back', async () => {
  const folder = join(real.home.workspace, 'list');
  mkdirSync(folder);
  writeFileSync(join(folder, 'notes.txt'), 'tea and milk\n');
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'replace milk with bread in list/notes.txt');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  const scope = (name: string) => page.getByRole('radio', { name });
  await scope('Everywhere').check();
  await page.getByText('Saves a rule for every folder on this computer.').waitFor();
  await scope('This folder').check();
  const rule = 'edits of list/ and below';
  await page.getByText(`Not asked again there: ${rule}. Revoke it any time under Permissions.`).waitFor();
  await look(page);
  await page.getByRole('button', { name: 'Allow in this folder' }).click();
  await page.locator('.prose', { hasText: 'notes.txt is changed' }).waitFor();
  await page.goto(`${real.address}#/settings/permissions`);
  const row = page.getByRole('listitem', { name: rule });
  await row.getByText(`Allows ${rule}`).waitFor();
  await row.getByText(`In ${realpathSync(real.home.workspace)}`).waitFor();
  await row.getByText(/by Chrome on Linux on /).waitFor();
  await look(page);
  await row.getByRole('button', { name: `Revoke ${rule}` }).click();
  await page.getByText('Nothing is remembered').waitFor();
  expect(complaints).toEqual([]);
});

test('a session at work, its panels, and the search', async () => {
  writeFileSync(join(real.home.workspace, 'notes.txt'), 'tea and milk\n');
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'replace milk with bread in notes.txt');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.getByRole('radio', { name: 'Everywhere' }).check();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  // A rule would be about the call as the agent asked for it.
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await expect.poll(() => page.getByRole('radio', { name: 'Everywhere' }).count()).toBe(0);
  await look(page);
  await page.goto(`${real.address}#/inbox`);
  await page.getByRole('article').waitFor();
  await look(page);
  await page.goBack();
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.locator('.prose', { hasText: 'notes.txt is changed' }).waitFor();
  await page.getByRole('button', { name: 'Changes' }).click();
  await page.getByRole('region', { name: 'notes.txt' }).waitFor();
  await look(page);
  await page.keyboard.press('Alt+KeyC');
  for (const panel of [
    'Sub-agents, jobs and terminals',
    'Context and cost',
    'Connected clients',
    'Session settings',
  ]) {
    await openFromMenu(page, panel);
    await look(page);
  }
  await page.getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('Control+KeyK');
  await page.getByRole('searchbox', { name: 'Search sessions' }).fill('bread');
  await page.locator('.hits mark').first().waitFor();
  await look(page);
  expect(complaints).toEqual([]);
});
