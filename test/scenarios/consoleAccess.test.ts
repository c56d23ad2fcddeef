// The console for everybody: on a phone, with the keyboard alone, in the dark, and measured by axe.
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { ResponsePart } from '../../src/protocols/ahp/v1_0/state.ts';
import { expectAccessible, useBrowser } from './console/browser.ts';
import {
  agentTurn,
  chat,
  field,
  hostWith,
  lastOf,
  openFromMenu,
  pageOf,
  toolPending,
  toolStart,
} from './console/rig.ts';
import { serve } from './console/served.ts';
import { eventually } from '../kit/patience.ts';

const browsing = useBrowser();

const rich: readonly ResponsePart[] = [
  { kind: 'reasoning', id: 'r', content: 'Thinking about it.' },
  {
    kind: 'markdown',
    id: 'm',
    content:
      `# Title\n\nSome \`code\` and a [link](https://example.com/${'long'.repeat(30)}).\n\n| a | b |\n` +
      `|---|---|\n| ${'wide '.repeat(40)} | 2 |\n\n\`\`\`ts\nconst a: string = '${'x'.repeat(200)}'; // ` +
      `comment\n\`\`\`\n\n> quote\n\n1. one\n2. two\n`,
  },
  { kind: 'systemNotification', content: 'A notice.' },
  {
    kind: 'toolCall',
    toolCall: {
      status: 'completed',
      toolCallId: 'c0',
      toolName: 'edit',
      displayName: 'Edit',
      invocationMessage: 'Edit a file',
      pastTenseMessage: 'Edited a file',
      confirmed: 'user-action',
      success: false,
      toolInput: JSON.stringify({
        path: '/home/user/some/very/long/path/to/a/file.ts',
        oldText: `const a = ${'1'.repeat(120)};`,
        newText: 'const a = 2;',
      }),
      error: { message: 'No such file' },
      _meta: { decidedBy: 'emacs', decision: 'Allow once', effect: 'allow' },
    },
  },
  { kind: 'error', error: { errorType: 'overloaded', message: 'The model is busy.' } },
];

describe.each(['light', 'dark'] as const)('axe finds nothing, %s', (colorScheme) => {
  test(`on any page, ${colorScheme}`, async () => {
    const host = hostWith(rich);
    const { address } = await serve(host);
    const { page, complaints } = await browsing.open(pageOf(address), { colorScheme });
    await page.getByText('The model is busy.').waitFor();
    await page.getByText('Thoughts').click();
    await page.locator('.hljs-comment').waitFor();
    await expectAccessible(page);
    agentTurn(host, [toolStart, toolPending]);
    await page.getByText('Run this command?').waitFor();
    await openFromMenu(page, 'Connected clients');
    await expectAccessible(page);
    for (const name of ['#/', '#/inbox', '#/new', '#/settings', '#/session/nowhere']) {
      await page.goto(`${address}${name}`);
      // Another hash loads no page: the conversation, with headings of its own, is gone a moment later.
      await expect.poll(() => page.getByRole('heading', { level: 1 }).count()).toBe(1);
      await expectAccessible(page);
    }
    expect(complaints).toEqual([]);
  });
});

test('everything fits a phone of 360 pixels', async () => {
  const host = hostWith(rich);
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(address, {
    viewport: { width: 360, height: 640 },
    hasTouch: true,
    isMobile: true,
  });
  await page.getByRole('link', { name: 'First session' }).tap();
  await page.getByText('The model is busy.').waitFor();
  await expectFits(page);
  agentTurn(host, [toolStart, toolPending]);
  await page.getByText('Always allow').waitFor();
  await expectFits(page);
  await expectAccessible(page);
  await page.getByText('Always allow').tap();
  await page.getByRole('button', { name: 'Always allow' }).tap();
  expect(
    await eventually(() => lastOf(host, 'chat/toolCallConfirmed'), 'the approval arrives'),
  ).toMatchObject({
    selectedOptionId: 'always',
  });
  await page.getByRole('button', { name: 'Changes' }).tap();
  await page.getByText('No changes yet').waitFor();
  await expectFits(page);
  await page.getByRole('link', { name: 'Back to the conversation' }).tap();
  await page.getByRole('button', { name: 'Sessions' }).tap();
  await page.getByRole('link', { name: 'New session' }).first().tap();
  await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  await expectFits(page);
  expect(complaints).toEqual([]);
});

