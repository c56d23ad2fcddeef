// A browser that photographs pages: time, fonts, motion and the size of the window are fixed.
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--disable-lcd-text',
  '--force-color-profile=srgb',
  '--hide-scrollbars',
];
export interface Look {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
}

export const desk = { width: 1200, height: 800 };
/** A small laptop, or half of a large screen. */
export const middle = { width: 1024, height: 768 };
export const phone = { width: 390, height: 844 };

export interface Camera {
  /** A page of its own; close its context after use. */
  open(address: string, look: Look): Promise<Page>;
}

/** Call it once at the top of a test file. */
export function useCamera(): Camera {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags, timeout: 100_000 });
  });
  afterAll(() => browser.close());
  return { open: (address, look) => openPage(browser, address, look) };
}

const fixedStyle = `:root { --font: 'DejaVu Sans', sans-serif; --mono: 'DejaVu Sans Mono', monospace; }
  *, *::before, *::after { animation: none !important; transition: none !important; }`;

/** Half of the pixels keep the stored files small. */
async function openPage(
  browser: Browser,
  address: string,
  { viewport = desk, colorScheme = 'light' }: Look,
): Promise<Page> {
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
  context.setDefaultTimeout(100_000);
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
