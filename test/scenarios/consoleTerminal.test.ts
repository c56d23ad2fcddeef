// A live terminal is as tall as its text, up to a limit.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectNoOverflow, useBrowser } from './console/browser.ts';
import {
  agentTurn,
  call,
  chat,
  field,
  hostWith,
  pageOf,
  session,
  toolPending,
  toolStart,
} from './console/rig.ts';
import { serve } from './console/served.ts';

const browsing = useBrowser();
const terminal = 'ahp-terminal:/one';

const looks = [
  ['the desk, light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['a phone, dark', { viewport: { width: 360, height: 740 }, isMobile: true, colorScheme: 'dark' }],
] as const;

/** How many of the terminal's rows the box has room for. */
const shownRows = (page: Page) =>
  page.evaluate(`(() => {
    const box = document.querySelector('.terminal [role=group]');
    const screen = box?.querySelector('.xterm-screen');
    return screen ? Math.round((box.clientHeight / screen.clientHeight) * 16 * 10) / 10 : 0;
  })()`);
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\r\n`).join('');

const callInTerminal: Parameters<typeof agentTurn>[1] = [
  toolStart,
  { ...toolPending, confirmed: 'setting' },
  {
    type: 'chat/toolCallContentChanged',
    ...call,
    content: [{ type: 'terminal', resource: terminal, title: 'sh' }],
  },
];

test.each(looks)('a live terminal grows with its text to 16 rows, on %s', async (_, look) => {
  const host = hostWith();
  host.place('terminal', terminal, {
    ...{ title: 'sh', lifecycle: { status: 'running' }, claim: { kind: 'session', session, chat } },
    ...{ content: [{ type: 'unclassified', value: lines(1, 2) }], isPty: false },
  });
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address), look);
  await field(page).waitFor();
  agentTurn(host, callInTerminal);
  await page.locator('.xterm-rows', { hasText: 'line 2' }).waitFor();
  await expect.poll(() => shownRows(page)).toBe(2);
  await page.screenshot({ path: `artifacts/console/terminal-two-lines-${look.viewport.width}.png` });
  host.emit(terminal, { type: 'terminal/data', data: lines(3, 9) });
  await expect.poll(() => shownRows(page)).toBe(9);
  host.emit(terminal, { type: 'terminal/data', data: lines(10, 200) });
  await page.locator('.xterm-rows', { hasText: 'line 200' }).waitFor();
  await expect.poll(() => shownRows(page)).toBe(16);
  await expectNoOverflow(page);
  expect(complaints).toEqual([]);
});

test('a terminal for typing shows the line of the cursor, and tells its size once', async () => {
  const host = hostWith();
  host.place('terminal', terminal, {
    ...{ title: 'sh', lifecycle: { status: 'running' }, claim: { kind: 'session', session, chat } },
    ...{ content: [{ type: 'unclassified', value: lines(1, 2) }], isPty: true },
  });
  const { address } = await serve(host);
  const { page } = await browsing.open(pageOf(address));
  await field(page).waitFor();
  agentTurn(host, callInTerminal);
  await expect.poll(() => shownRows(page)).toBe(3);
  host.emit(terminal, { type: 'terminal/data', data: lines(3, 9) });
  await expect.poll(() => shownRows(page)).toBe(10);
  // A program with a screen of its own has all of it.
  host.emit(terminal, { type: 'terminal/data', data: '\u001b[?1049h' });
  await expect.poll(() => shownRows(page)).toBe(16);
  const sizes = host.dispatched.filter(({ action }) => action.type === 'terminal/resized');
  expect(sizes.map(({ action }) => action)).toMatchObject([{ rows: 16 }]);
});
