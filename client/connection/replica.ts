// A copy of one channel's state: as confirmed by the host, and with our unconfirmed actions applied. Pure.
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { ActionEnvelope } from '../../src/protocols/ahp/v1_0/state.ts';
import type { Reducer } from '../../src/protocols/ahp/reducer.ts';

/** Our action that the host has not answered yet. */
export interface Proposal {
  readonly clientSeq: number;
  readonly action: ClientAction;
  /** True once it was sent; only then may the host have seen it. */
  readonly sent: boolean;
}

export interface Replica<State> {
  readonly confirmed: State;
  /** The confirmed state with the proposals applied; the same object when there are none. */
  readonly shown: State;
  /** The sequence number of the last action in `confirmed`. */
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

/** Applies one action from the host to the confirmed state; if it is our own, its proposal is removed. */
export function advance<State>(
  replica: Replica<State>,
  envelope: ActionEnvelope,
  { settled, reduce }: { readonly settled: number | undefined; readonly reduce: Reducer<State> },
): Replica<State> {
  const proposals =
    settled === undefined
      ? replica.proposals
      : replica.proposals.filter(({ clientSeq }) => clientSeq !== settled);
  // A rejected action was never applied; one at or before the snapshot is already part of it.
  const skipped = envelope.rejectionReason !== undefined || envelope.serverSeq <= replica.seq;
  if (skipped && proposals.length === replica.proposals.length) return replica;
  const confirmed = skipped ? replica.confirmed : reduce(replica.confirmed, envelope.action);
  const seq = skipped ? replica.seq : envelope.serverSeq;
  return replicate(confirmed, seq, { proposals, reduce });
}
