// Turns: begun, streamed into, ended, resumed, truncated and loaded from history.
import { present } from '../../../../base/present.ts';
import { put, removeWhere, replaceAt, unlessEmpty } from '../../immutable.ts';
import type { Handlers } from '../../reducer.ts';
import { statusBits, withActivity } from '../../status.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { ActionOf } from '../actions.ts';
import type { ChatActions } from '../chatActions.ts';
import type { ActiveTurn, ChatState, ErrorPart, ResponsePart, Turn } from '../state.ts';
import { activeTurnOf, withCurrentStatus, withParts, withUnreadStatus } from './activeTurn.ts';
import { skipUnfinished } from './toolCalls.ts';

type TurnActions = Pick<
  ChatActions,
  | 'chat/turnStarted'
  | 'chat/delta'
  | 'chat/reasoning'
  | 'chat/responsePart'
  | 'chat/usage'
  | 'chat/turnComplete'
  | 'chat/turnCancelled'
  | 'chat/error'
  | 'chat/turnResume'
  | 'chat/truncated'
  | 'chat/turnsLoaded'
>;

export const turnHandlers: Handlers<ChatState, ActionsOf<TurnActions>> = {
  'chat/turnStarted': startTurn,
  'chat/delta': (state, action) => appendText(state, 'markdown', action),
  'chat/reasoning': (state, action) => appendText(state, 'reasoning', action),
  'chat/responsePart': addPart,
  'chat/usage': (state, action) => {
    const turn = activeTurnOf(state, action.turnId);
    return turn === undefined ? state : { ...state, activeTurn: { ...turn, usage: action.usage } };
  },
  'chat/turnComplete': (state, action) => endTurn(state, action, { state: 'complete' }),
  'chat/turnCancelled': (state, action) => endTurn(state, action, { state: 'cancelled' }),
  'chat/error': (state, action) => endTurn(state, action, { state: 'error', errorPart: action.part }),
  'chat/turnResume': resumeTurn,
  'chat/truncated': truncate,
  'chat/turnsLoaded': (state, action) => {
    const known = new Set(state.turns.map((turn) => turn.id));
    const turns = [...action.turns.filter((turn) => !known.has(turn.id)), ...state.turns];
    return put({ ...state, turns }, 'turnsNextCursor', action.turnsNextCursor);
  },
};

/** A turn that began from a pending message uses that message up. */
function startTurn(state: ChatState, action: ActionOf<'chat/turnStarted'>): ChatState {
  const { turnId, startedAt, message, queuedMessageId } = action;
  const activeTurn: ActiveTurn = { id: turnId, startedAt, message, responseParts: [] };
  const started = withUnreadStatus({ ...state, activeTurn, modifiedAt: startedAt });
  if (queuedMessageId === undefined) return started;
  const steered =
    started.steeringMessage?.id === queuedMessageId ? put(started, 'steeringMessage', undefined) : started;
  const queue = removeWhere(steered.queuedMessages ?? [], (entry) => entry.id === queuedMessageId);
  return put(steered, 'queuedMessages', unlessEmpty(queue));
}

/** Finished turns are never touched here, so the cost of a delta does not grow with the history. */
function appendText(
  state: ChatState,
  kind: 'markdown' | 'reasoning',
  action: ActionOf<'chat/delta'> | ActionOf<'chat/reasoning'>,
): ChatState {
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

/** An error part ends its turn, so it comes with `chat/error` and never alone. */
function addPart(state: ChatState, action: ActionOf<'chat/responsePart'>): ChatState {
  const turn = activeTurnOf(state, action.turnId);
  if (turn === undefined || action.part.kind === 'error') return state;
  return withParts(state, turn, [...turn.responseParts, action.part]);
}

interface Ending {
  readonly state: Turn['state'];
  readonly errorPart?: ErrorPart;
}

function endTurn(
  state: ChatState,
  action: { readonly turnId: string; readonly duration: number },
  ending: Ending,
): ChatState {
  const active = activeTurnOf(state, action.turnId);
  if (active === undefined) return state;
  // Whatever is no length of time is none; it would make a moment that no clock knows.
  const duration = Number.isFinite(action.duration) ? Math.max(0, action.duration) : 0;
  const parts = active.responseParts.map(skipUnfinished);
  const turn: Turn = present({
    id: active.id,
    startedAt: active.startedAt,
    duration,
    message: active.message,
    responseParts: ending.errorPart === undefined ? parts : [...parts, ending.errorPart],
    usage: active.usage,
    state: ending.state,
  });
  const { activeTurn: _ended, ...rest } = state;
  const modifiedAt = addMilliseconds(active.startedAt, duration) ?? state.modifiedAt;
  const activity = ending.state === 'error' ? statusBits.error : statusBits.idle;
  return { ...rest, status: withActivity(state.status, activity), turns: [...state.turns, turn], modifiedAt };
}

/** Nothing when the start is not a time: a reducer has no clock to ask instead. */
function addMilliseconds(start: string, duration: number): string | undefined {
  const end = new Date(Date.parse(start) + duration);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}

/** The failed turn goes on with everything it said so far, its error included. */
function resumeTurn(state: ChatState, action: ActionOf<'chat/turnResume'>): ChatState {
  const turn = state.turns.at(-1);
  const last = turn?.responseParts.at(-1);
  const resumable = last?.kind === 'error' && last.resumable === true;
  if (state.activeTurn !== undefined || turn?.id !== action.turnId || turn.state !== 'error' || !resumable)
    return state;
  const activeTurn: ActiveTurn = present({
    id: turn.id,
    startedAt: turn.startedAt ?? state.modifiedAt,
    message: turn.message,
    responseParts: turn.responseParts,
    usage: turn.usage,
  });
  return withUnreadStatus({ ...state, turns: state.turns.slice(0, -1), activeTurn });
}

/** Without a turn id the whole history goes, and with it the place where older turns could be loaded from. */
function truncate(state: ChatState, action: ActionOf<'chat/truncated'>): ChatState {
  const { activeTurn: _dropped, ...rest } = state;
  if (action.turnId === undefined) {
    return withCurrentStatus(put({ ...rest, turns: [] }, 'turnsNextCursor', undefined));
  }
  const index = state.turns.findIndex((turn) => turn.id === action.turnId);
  return index < 0 ? state : withCurrentStatus({ ...rest, turns: state.turns.slice(0, index + 1) });
}