test('the keyboard reaches everything, and the focus goes where the reader is', async () => {
  const host = hostWith();
  const { address } = await serve(host);
  // The start page begins in its message field, so the first key is tried elsewhere.
  const { page } = await browsing.open(`${address}#/inbox`);
  await page.getByText('First session').waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => focused(page)).toBe('Skip to content');
  await page
    .getByRole('link', { name: /First session/ })
    .first()
    .focus();
  await page.keyboard.press('Enter');
  await eventually(
    async () => (await focused(page)) === 'First session',
    'the heading of the page has the focus',
  );
  // The heading is there with the session, the message field only with its chat.
  await field(page).waitFor();
  await page.keyboard.press('Alt+KeyM');
  await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('message-field');
  await page.keyboard.type('one\n');
  await eventually(() => host.state('chat', chat).activeTurn?.message.text === 'one', 'the message is sent');
  host.emit(chat, { ...toolStart, turnId: host.state('chat', chat).activeTurn?.id ?? '' });
  host.emit(chat, { ...toolPending, turnId: host.state('chat', chat).activeTurn?.id ?? '' });
  // The button opens once the whole call was on the screen; until then the keyboard passes it by.
  await expect.poll(() => page.getByRole('button', { name: 'Allow once' }).isEnabled()).toBe(true);
  // What appears does not take the focus away from whoever types.
  await expect.poll(() => page.evaluate('document.activeElement.className')).toBe('message-field');
  await page.keyboard.press('Alt+KeyW');
  for (let step = 0; step < 10 && !(await focused(page)).startsWith('Allow once'); step += 1)
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await eventually(() => lastOf(host, 'chat/toolCallConfirmed'), 'the approval arrives');
  await page.keyboard.press('Alt+KeyI');
  await eventually(async () => (await focused(page)) === 'Inbox', 'the heading of the inbox has the focus');
});

test('a screen reader hears blocks when they are complete', async () => {
  const host = hostWith();
  const { address } = await serve(host);
  const { page } = await browsing.open(pageOf(address));
  await field(page).waitFor();
  agentTurn(host, [
    { type: 'chat/responsePart', turnId: 't1', part: { kind: 'markdown', id: 'm', content: '' } },
  ]);
  host.emit(chat, { type: 'chat/delta', turnId: 't1', partId: 'm', content: 'The first paragraph' });
  await page.getByText('The first paragraph').waitFor();
  const live = page.locator('[aria-live=polite]').last();
  expect(await live.innerText()).not.toContain('first paragraph');
  host.emit(chat, { type: 'chat/delta', turnId: 't1', partId: 'm', content: ' ends.\n\nThe second' });
  await eventually(
    async () => (await live.innerText()).includes('The first paragraph ends.'),
    'the block is told',
  );
});

test('the theme can be chosen and is remembered', async () => {
  const { address } = await serve(hostWith());
  const { page } = await browsing.open(`${address}#/settings`);
  await page.getByLabel('Dark').check();
  await expect
    .poll(() => page.evaluate('getComputedStyle(document.documentElement).colorScheme'))
    .toBe('dark');
  await page.reload();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await expect
    .poll(() => page.evaluate('getComputedStyle(document.documentElement).colorScheme'))
    .toBe('dark');
});

async function expectFits(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  // Nothing sticks out of the page except inside boxes that scroll by themselves.
  const wide = await page.evaluate(`[...document.querySelectorAll('main *')].filter((element) => {
    if (element.closest('.unseen') || element.getBoundingClientRect().right <= window.innerWidth + 1) return false;
    for (let box = element.parentElement; box; box = box.parentElement) if (getComputedStyle(box).overflowX !== 'visible') return box.matches('main, .chat, .scroll, body');
    return true;
  }).map((element) => element.tagName + '.' + element.className)`);
  expect(wide).toEqual([]);
}

async function focused(page: Page): Promise<string> {
  return String(await page.evaluate('document.activeElement.textContent.trim()'));
}
