// The gallery, photographed area by area and compared with stored pictures. It renders every component.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { errorText } from '../../src/base/errorText.ts';
import { expectAccessible, expectNoOverflow } from '../scenarios/console/browser.ts';
import { desk, phone, useCamera } from './camera.ts';
import type { Look } from './camera.ts';
import { expectPicture } from './compare.ts';

vi.setConfig({ testTimeout: 240_000 });

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
};

const camera = useCamera();
const folder = mkdtempSync(join(tmpdir(), 'parley-gallery-'));
let server: Server;

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/buildGallery.mjs', folder]);
  server = createServer((request, response) => {
    const path = join(folder, request.url === '/' ? 'index.html' : (request.url ?? ''));
    if (!existsSync(path)) return response.writeHead(404).end();
    return response
      .writeHead(200, { 'content-type': types[extname(path)] ?? 'text/plain' })
      .end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}, 120_000);

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

/** What is drawn after the rest. */
const late = ['.hljs-keyword', '.diagram img', '.xterm-rows', '.qr', '.review .filecard', '.terminal'];

/** Opens the gallery and shows each area once: parts are loaded as soon as they come near. */
async function openGallery(look: Look, prepare?: (page: Page) => Promise<void>): Promise<Page> {
  const page = await camera.open('about:blank', look);
  await prepare?.(page);
  await page.goto(address());
  await page.getByRole('heading', { name: 'Settings without data' }).waitFor();
  for (const area of await page.locator('.gallery-area').all()) await frame(page, area);
  for (const each of late) await page.locator(each).first().waitFor({ state: 'attached' });
  await page.getByText('The diagram cannot be drawn.').waitFor();
  await page.evaluate("document.querySelector('.diagram img').decode()");
  await page.evaluate('document.fonts.ready.then(() => document.activeElement.blur())');
  return page;
}

/**
 * Makes the window as high as the area, so that it shows nothing else. The area has an even number of pixels
 * and begins at an even one, whatever stands before it: pictures have half the size, and would be smoothed in
 * another way.
 */
async function frame(page: Page, area: Locator): Promise<void> {
  const width = page.viewportSize()?.width ?? desk.width;
  for (let height = 0; ;) {
    const wanted = await area.evaluate((each) => {
      each.style.minHeight = '';
      const rounded = 2 * Math.ceil(each.getBoundingClientRect().height / 2);
      each.style.minHeight = `${rounded}px`;
      const { body, documentElement: root } = each.ownerDocument;
      body.style.paddingTop = '';
      const top = each.getBoundingClientRect().top + root.scrollTop;
      body.style.paddingTop = `${2 * Math.ceil(top / 2) - top}px`;
      each.scrollIntoView({ block: 'start' });
      return rounded;
    });
    if (wanted === height) return;
    height = wanted;
    await page.setViewportSize({ width, height });
    // What has come near is drawn a moment later.
    await page.waitForTimeout(300);
  }
}

const looks: readonly (readonly [name: string, look: Look])[] = [
  ['desk-light', { viewport: desk }],
  ['desk-dark', { viewport: desk, colorScheme: 'dark' }],
  ['phone-light', { viewport: phone }],
  ['phone-dark', { viewport: phone, colorScheme: 'dark' }],
];

test.each(looks)('the gallery, %s', async (name, look) => {
  const page = await openGallery(look);
  await expectNoOverflow(page);
  // Components of one name stand beside each other here; pages have them once, and are checked for it.
  await expectAccessible(page, ['landmark-unique']);
  const changed: string[] = [];
  for (const area of await page.locator('.gallery-area').all()) {
    const title = (await area.getAttribute('aria-label')) ?? '';
    await frame(page, area);
    const picture = `gallery-${title.toLowerCase().replaceAll(/\W+/g, '-')}-${name}`;
    await expectPicture({ page, name: picture }).catch((error: unknown) => changed.push(errorText(error)));
  }
  expect(changed).toEqual([]);
  await page.context().close();
});

test('nothing in the gallery is wider than a phone of 360 pixels', async () => {
  const page = await openGallery({ viewport: { width: 360, height: 780 } });
  await expectNoOverflow(page);
  await page.context().close();
  expect.hasAssertions();
});

/** Components that the gallery does not render, each with the reason. */
const notRendered: Readonly<Record<string, string>> = {
  'frame/App.tsx App': 'the frame of a page; every picture of a whole page shows it',
  'frame/App.tsx Page': 'chooses the page; the pages are in the gallery',
  'tools/ToolContentView.tsx Unknown': 'content of a newer version of the protocol, which no type describes',
};

test('the gallery renders every component', async () => {
  const ran = new Set<string>();
  for (const viewport of [desk, phone]) {
    const page = await openGallery({ viewport }, (opened) => opened.coverage.startJSCoverage());
    for (const { source = '', functions } of await page.coverage.stopJSCoverage()) {
      // The bundler keeps one file for each source and names the source in it.
      const path = /^\/\/ web\/views\/(\S+)$/m.exec(source)?.[1];
      for (const { functionName, ranges } of functions)
        if (ranges.some(({ count }) => count > 0)) ran.add(`${path} ${functionName.replace(/\$\d+$/, '')}`);
    }
    await page.context().close();
  }
  const files = readdirSync('web/views', { recursive: true, encoding: 'utf8' });
  const components = files
    .filter((path) => path.endsWith('.tsx'))
    .flatMap((path) =>
      // A component that is a class has a function that renders it.
      [...readFileSync(join('web/views', path), 'utf8').matchAll(/\bfunction ([A-Z]\w*)|\bclass [A-Z]/g)].map(
        ([, name = 'render']) => `${path} ${name}`,
      ),
    );
  expect(components.filter((each) => !ran.has(each)).toSorted()).toEqual(Object.keys(notRendered).toSorted());
});
