// Several sessions of the list are selected and changed together, by pointer, keyboard and finger; the header
// names the git branch. A scripted host and a real browser.
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { addSession, hostWith, pageOf, session } from './console/rig.ts';
import { serve } from './console/served.ts';
import type { ScriptedHost } from './console/scriptedHost.ts';
import { eventually } from '../kit/patience.ts';

const browsing = useBrowser();
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const uri = (name: string) => `ahp-session:/${name}`;

/** Four more sessions; those that are deleted are recorded. */
function hostWithMany(deleted: string[] = []): ScriptedHost {
  const host = hostWith();
  for (const name of ['two', 'three', 'four', 'five'])
    addSession(host, uri(name), { title: `Session ${name}` });
  host.answers.set('x-parley/me', () => ({ role: 'control' }));
  host.answers.set('x-parley/console/folders', ({ at }) => ({
    folder: at,
    parent: '/',
    folders: [],
    branch: 'feature/a-long-name-of-a-branch-that-is-cut',
  }));
  host.answers.set('x-parley/sessions/delete', ({ id }) => {
    deleted.push(String(id));
    host.summaries.delete(uri(String(id)));
    host.tell('root/sessionRemoved', { session: uri(String(id)) });
    return null;
  });
  return host;
}

const archivedIn = (host: ScriptedHost, isArchived: boolean) =>
  host.dispatched.flatMap(({ channel, action }) =>
    action.type === 'session/isArchivedChanged' && action.isArchived === isArchived ? [channel] : [],
  );

test('sessions are selected with the pointer and archived together, with one way back', async () => {
  const host = hostWithMany();
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address));
  const list = page.getByRole('navigation', { name: 'Sessions' });
  const bar = page.getByRole('toolbar', { name: 'Selected sessions' });
  await list.getByRole('link', { name: 'Session two' }).click({ modifiers: ['Control'] });
  await list.getByRole('link', { name: 'Session four' }).click();
  await bar.getByText('2 selected').waitFor();
  // The page stays where it was: a click selects now.
  expect(page.url()).toContain(encodeURIComponent(session));
  await expectAccessible(page);
  await page.screenshot({ path: 'artifacts/console/selected-sessions.png' });
  await bar.getByRole('button', { name: 'Archive' }).click();
  await eventually(() => archivedIn(host, true).length === 2, 'both are archived');
  expect(archivedIn(host, true).toSorted()).toEqual([uri('four'), uri('two')]);
  await page.getByText('2 sessions archived').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await eventually(() => archivedIn(host, false).length === 2, 'both are back');
  await bar.waitFor({ state: 'detached' });
  await page.getByText('Branch', { exact: true }).waitFor({ state: 'attached' });
  expect(await page.locator('.branch-name').innerText()).toContain('feature/a-long-name');
  expect(complaints).toEqual([]);
});

test('the keyboard selects a range, pins it, and ends a selection', async () => {
  const { address } = await serve(hostWithMany());
  const { page, complaints } = await browsing.open(pageOf(address));
  const rows = page.locator('.sessions .session');
  const bar = page.getByRole('toolbar', { name: 'Selected sessions' });
  await rows.nth(1).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await bar.getByText('3 selected').waitFor();
  await page.keyboard.press('Escape');
  await bar.waitFor({ state: 'detached' });
  const names = await rows.locator('.name').allInnerTexts();
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowUp');
  await bar.getByRole('button', { name: 'Pin' }).focus();
  await page.keyboard.press('Enter');
  const pinned = page.getByRole('region', { name: 'Pinned' }).locator('.name');
  await expect.poll(() => pinned.allInnerTexts()).toEqual(names.slice(2, 4));
  expect(complaints).toEqual([]);
});

test('on a phone several sessions are deleted after a second word', async () => {
  const deleted: string[] = [];
  const { address } = await serve(hostWithMany(deleted));
  const { page, complaints } = await browsing.open(pageOf(address), { ...phone, colorScheme: 'dark' });
  await expectNoOverflow(page);
  await page.screenshot({ path: 'artifacts/console/branch-phone.png' });
  await page
    .getByRole('button', { name: /sidebar|sessions|menu/i })
    .first()
    .click();
  await page.getByRole('button', { name: 'Select sessions' }).click();
  await page.getByRole('checkbox', { name: 'Select Session two' }).check();
  await page.getByRole('link', { name: 'Session three' }).click();
  await expectNoOverflow(page);
  await expectAccessible(page);
  await page.screenshot({ path: 'artifacts/console/selected-sessions-phone.png' });
  const bar = page.getByRole('toolbar', { name: 'Selected sessions' });
  await bar.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 sessions?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect(deleted).toEqual([]);
  await bar.getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await bar.waitFor({ state: 'detached' });
  expect(deleted.toSorted()).toEqual(['three', 'two']);
  expect(complaints).toEqual([]);
});
