// Translates messages of 1.0 into 0.9, which has no read and archived marks on chats, no movable chats and no
// action that reorders chats.
import type { Projection } from '../../../host/session/live.ts';
import type { Step } from '../../../host/session/session.ts';
import { isAtLeast } from '../../../protocols/ahp/negotiate.ts';
import { actionSince } from '../../../protocols/ahp/v1_0/actions.ts';
import type { StateAction } from '../../../protocols/ahp/v1_0/actions.ts';
import { chatMemberSince, sessionMemberSince } from '../../../protocols/ahp/v1_0/state.ts';
import type { ChatSummary, SessionState, SessionSummary } from '../../../protocols/ahp/v1_0/state.ts';
import { statusBits, withFlag } from '../../../protocols/ahp/status.ts';
import type { Outgoing } from '../delivery/outgoing.ts';
import { numberActions, show } from '../v1_0/outbound/entries.ts';
import { on } from '../v1_0/outbound/outgoingAction.ts';
import type { TargetedAction } from '../v1_0/outbound/outgoingAction.ts';
import { sessionState } from '../v1_0/outbound/sessionState.ts';

const tooNewActions = new Set(newerThan09(actionSince));
const tooNewOfChats = newerThan09(chatMemberSince);
const tooNewOfSessions = newerThan09(sessionMemberSince);

function newerThan09(versions: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(versions).flatMap(([name, since]) => (isAtLeast('0.9.0', since) ? [] : [name]));
}

/** Numbers are given before actions are left out: they belong to the entry, whatever a client sees of it. */
export const project: Projection<Outgoing> = (step) =>
  numberActions(step, olderActions(step, show(step))).filter(({ action }) => !tooNewActions.has(action.type));

export function olderSummary({ chats: _, defaultChat: __, ...summary }: SessionSummary): SessionSummary {
  return summary;
}

function olderActions(step: Step, shown: readonly TargetedAction[]): readonly TargetedAction[] {
  return shown.flatMap((one) =>
    olderAction(step, one.action).map((action) =>
      action === one.action ? one : { ...on(one.target, action), ...(one.echo ? { echo: one.echo } : {}) },
    ),
  );
}

export function olderSession(state: SessionState): SessionState {
  return without({ ...state, chats: state.chats.map(olderChat) }, tooNewOfSessions);
}

export function olderChat<Chat extends ChatSummary>(chat: Chat): Chat {
  return without({ ...chat, status: unmarked(chat.status) }, tooNewOfChats);
}

/** The names are those of optional members. */
function without<T extends object>(value: T, names: readonly string[]): T {
  const rest = { ...value };
  for (const name of names) Reflect.deleteProperty(rest, name);
  return rest;
}

function olderAction(step: Step, action: StateAction): readonly StateAction[] {
  if (action.type === 'session/chatAdded') return [{ ...action, summary: olderChat(action.summary) }];
  if (action.type === 'session/chatUpdated') return olderChange(action);
  return action.type === 'session/chatsReordered' ? reordered(step) : [action];
}

function olderChange(
  action: Extract<StateAction, { readonly type: 'session/chatUpdated' }>,
): readonly StateAction[] {
  const { status, ...changes } = action.changes;
  if (status === undefined) return [action];
  return [{ ...action, changes: { ...changes, status: unmarked(status) } }];
}

/** Chats behind the default one are taken away and put back in their new order. */
function reordered({ after }: Step): readonly StateAction[] {
  const [, ...others] = olderSession(sessionState(after)).chats;
  return [
    ...others.map(({ resource }): StateAction => ({ type: 'session/chatRemoved', chat: resource })),
    ...others.map((summary): StateAction => ({ type: 'session/chatAdded', summary })),
  ];
}

function unmarked(status: number): number {
  return withFlag(withFlag(status, statusBits.isRead, false), statusBits.isArchived, false);
}
