// Real Chromium for the console's scenarios: one browser per test file, one fresh page per test, and a
// picture of every page at its end.
import { mkdirSync } from 'node:fs';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest';

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const pictures = 'artifacts/console';

export interface Watched {
  readonly page: Page;
  /**
   * What the page said that it should not have: errors, blocked content, requests to anywhere but its host.
   */
  readonly complaints: string[];
}

export interface Browsing {
  /** A page of its own, with its own storage. */
  open(address: string, options?: BrowserContextOptions): Promise<Watched>;
}

/** Call it once at the top of a test file. */
export function useBrowser(): Browsing {
  let browser: Browser;
  const open: Watched[] = [];
  // A browser on a busy machine takes its time; what never comes is still told by the wait for it and
  // not by the test's end.
  vi.setConfig({ testTimeout: 240_000 });

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags, timeout: 100_000 });
  });

  afterEach(async (context) => {
    const name = context.task.name.replace(/\W+/g, '-').toLowerCase();
    const pages = open.splice(0).map(({ page }) => page);
    try {
      for (const [index, page] of pages.entries())
        await page.screenshot({ path: `${pictures}/${name}${index === 0 ? '' : `-${index + 1}`}.png` });
    } finally {
      await Promise.all(pages.map((page) => page.context().close()));
    }
  });

  afterAll(() => browser.close());

  return {
    open: async (address, options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
      context.setDefaultTimeout(100_000);
      const page = await context.newPage();
      const watched = { page, complaints: listen(page, address) };
      open.push(watched);
      await page.goto(address);
      return watched;
    },
  };
}

function listen(page: Page, address: string): string[] {
  const complaints: string[] = [];
  const own = new URL(address).host;
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A socket that cannot be opened is said by the browser itself, whatever the page does about it.
    if (message.type() === 'error' && !/WebSocket connection|ERR_CONNECTION_REFUSED/.test(message.text()))
      complaints.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', (popup) => complaints.push(`popup: ${popup.url()}`));
  // The browser's own word about it does not name the address.
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`status ${response.status()}: ${response.url()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.host !== own) complaints.push(`request: ${request.url()}`);
  });
  return complaints;
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
  }[];
}

/** Every rule of axe that concerns what is on the page now, but for those that cannot hold there. */
export async function expectAccessible(page: Page, without: readonly string[] = []): Promise<void> {
  // Through the debugger, because the page itself allows no foreign script.
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    `axe.run(document, ${JSON.stringify({
      resultTypes: ['violations'],
      rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    })})`,
  )) as AxeResult;
  expect(
    violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join(' | ')}`,
    ),
  ).toEqual([]);
}

/** Nothing of the page lies beyond its right edge, so that it never scrolls sideways. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const beyond = (await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )) as number;
  expect(beyond, 'pixels beyond the right edge').toBeLessThanOrEqual(0);
}
