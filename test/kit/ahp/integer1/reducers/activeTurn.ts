// The turn in progress. It knows no action.
import type {
  ActiveTurn,
  ResponsePart,
  SessionState,
} from '../../../../../src/protocols/ahp/integer1/state.ts';

/** The turn in progress, if it is the one an action names. */
export function activeTurnOf(state: SessionState, turnId: string): ActiveTurn | undefined {
  return state.activeTurn?.id === turnId ? state.activeTurn : undefined;
}

export function withParts(
  state: SessionState,
  turn: ActiveTurn,
  responseParts: readonly ResponsePart[],
): SessionState {
  return { ...state, activeTurn: { ...turn, responseParts } };
}
