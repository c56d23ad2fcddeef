// The gallery and whole pages of the console, photographed and compared with stored pictures. Time, fonts,
// motion and data are fixed. `npm run pictures` stores new pictures; a commit that does so says why.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listen } from '../scenarios/console/server.ts';
import type { Served } from '../scenarios/console/server.ts';
import { differs, expectPicture } from './compare.ts';
import { approvalSession, doneSession, questionSession, visualHost } from './visualHost.ts';

vi.setConfig({ testTimeout: 120_000 });

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
];
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

let browser: Browser;
let served: Served;
let gallery: Server;
const folder = mkdtempSync(join(tmpdir(), 'parley-gallery-'));

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/buildGallery.mjs', folder]);
  gallery = createServer((request, response) => {
    const path = join(folder, request.url === '/' ? 'index.html' : (request.url ?? ''));
    if (!existsSync(path)) return response.writeHead(404).end();
    return response
      .writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' })
      .end(readFileSync(path));
  });
  await new Promise<void>((resolve) => gallery.listen(0, '127.0.0.1', resolve));
  served = await listen(visualHost());
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
}, 120_000);

afterAll(async () => {
  await browser.close();
  await served.stop();
  gallery.close();
  rmSync(folder, { recursive: true, force: true });
});

const desk = { width: 1200, height: 800 };
const phone = { width: 390, height: 844 };

interface Look {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
}

const fixedStyle = `:root { --font: 'DejaVu Sans', sans-serif; --mono: 'DejaVu Sans Mono', monospace; }
  *, *::before, *::after { animation: none !important; transition: none !important; }`;

/** Half of the pixels keep the stored files small. */
async function open(address: string, { viewport = desk, colorScheme = 'light' }: Look): Promise<Page> {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor: 0.5,
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-US',
    bypassCSP: true,
    serviceWorkers: 'block',
  });
  context.setDefaultTimeout(45_000);
  const page = await context.newPage();
  await page.clock.setFixedTime('2026-01-02T05:00:00.000Z');
  // Before the page itself: a diagram is drawn with the fonts that it finds.
  await page.addInitScript(`{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(${JSON.stringify(fixedStyle)});
    document.adoptedStyleSheets = [sheet];
  }`);
  await page.goto(address);
  return page;
}

async function photograph(page: Page, name: string, fullPage = false): Promise<void> {
  await page.evaluate('document.fonts.ready');
  await expectPicture({ page, name, fullPage });
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await page.context().close();
}

/** Opens a page and waits for what comes later than the rest: the list has asked for the branch by then. */
async function openPage([, hash, ready, look]: PictureOf): Promise<Page> {
  const page = await open(`${served.address}${hash}`, look);
  const inList = look.viewport === undefined ? ['.sessions .branch'] : [];
  for (const each of [...ready, ...inList]) await page.locator(each).first().waitFor({ state: 'attached' });
  return page;
}

test.each(['light', 'dark'] as const)('the gallery, %s', async (colorScheme) => {
  const { port } = gallery.address() as AddressInfo;
  const page = await open(`http://127.0.0.1:${port}/`, { colorScheme });
  await page.getByRole('heading', { name: 'Error' }).waitFor();
  await page.locator('.hljs-keyword').first().waitFor();
  await page.locator('.diagram img').waitFor();
  await page.evaluate("document.querySelector('.diagram img').decode()");
  await page.getByText('The diagram cannot be drawn.').waitFor();
  await photograph(page, `gallery-${colorScheme}`, true);
  expect.hasAssertions();
});

const session = (uri: string) => `#/session/${encodeURIComponent(uri)}`;
const folderBranch = '.place [title="Git branch"]';
const sessionBranch = '.head .branch-name';

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
];

test.each(pages)('the page %s', async (...wanted) => {
  const page = await openPage(wanted);
  // What lies below the fold is rendered once it has come near.
  await page.waitForLoadState('networkidle');
  await photograph(page, wanted[0]);
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
