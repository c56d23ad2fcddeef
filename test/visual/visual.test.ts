// Whole pages of the console, photographed and compared with stored pictures. Time, fonts, motion and data
// are fixed. `npm run pictures` stores new pictures; a commit that does so says why.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listen } from '../scenarios/console/server.ts';
import type { Served } from '../scenarios/console/server.ts';
import { middle, phone, useCamera } from './camera.ts';
import type { Look } from './camera.ts';
import { differs, expectPicture } from './compare.ts';
import { approvalSession, doneSession, questionSession, visualHost } from './visualHost.ts';

vi.setConfig({ testTimeout: 120_000 });

const camera = useCamera();
let served: Served;

beforeAll(async () => {
  served = await listen(visualHost());
}, 120_000);

afterAll(() => served.stop());

async function photograph(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready');
  await expectPicture({ page, name });
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await page.context().close();
}

/** Opens a page and waits for what comes later than the rest: the list has asked for the branch by then. */
async function openPage([, hash, ready, look]: PictureOf): Promise<Page> {
  const page = await camera.open(`${served.address}${hash}`, look);
  const inList = look.viewport === phone || hash.startsWith('#/changes/') ? [] : ['.sessions .branch'];
  for (const each of [...ready, ...inList]) await page.locator(each).first().waitFor({ state: 'attached' });
  return page;
}

const session = (uri: string) => `#/session/${encodeURIComponent(uri)}`;
const review = (uri: string) => `#/changes/${encodeURIComponent(uri)}`;
const folderBranch = '.place [title="Git branch"]';
const sessionBranch = '.head .branch-name';

const reviewParts = ['.filecard .diff, .filecard .side', '.commit', '.hljs-keyword'];

type PictureOf = readonly [name: string, hash: string, ready: readonly string[], look: Look];

const pages: readonly PictureOf[] = [
  ['start-desk-light', '#/', ['.list-row', folderBranch], {}],
  ['start-phone-dark', '#/', ['.list-row', folderBranch], { viewport: phone, colorScheme: 'dark' }],
  ['session-desk-light', session(doneSession), ['.prose', '.call', sessionBranch], {}],
  [
    'session-phone-dark',
    session(doneSession),
    ['.prose', '.call', sessionBranch],
    { viewport: phone, colorScheme: 'dark' },
  ],
  ['approval-desk-dark', session(approvalSession), ['.ask', sessionBranch], { colorScheme: 'dark' }],
  ['approval-phone-light', session(approvalSession), ['.ask', sessionBranch], { viewport: phone }],
  ['question-desk-light', session(questionSession), ['.ask', sessionBranch], {}],
  ['inbox-desk-light', '#/inbox', ['article + article'], {}],
  ['settings-general-dark', '#/settings/page', ['.segment'], { colorScheme: 'dark' }],
  ['settings-models-light', '#/settings/models', ['.tiles'], {}],
  ['settings-mcp-phone-light', '#/settings/tools', ['.item-row'], { viewport: phone }],
  ['settings-usage-dark', '#/settings/usage', ['.usage-table'], { colorScheme: 'dark' }],
  ['start-1024-dark', '#/', ['.list-row', folderBranch], { viewport: middle, colorScheme: 'dark' }],
  ['session-1024-light', session(doneSession), ['.prose', '.call', sessionBranch], { viewport: middle }],
  [
    'approval-1024-dark',
    session(approvalSession),
    ['.ask', sessionBranch],
    { viewport: middle, colorScheme: 'dark' },
  ],
  ['settings-mcp-1024-light', '#/settings/tools', ['.item-row'], { viewport: middle }],
  ['review-desk-light', review(doneSession), reviewParts, {}],
  ['review-1024-dark', review(doneSession), reviewParts, { viewport: middle, colorScheme: 'dark' }],
  ['review-phone-light', review(doneSession), reviewParts, { viewport: phone }],
  ['review-phone-dark', review(doneSession), reviewParts, { viewport: phone, colorScheme: 'dark' }],
  ['inbox-phone-dark', '#/inbox', ['article + article'], { viewport: phone, colorScheme: 'dark' }],
  [
    'question-phone-dark',
    session(questionSession),
    ['.ask', sessionBranch],
    { viewport: phone, colorScheme: 'dark' },
  ],
  ['settings-general-phone-dark', '#/settings/page', ['.segment'], { viewport: phone, colorScheme: 'dark' }],
];

test.each(pages)('the page %s', async (...wanted) => {
  const page = await openPage(wanted);
  // What lies below the fold is rendered once it has come near.
  await page.waitForLoadState('networkidle');
  await photograph(page, wanted[0]);
  expect.hasAssertions();
});

test('the page with selected sessions', async () => {
  const page = await openPage(['selected', '#/inbox', ['article + article'], {}]);
  for (const each of await page.locator('.sessions .session').all()) await each.press(' ');
  await page.getByText('3 selected').waitFor();
  await photograph(page, 'inbox-selection-desk-light');
  expect.hasAssertions();
});

const moved: readonly (readonly [page: string, component: string])[] = [
  ['session-desk-light', '.composer'],
  ['session-desk-light', '.head h1'],
  ['session-desk-light', '.call'],
  ['approval-desk-dark', '.ask-head .status'],
  ['approval-phone-light', '.btn.primary'],
  ['start-desk-light', '.list'],
  ['settings-usage-dark', '.usage-table'],
  ['inbox-desk-light', '.badge.wait'],
];

test.each(moved)('on the page %s a shift of %s by two pixels is found', async (name, component) => {
  const page = await openPage(pages.find(([each]) => each === name) ?? [name, '#/', [], {}]);
  await page.evaluate('document.fonts.ready');
  await page.waitForLoadState('networkidle');
  await page.addStyleTag({ content: `${component} { position: relative; inset-block-start: 2px; }` });
  expect(await differs({ page, name })).toBe(true);
  await page.context().close();
});
