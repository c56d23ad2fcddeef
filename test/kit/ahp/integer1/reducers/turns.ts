// Turns: begun, streamed into, ended and truncated.
import { present } from '../../../../../src/base/present.ts';
import { put, removeWhere, replaceAt, unlessEmpty } from '../../../../../src/protocols/ahp/immutable.ts';
import type { Handlers } from '../../../../../src/protocols/ahp/reducer.ts';
import { statusBits, withActivity } from '../../../../../src/protocols/ahp/status.ts';
import type { ActionsOf } from '../../../../../src/protocols/ahp/actionTypes.ts';
import type { ActionOf } from '../../../../../src/protocols/ahp/integer1/actions.ts';
import type { ErrorInfo } from '../../../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionActions } from '../../../../../src/protocols/ahp/integer1/sessionActions.ts';
import type {
  ActiveTurn,
  ResponsePart,
  SessionState,
  Turn,
} from '../../../../../src/protocols/ahp/integer1/state.ts';
import { activeTurnOf, withParts } from './activeTurn.ts';
import { modified, withCurrentStatus, withStatus, withUnreadStatus } from './summary.ts';
import type { Now } from './summary.ts';
import { skipUnfinished } from './toolCalls.ts';

type TurnActions = Pick<
  SessionActions,
  | 'session/turnStarted'
  | 'session/delta'
  | 'session/reasoning'
  | 'session/responsePart'
  | 'session/usage'
  | 'session/turnComplete'
  | 'session/turnCancelled'
  | 'session/error'
  | 'session/truncated'
>;

export const turnHandlers: Handlers<SessionState, ActionsOf<TurnActions>, Now> = {
  'session/turnStarted': startTurn,
  'session/delta': (state, action) => appendText(state, 'markdown', action),
  'session/reasoning': (state, action) => appendText(state, 'reasoning', action),
  'session/responsePart': (state, action) => {
    const turn = activeTurnOf(state, action.turnId);
    return turn === undefined ? state : withParts(state, turn, [...turn.responseParts, action.part]);
  },
  'session/usage': (state, action) => {
    const turn = activeTurnOf(state, action.turnId);
    return turn === undefined ? state : { ...state, activeTurn: { ...turn, usage: action.usage } };
  },
  'session/turnComplete': (state, action, now) => endTurn(state, action.turnId, { state: 'complete', now }),
  'session/turnCancelled': (state, action, now) => endTurn(state, action.turnId, { state: 'cancelled', now }),
  'session/error': (state, action, now) =>
    endTurn(state, action.turnId, { state: 'error', now, error: action.error }),
  'session/truncated': truncate,
};

/** A turn that began from a pending message uses that message up. */
function startTurn(state: SessionState, action: ActionOf<'session/turnStarted'>, now: number): SessionState {
  const { turnId, userMessage, queuedMessageId } = action;
  const activeTurn: ActiveTurn = { id: turnId, userMessage, responseParts: [] };
  const started = modified(withUnreadStatus({ ...state, activeTurn }), now);
  if (queuedMessageId === undefined) return started;
  const steered =
    started.steeringMessage?.id === queuedMessageId ? put(started, 'steeringMessage', undefined) : started;
  const queue = removeWhere(steered.queuedMessages ?? [], (entry) => entry.id === queuedMessageId);
  return put(steered, 'queuedMessages', unlessEmpty(queue));
}

/** Finished turns are never touched here, so the cost of a delta does not grow with the history. */
function appendText(
  state: SessionState,
  kind: 'markdown' | 'reasoning',
  action: ActionOf<'session/delta'> | ActionOf<'session/reasoning'>,
): SessionState {
  const turn = activeTurnOf(state, action.turnId);
  if (turn === undefined) return state;
  const index = turn.responseParts.findIndex((part) => partId(part) === action.partId);
  const part = turn.responseParts[index];
  if (part === undefined || part.kind !== kind) return state;
  return withParts(
    state,
    turn,
    replaceAt(turn.responseParts, index, { ...part, content: part.content + action.content }),
  );
}

function partId(part: ResponsePart): string | undefined {
  if (part.kind === 'toolCall') return part.toolCall.toolCallId;
  return 'id' in part ? part.id : undefined;
}

interface Ending {
  readonly state: Turn['state'];
  readonly now: number;
  readonly error?: ErrorInfo;
}

/** Open questions belong to the turn and go with it. */
function endTurn(state: SessionState, turnId: string, ending: Ending): SessionState {
  const active = activeTurnOf(state, turnId);
  if (active === undefined) return state;
  const turn: Turn = present({
    id: active.id,
    userMessage: active.userMessage,
    responseParts: active.responseParts.map(skipUnfinished),
    usage: active.usage,
    state: ending.state,
    error: ending.error,
  });
  const { activeTurn: _ended, inputRequests: _abandoned, ...rest } = state;
  const ended = modified({ ...rest, turns: [...state.turns, turn] }, ending.now);
  const activity = ending.state === 'error' ? statusBits.error : statusBits.idle;
  return withStatus(ended, withActivity(state.summary.status, activity));
}

function truncate(state: SessionState, action: ActionOf<'session/truncated'>, now: number): SessionState {
  const index = action.turnId === undefined ? -1 : state.turns.findIndex((turn) => turn.id === action.turnId);
  if (action.turnId !== undefined && index < 0) return state;
  const { activeTurn: _dropped, inputRequests: _abandoned, ...rest } = state;
  return modified(withCurrentStatus({ ...rest, turns: state.turns.slice(0, index + 1) }), now);
}
