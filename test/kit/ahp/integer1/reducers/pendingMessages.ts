// Messages that wait: one that steers the turn in progress, and a queue for the turns after it.
import {
  put,
  removeWhere,
  reorder,
  unlessEmpty,
  upsert,
} from '../../../../../src/protocols/ahp/immutable.ts';
import type { Handlers } from '../../../../../src/protocols/ahp/reducer.ts';
import type { ActionsOf } from '../../../../../src/protocols/ahp/actionTypes.ts';
import type { ActionOf } from '../../../../../src/protocols/ahp/integer1/actions.ts';
import type { SessionActions } from '../../../../../src/protocols/ahp/integer1/sessionActions.ts';
import type { SessionState } from '../../../../../src/protocols/ahp/integer1/state.ts';
import type { Now } from './summary.ts';

type PendingMessageActions = Pick<
  SessionActions,
  'session/pendingMessageSet' | 'session/pendingMessageRemoved' | 'session/queuedMessagesReordered'
>;

export const pendingMessageHandlers: Handlers<SessionState, ActionsOf<PendingMessageActions>, Now> = {
  'session/pendingMessageSet': set,
  'session/pendingMessageRemoved': remove,
  'session/queuedMessagesReordered': (state, action) =>
    state.queuedMessages === undefined
      ? state
      : { ...state, queuedMessages: reorder(state.queuedMessages, action.order) },
};

function set(state: SessionState, action: ActionOf<'session/pendingMessageSet'>): SessionState {
  const entry = { id: action.id, userMessage: action.userMessage };
  if (action.kind === 'steering') return { ...state, steeringMessage: entry };
  return {
    ...state,
    queuedMessages: upsert(state.queuedMessages ?? [], entry, (queued) => queued.id === entry.id),
  };
}

function remove(state: SessionState, action: ActionOf<'session/pendingMessageRemoved'>): SessionState {
  if (action.kind === 'steering') {
    return state.steeringMessage?.id === action.id ? put(state, 'steeringMessage', undefined) : state;
  }
  const queue = state.queuedMessages ?? [];
  const kept = removeWhere(queue, (entry) => entry.id === action.id);
  return kept === queue ? state : put(state, 'queuedMessages', unlessEmpty(kept));
}
