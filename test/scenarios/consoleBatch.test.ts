// Calls that wait together have one approval: each is shown whole, and one answer holds for exactly those.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { StateAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { PendingToolCall } from '../../src/protocols/ahp/v1_0/toolCall.ts';
import { eventually } from '../kit/patience.ts';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { addSession, agentTurn, chat, field, hostWith, pageOf } from './console/rig.ts';
import type { ScriptedHost } from './console/scriptedHost.ts';
import { serve } from './console/served.ts';
import { chatUri, sessionState } from './console/states.ts';

const browsing = useBrowser();

const looks = [
  ['the desk, light', { viewport: { width: 1280, height: 800 }, colorScheme: 'light' }],
  ['a phone, dark', { viewport: { width: 360, height: 740 }, isMobile: true, colorScheme: 'dark' }],
] as const;

const options = [
  { id: 'once', label: 'Allow once', kind: 'approve', _meta: { effect: 'allow' } },
  { id: 'session', label: 'Allow in this session', kind: 'approve', _meta: { effect: 'allow-session' } },
  { id: 'no', label: 'Deny', kind: 'deny', _meta: { effect: 'deny' } },
] as const;

/** A command that waits, as the actions that bring it. */
function asked(toolCallId: string, command: string): readonly StateAction[] {
  const call = { turnId: 't1', toolCallId };
  return [
    { type: 'chat/toolCallStart', ...call, toolName: 'shell_command', displayName: 'Run command' },
    {
      type: 'chat/toolCallReady',
      ...call,
      invocationMessage: `$ ${command}`,
      toolInput: JSON.stringify({ command }),
      editable: true,
      options,
    },
  ];
}

const answers = (host: ScriptedHost) =>
  host.dispatched.flatMap(({ action }) => (action.type === 'chat/toolCallConfirmed' ? [action] : []));
const commands = (page: Page) => page.locator('.ask .command').allTextContents();
const readOn = async (page: Page, button: string): Promise<boolean> => {
  const next = page.getByRole('button', { name: 'Go to the next part' });
  await next.click({ timeout: 1000 }).catch(() => {});
  return page.getByRole('button', { name: button }).isEnabled();
};

test.each(looks)('one answer allows exactly the calls that are shown, on %s', async (_, look) => {
  const host = hostWith();
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address), look);
  await field(page).waitFor();
  agentTurn(host, [
    ...asked('c1', 'npm test'),
    ...asked('c2', 'npm run lint'),
    ...asked('c3', 'npm run lint'),
  ]);
  await page.getByRole('heading', { name: 'Run 3 commands?' }).waitFor();
  expect(await commands(page)).toEqual(['npm test', 'npm run lint', 'npm run lint']);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await expect.poll(() => readOn(page, 'Allow all 3')).toBe(true);
  // What arrives now has not been read, and is no part of the earlier batch.
  for (const action of asked('c4', `echo 1\n${'# nothing\n'.repeat(200)}touch EVIL`)) host.emit(chat, action);
  const allow = page.getByRole('button', { name: 'Allow all 4' });
  await allow.waitFor();
  expect(await allow.isEnabled()).toBe(false);
  await page.keyboard.press('Alt+KeyW');
  await page.keyboard.press('KeyA');
  expect(answers(host)).toEqual([]);
  await expect.poll(() => readOn(page, 'Allow all 4')).toBe(true);
  await allow.click();
  await eventually(() => answers(host).length === 4, 'the answers arrive');
  expect(answers(host)).toEqual(
    ['c1', 'c2', 'c3', 'c4'].map((toolCallId) => ({
      ...{ type: 'chat/toolCallConfirmed', turnId: 't1', toolCallId },
      ...{ approved: true, confirmed: 'user-action', selectedOptionId: 'once' },
    })),
  );
  expect(complaints).toEqual([]);
});

test('each of them can be answered alone', async () => {
  const host = hostWith();
  const { address } = await serve(host);
  const { page } = await browsing.open(pageOf(address));
  await field(page).waitFor();
  agentTurn(host, [...asked('c1', 'npm test'), ...asked('c2', 'npm run lint')]);
  await page.getByRole('button', { name: 'Answer each alone' }).click();
  await expect.poll(() => page.locator('.ask').count()).toBe(2);
  await page.getByRole('button', { name: 'Allow once' }).nth(1).click();
  await eventually(() => answers(host).length === 1, 'the answer arrives');
  expect(answers(host)).toMatchObject([{ toolCallId: 'c2', approved: true, selectedOptionId: 'once' }]);
});

test.each(looks)('the inbox has one entry for them, on %s', async (_, look) => {
  const host = hostWith();
  const uri = 'ahp-session:/two';
  const pending = (toolCallId: string, command: string): PendingToolCall => ({
    ...{ toolCallId, toolName: 'shell_command', displayName: 'Run command', status: 'pending-confirmation' },
    ...{ invocationMessage: `$ ${command}`, toolInput: JSON.stringify({ command }), options },
  });
  addSession(host, uri, { title: 'Two commands', status: 24 });
  const inputNeeded = [pending('c1', 'npm test'), pending('c2', 'npm run lint')].map((toolCall) => ({
    ...{ kind: 'toolConfirmation' as const, id: toolCall.toolCallId, turnId: 't1', chat: chatUri(uri) },
    toolCall,
  }));
  host.place('session', uri, sessionState(uri, { title: 'Two commands', status: 24, inputNeeded }));
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(`${address}#/inbox`, look);
  await page.getByRole('heading', { name: 'Run 2 commands?' }).waitFor();
  expect(await commands(page)).toEqual(['npm test', 'npm run lint']);
  expect(await page.locator('.ask').count()).toBe(1);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await expect.poll(() => readOn(page, 'Allow all 2')).toBe(true);
  await page.getByLabel('Tell the agent what to do instead').fill('not today');
  await page.getByRole('button', { name: 'Deny all 2' }).click();
  await eventually(() => answers(host).length === 2, 'the answers arrive');
  expect(answers(host)).toMatchObject(
    ['c1', 'c2'].map((toolCallId) => ({
      ...{ toolCallId, approved: false, reasonMessage: 'not today', selectedOptionId: 'no' },
    })),
  );
  expect(complaints).toEqual([]);
});
