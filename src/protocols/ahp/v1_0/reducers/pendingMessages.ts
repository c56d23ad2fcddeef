// Messages that wait: one that steers the turn in progress, a queue for the turns after it, and the draft.
import { put, removeWhere, reorder, unlessEmpty, upsert } from '../../immutable.ts';
import type { Handlers } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { ActionOf } from '../actions.ts';
import type { ChatActions } from '../chatActions.ts';
import type { ChatState } from '../state.ts';

type PendingMessageActions = Pick<
  ChatActions,
  | 'chat/pendingMessageSet'
  | 'chat/pendingMessageRemoved'
  | 'chat/queuedMessagesReordered'
  | 'chat/draftChanged'
>;

export const pendingMessageHandlers: Handlers<ChatState, ActionsOf<PendingMessageActions>> = {
  'chat/pendingMessageSet': set,
  'chat/pendingMessageRemoved': remove,
  'chat/queuedMessagesReordered': (state, action) =>
    state.queuedMessages === undefined
      ? state
      : { ...state, queuedMessages: reorder(state.queuedMessages, action.order) },
  'chat/draftChanged': (state, action) => put(state, 'draft', action.draft),
};

function set(state: ChatState, action: ActionOf<'chat/pendingMessageSet'>): ChatState {
  const entry = { id: action.id, message: action.message };
  if (action.kind === 'steering') return { ...state, steeringMessage: entry };
  return {
    ...state,
    queuedMessages: upsert(state.queuedMessages ?? [], entry, (queued) => queued.id === entry.id),
  };
}

function remove(state: ChatState, action: ActionOf<'chat/pendingMessageRemoved'>): ChatState {
  if (action.kind === 'steering') {
    return state.steeringMessage?.id === action.id ? put(state, 'steeringMessage', undefined) : state;
  }
  const queue = state.queuedMessages ?? [];
  const kept = removeWhere(queue, (entry) => entry.id === action.id);
  return kept === queue ? state : put(state, 'queuedMessages', unlessEmpty(kept));
}
