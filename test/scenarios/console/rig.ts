// What the console's scenarios have in common: one session with one chat, and the actions of an agent in it.
import type { StateAction } from '../../../src/protocols/ahp/v1_0/actions.ts';
import type { ResponsePart } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Page } from 'playwright-core';
import { ScriptedHost } from './scriptedHost.ts';
import { chatState, chatUri, rootState, sessionState, summaryOf, turnOf } from './states.ts';

export const session = 'ahp-session:/one';
export const chat = chatUri(session);
export const startedAt = '2026-01-02T03:04:05.000Z';

/** A host with one session whose chat holds one finished turn made of these parts, or nothing. */
export function hostWith(parts: readonly ResponsePart[] = []): ScriptedHost {
  const host = new ScriptedHost(rootState());
  addSession(host, session, { title: 'First session' });
  if (parts.length > 0)
    host.place(
      'chat',
      chat,
      chatState(chat, { turns: [turnOf('t0', 'What is here?', { responseParts: parts })] }),
    );
  return host;
}

export function addSession(
  host: ScriptedHost,
  uri: string,
  { title, status = 1 }: { readonly title: string; readonly status?: number },
): void {
  host.place('session', uri, sessionState(uri, { title, status }));
  host.place('chat', chatUri(uri), chatState(chatUri(uri), { title, status }));
  host.summaries.set(uri, summaryOf(uri, { title, status }));
}

export function pageOf(base: string, uri = session): string {
  return `${base}#/session/${encodeURIComponent(uri)}`;
}

/** An agent's turn, as the host tells it. */
export function agentTurn(host: ScriptedHost, actions: readonly StateAction[], uri = chat): void {
  host.emit(uri, {
    type: 'chat/turnStarted',
    turnId: 't1',
    startedAt,
    message: { text: 'Do it', origin: { kind: 'user' } },
  });
  for (const action of actions) host.emit(uri, action);
}

export const call = { turnId: 't1', toolCallId: 'c1' };

export const toolStart = {
  type: 'chat/toolCallStart',
  ...call,
  toolName: 'shell',
  displayName: 'Run command',
} as const satisfies StateAction;

export const toolPending = {
  type: 'chat/toolCallReady',
  ...call,
  invocationMessage: 'Run the tests',
  toolInput: '{"command":"npm test","cwd":"/home/user"}',
  editable: true,
  confirmationTitle: 'Run this command?',
  options: [
    { id: 'once', label: 'Allow once', kind: 'approve' },
    { id: 'session', label: 'Allow in this session', kind: 'approve' },
    { id: 'always', label: 'Always allow', kind: 'approve' },
    { id: 'no', label: 'Deny', kind: 'deny' },
  ],
} as const satisfies StateAction;

export function field(page: Page) {
  return page.getByRole('textbox', { name: 'Message' });
}

/** Chooses one option of a picker of the composer by its label. */
export async function pick(page: Page, picker: string, option: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${picker}: `) }).click();
  const menu = page.locator('.menu:popover-open');
  await menu
    .getByRole('menuitemradio', { name: option })
    .or(menu.getByRole('option', { name: option }))
    .first()
    .click();
}

/** Types the folder of a new session. */
export async function chooseFolder(page: Page, path: string): Promise<void> {
  await page.getByRole('button', { name: /^Folder: / }).click();
  await page.getByRole('textbox', { name: 'Folder' }).fill(path);
  await page.keyboard.press('Enter');
}

/** Opens a page from the menu of the session's header. */
export async function openFromMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** The last action of that type that reached the host. */
export function lastOf(host: ScriptedHost, type: StateAction['type']): StateAction | undefined {
  return host.dispatched.findLast(({ action }) => action.type === type)?.action;
}
