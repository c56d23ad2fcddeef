// What peers of 0.9 are told where 1.0 has more: the same without marks of chats, movable chats and a single word for their order.
import type { Step } from '../../../../host/session/session.ts';
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import type { ChatState, ChatSummary, SessionState } from '../../../../protocols/ahp/v1_0/state.ts';
import { statusBits, withFlag } from '../../../../protocols/ahp/status.ts';
import { on } from './outgoingAction.ts';
import type { Shown } from './outgoingAction.ts';
import { sessionState } from './sessionState.ts';

export function olderActions(step: Step, shown: readonly Shown[]): readonly Shown[] {
  return shown.flatMap((one) =>
    olderAction(step, one.action).map((action) =>
      action === one.action ? one : { ...on(one.place, action), ...(one.echo ? { echo: one.echo } : {}) },
    ),
  );
}

export function olderSession(state: SessionState): SessionState {
  return { ...state, chats: state.chats.map(olderChat) };
}

export function olderChat<Chat extends ChatSummary | ChatState>({
  movable: _,
  ...chat
}: Chat): Omit<Chat, 'movable'> {
  return { ...chat, status: unmarked(chat.status) };
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
