// The summary inside a session and the status that follows from its turn. It knows no action.
import { put } from '../../../../../src/protocols/ahp/immutable.ts';
import { statusBits, withActivity, withFlag } from '../../../../../src/protocols/ahp/status.ts';
import type {
  ResponsePart,
  SessionState,
  SessionSummary,
} from '../../../../../src/protocols/ahp/integer1/state.ts';

/** The moment of the change: the host stamps it once, and its clients may compute slightly different ones. */
export type Now = readonly [now: number];

export function withSummary<Key extends keyof SessionSummary>(
  state: SessionState,
  key: Key,
  value: SessionSummary[Key] | undefined,
): SessionState {
  return put(state, 'summary', put(state.summary, key, value));
}

export function withStatus(state: SessionState, status: number): SessionState {
  return withSummary(state, 'status', status);
}

export function modified(state: SessionState, now: number): SessionState {
  return withSummary(state, 'modifiedAt', now);
}

/** The same session with the activity its turn and its questions now give it. */
export function withCurrentStatus(state: SessionState): SessionState {
  return withStatus(state, currentStatus(state));
}

/** As above, and news to the reader. */
export function withUnreadStatus(state: SessionState): SessionState {
  return withStatus(state, withFlag(currentStatus(state), statusBits.isRead, false));
}

function currentStatus(state: SessionState): number {
  const { status } = state.summary;
  const asks = (state.inputRequests ?? []).length > 0;
  const waits = state.activeTurn?.responseParts.some(waitsForPerson) === true;
  if (asks || waits) return withActivity(status, statusBits.inputNeeded);
  return withActivity(status, state.activeTurn === undefined ? statusBits.idle : statusBits.inProgress);
}

const waitingStatuses: ReadonlySet<string> = new Set(['pending-confirmation', 'pending-result-confirmation']);

function waitsForPerson(part: ResponsePart): boolean {
  return part.kind === 'toolCall' && waitingStatuses.has(part.toolCall.status);
}
