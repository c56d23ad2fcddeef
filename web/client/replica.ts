// A copy of one channel's state: what the host confirmed, and what it looks like with our own wishes on top. Pure.
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { ActionEnvelope } from '../../src/protocols/ahp/v1_0/state.ts';
import type { Reducer } from '../../src/protocols/ahp/reducer.ts';

/** An action of ours that the host has not answered yet. */
export interface Proposal {
  readonly clientSeq: number;
  readonly action: ClientAction;
  /** Whether it left on a connection; only then may the host have seen it. */
  readonly sent: boolean;
}

export interface Replica<State> {
  readonly confirmed: State;
  /** The confirmed state with the proposals applied; the same object when there are none. */
  readonly shown: State;
  /** The last host action that is part of `confirmed`. */
  readonly seq: number;
  readonly proposals: readonly Proposal[];
}

export function replicate<State>(
  confirmed: State,
  seq: number,
  { proposals, reduce }: { readonly proposals: readonly Proposal[]; readonly reduce: Reducer<State> },
): Replica<State> {
  const shown = proposals.reduce((state, { action }) => reduce(state, action), confirmed);
  return { confirmed, shown, seq, proposals };
}

/** One action from the host: a foreign one moves the confirmed state under our proposals, our own one settles its proposal. */
export function advance<State>(
  replica: Replica<State>,
  envelope: ActionEnvelope,
  { settled, reduce }: { readonly settled: number | undefined; readonly reduce: Reducer<State> },
): Replica<State> {
  const proposals =
    settled === undefined
      ? replica.proposals
      : replica.proposals.filter(({ clientSeq }) => clientSeq !== settled);
  // A rejected action was never applied; one at or before the snapshot is part of it already.
  const known = envelope.rejectionReason !== undefined || envelope.serverSeq <= replica.seq;
  if (known && proposals.length === replica.proposals.length) return replica;
  const confirmed = known ? replica.confirmed : reduce(replica.confirmed, envelope.action);
  const seq = known ? replica.seq : envelope.serverSeq;
  return replicate(confirmed, seq, { proposals, reduce });
}
