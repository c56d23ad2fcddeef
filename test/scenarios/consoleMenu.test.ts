// Sessions are changed from their context menu, by keys and from the palette; the palette also mentions
// files. The real host, a desk and a phone.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';
import { field } from './console/rig.ts';

const browsing = useBrowser();
const real = useRealHost(
  ({ workspace }) => {
    writeFileSync(join(workspace, 'opening-hours.md'), 'Six to noon\n');
    writeFileSync(join(workspace, 'hours.log'), 'x\n');
    writeFileSync(join(workspace, '.gitignore'), '*.log\n');
    execFileSync('git', ['init', '--quiet'], { cwd: workspace });
  },
  { shared: true },
);

const row = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sessions' }).getByRole('link', { name });
const menu = (page: Page) => page.getByRole('menu', { name: 'Session' });
const choose = (page: Page, item: string) => menu(page).getByRole('menuitem', { name: item }).click();

async function begin(page: Page, text: string): Promise<void> {
  await real.begin(page, text, 'Scripted');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
}

test('the context menu renames, pins, archives with undo, and deletes', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await begin(page, 'First of the menu');
  await begin(page, 'Second of the menu');
  await row(page, 'First of the menu').click({ button: 'right' });
  await expectAccessible(page);
  await choose(page, 'Rename');
  await page.getByRole('textbox', { name: 'Title' }).fill('Opening hours');
  await page.keyboard.press('Enter');
  await row(page, 'Opening hours').waitFor();

  // The menu key opens it as well, and Escape gives the focus back.
  await row(page, 'Opening hours').focus();
  await page.keyboard.press('Shift+F10');
  await menu(page).waitFor();
  await page.keyboard.press('Escape');
  await menu(page).waitFor({ state: 'hidden' });
  await row(page, 'Opening hours').click({ button: 'right' });
  await choose(page, 'Pin');
  await page.getByRole('region', { name: 'Pinned' }).getByRole('link', { name: 'Opening hours' }).waitFor();

  await row(page, 'Second of the menu').click({ button: 'right' });
  await choose(page, 'Archive');
  await row(page, 'Second of the menu').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(page, 'Second of the menu').click({ button: 'right' });
  await choose(page, 'Delete…');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row(page, 'Second of the menu').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('F2 renames and Alt+E archives the session that is open', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await begin(page, 'Third of the menu');
  await page.keyboard.press('F2');
  await page.getByRole('textbox', { name: 'Title' }).fill('By keys');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'By keys' }).waitFor();
  await page.keyboard.press('Alt+KeyE');
  await page.getByText('Session archived').waitFor();
  await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  expect(complaints).toEqual([]);
});

test('the palette does what can be done with the open session, and mentions its files', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await begin(page, 'Fourth of the menu');
  const search = async (text: string) => {
    await page.keyboard.press('Control+KeyK');
    await page.getByRole('searchbox', { name: 'Search sessions' }).fill(text);
  };
  const palette = page.getByRole('dialog', { name: 'Palette' });
  await search('hours');
  const files = palette.getByRole('region', { name: 'Files to mention' }).getByRole('button');
  await files.filter({ hasText: 'opening-hours.md' }).waitFor();
  // What the ignore files name is left out.
  expect(await files.filter({ hasText: 'hours.log' }).count()).toBe(0);
  await expectAccessible(page);
  await files.filter({ hasText: 'opening-hours.md' }).click();
  await expect.poll(() => field(page).inputValue()).toContain('@opening-hours.md');
  await search('rename');
  await palette.getByRole('button', { name: 'Rename session' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
  await page.keyboard.press('Escape');
  await search('changes');
  await palette.getByRole('button', { name: 'Changes' }).click();
  await page.getByRole('heading', { name: 'Changes' }).waitFor();
  expect(complaints).toEqual([]);
});

test('on a phone the menu is a sheet at the bottom', async () => {
  const { page, complaints } = await browsing.open(real.at(), {
    hasTouch: true,
    colorScheme: 'dark',
  });
  await begin(page, 'Fifth of the menu');
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole('button', { name: 'Sessions', exact: true }).click();
  await row(page, 'Fifth of the menu').dispatchEvent('contextmenu');
  await menu(page).waitFor();
  // It slides in.
  const place = async () => {
    const box = await menu(page).boundingBox();
    return { bottom: Math.round((box?.y ?? 0) + (box?.height ?? 0)), width: box?.width };
  };
  await expect.poll(place).toEqual({ bottom: 740, width: 360 });
  await expectAccessible(page);
  await expectNoOverflow(page);
  expect(complaints).toEqual([]);
});
