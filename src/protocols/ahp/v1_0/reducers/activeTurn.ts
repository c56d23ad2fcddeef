// The turn in progress and the chat status that follows from it. It knows no action.
import { put } from '../../immutable.ts';
import { statusBits, withActivity, withFlag } from '../../status.ts';
import type { ActiveTurn, ChatState, ResponsePart } from '../state.ts';

/** The turn in progress, if it is the one an action names. */
export function activeTurnOf(state: ChatState, turnId: string): ActiveTurn | undefined {
  return state.activeTurn?.id === turnId ? state.activeTurn : undefined;
}

export function withParts(
  state: ChatState,
  turn: ActiveTurn,
  responseParts: readonly ResponsePart[],
): ChatState {
  return { ...state, activeTurn: { ...turn, responseParts } };
}

/** The same chat with the activity its turn now has. */
export function withCurrentStatus(state: ChatState): ChatState {
  return put(state, 'status', currentStatus(state));
}

/** As above, and news to the reader. */
export function withUnreadStatus(state: ChatState): ChatState {
  return put(state, 'status', withFlag(currentStatus(state), statusBits.isRead, false));
}

function currentStatus(state: ChatState): number {
  const { activeTurn } = state;
  if (activeTurn === undefined) return withActivity(state.status, statusBits.idle);
  const waits = activeTurn.responseParts.some(waitsForPerson);
  return withActivity(state.status, waits ? statusBits.inputNeeded : statusBits.inProgress);
}

const waitingStatuses: ReadonlySet<string> = new Set([
  'pending-confirmation',
  'pending-result-confirmation',
  'auth-required',
]);

function waitsForPerson(part: ResponsePart): boolean {
  if (part.kind === 'inputRequest') return part.response === undefined;
  return part.kind === 'toolCall' && waitingStatuses.has(part.toolCall.status);
}
