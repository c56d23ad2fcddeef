// Hostile bytes in the console's terminal emulator: they change nothing outside it, nothing is typed that
// nobody typed, and the page stays usable.
import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { useBrowser } from '../scenarios/console/browser.ts';
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
} from '../scenarios/console/rig.ts';
import type { ScriptedHost } from '../scenarios/console/scriptedHost.ts';
import { serve } from '../scenarios/console/served.ts';

const browsing = useBrowser();
const terminal = 'ahp-terminal:/one';
const esc = '\u001b';

/** What a terminal is asked, and what would be typed as the answer. */
const queries = [
  `${esc}[c`,
  `${esc}[0c`,
  `${esc}[>c`,
  `${esc}[5n`,
  `${esc}[6n`,
  `${esc}[?6n`,
  `${esc}[?2004$p`,
  `${esc}[4$p`,
  `${esc}[18t`,
  `${esc}[21t`,
  `${esc}P$qm${esc}\\`,
  `${esc}P$q"p${esc}\\`,
  `${esc}]4;1;?\u0007`,
  `${esc}]10;?\u0007`,
  `${esc}]11;?${esc}\\`,
  `${esc}]12;?\u0007`,
  `${esc}[?1004h`,
  `${esc}[?25;1004h`,
  '\u0005',
].join('');

/** Clipboard, title, link, device control, notification, end of a paste, one-byte introducers. */
const commands = [
  `${esc}]52;c;c3RvbGVu\u0007`,
  `${esc}]52;c;?\u0007`,
  `${esc}]0;stolen\u0007${esc}]2;stolen\u0007${esc}[22;0t`,
  `${esc}]8;;https://evil.example/\u0007a link${esc}]8;;\u0007 `,
  `${esc}]8;;javascript:window.pwned=1\u0007another link${esc}]8;;\u0007 `,
  `${esc}P+q544e${esc}\\${esc}_Gi=1;AAAA${esc}\\${esc}^private${esc}\\`,
  `${esc}]9;notify\u0007${esc}]777;notify;a;b\u0007${esc}]1337;File=inline=1:AAAA\u0007`,
  `${esc}[201~touch x\r`,
  '\u009b31m\u009d0;stolen\u009c\u0090x\u009c',
].join('');

/** A page that shows a running terminal with this output. */
async function showing(output: string): Promise<{ host: ScriptedHost; page: Page; complaints: string[] }> {
  const host = hostWith();
  host.place('terminal', terminal, {
    title: 'sh',
    content: [{ type: 'unclassified', value: output }],
    lifecycle: { status: 'running' },
    claim: { kind: 'session', session, chat },
    isPty: true,
  });
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address));
  await field(page).waitFor();
  await page.evaluate('navigator.clipboard.writeText = (text) => { window.copied = text; }');
  agentTurn(host, [
    toolStart,
    { ...toolPending, confirmed: 'setting' },
    {
      type: 'chat/toolCallContentChanged',
      ...call,
      content: [{ type: 'terminal', resource: terminal, title: 'sh' }],
    },
  ]);
  return { host, page, complaints };
}

function write(host: ScriptedHost, data: string): void {
  host.emit(terminal, { type: 'terminal/data', data });
}

const shows = (page: Page, text: string) => page.locator('.xterm-rows', { hasText: text }).waitFor();

const typed = ({ dispatched }: ScriptedHost): string =>
  dispatched.flatMap(({ action }) => (action.type === 'terminal/input' ? [action.data] : [])).join('');

test('no question of a program is answered, and no command reaches beyond the emulator', async () => {
  const { host, page, complaints } = await showing(`${queries}${commands}old output`);
  await shows(page, 'old output');
  write(host, `${queries}${commands}\r\nnew output`);
  await shows(page, 'new output');
  // The accessible copy of the output holds the same text, and only the drawn rows follow a click.
  await page
    .locator('.xterm-rows')
    .getByText('another link')
    .first()
    .click({ modifiers: ['Control'], force: true });
  await page.locator('.xterm-helper-textarea').focus();
  await page.keyboard.type('k');
  await expect.poll(() => typed(host)).toContain('k');
  expect(typed(host)).toBe('k');
  expect(await page.evaluate('[window.copied, window.pwned].join()')).toBe(',');
  await expect.poll(() => page.title()).toBe('First session · project · Parley');
  expect(complaints).toEqual([]);
});

test('pasted text stays inside its brackets', async () => {
  const { host, page, complaints } = await showing(`${esc}[?2004hready`);
  await shows(page, 'ready');
  await page.locator('.xterm-helper-textarea').focus();
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'one\\u001b[201~\\u009b201~\\ntwo');
    const at = document.querySelector('.xterm-helper-textarea');
    at.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
  await expect.poll(() => typed(host)).toBe(`${esc}[200~one[201~201~\rtwo${esc}[201~`);
  expect(complaints).toEqual([]);
});

test('a million escape sequences leave the page usable', async () => {
  const { host, page, complaints } = await showing('begin');
  await shows(page, 'begin');
  for (let round = 0; round < 10; round += 1) write(host, `${esc}[31m${esc}[0m`.repeat(50_000));
  write(host, `\r\n${'x'.repeat(100_000)}${esc}[2J${esc}[Hthe end`);
  await shows(page, 'the end');
  await field(page).fill('still here');
  expect(await field(page).inputValue()).toBe('still here');
  expect(complaints).toEqual([]);
});
