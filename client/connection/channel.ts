// One channel as the views see it: its state and its status as signals. It sends nothing.
import { signal } from '@preact/signals';
import type { ReadonlySignal } from '@preact/signals';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import { reducers } from '../../src/protocols/ahp/v1_0/reduce.ts';
import type { ActionEnvelope, ChannelStates, Snapshot } from '../../src/protocols/ahp/v1_0/state.ts';
import type { Reducer } from '../../src/protocols/ahp/reducer.ts';
import { advance, replicate } from './replica.ts';
import type { Proposal, Replica } from './replica.ts';

export type ChannelKind = keyof ChannelStates;

export type ChannelStatus =
  | { readonly kind: 'opening' }
  | { readonly kind: 'open' }
  /** The host does not have the channel, or no longer has it. */
  | { readonly kind: 'gone'; readonly reason: string };

export interface Channel<State = unknown> {
  readonly uri: URI;
  /** With our own actions that the host has not confirmed yet. */
  readonly state: ReadonlySignal<State | undefined>;
  /** Without them. */
  readonly confirmed: ReadonlySignal<State | undefined>;
  readonly status: ReadonlySignal<ChannelStatus>;
}

export class LiveChannel<Kind extends ChannelKind = ChannelKind> implements Channel<ChannelStates[Kind]> {
  readonly uri: URI;
  readonly kind: Kind;
  readonly state = signal<ChannelStates[Kind] | undefined>(undefined);
  readonly confirmed = signal<ChannelStates[Kind] | undefined>(undefined);
  readonly status = signal<ChannelStatus>({ kind: 'opening' });
  /** How many views follow the channel. */
  holders = 0;
  readonly turns: number | undefined;
  #replica: Replica<ChannelStates[Kind]> | undefined;
  #proposals: readonly Proposal[] = [];
  readonly #reduce: Reducer<ChannelStates[Kind]>;

  constructor(uri: URI, kind: Kind, turns?: number) {
    this.uri = uri;
    this.kind = kind;
    this.turns = turns;
    this.#reduce = reducers[kind];
  }

  get proposals(): readonly Proposal[] {
    return this.#proposals;
  }

  /** Applies the action to the shown state before the host has confirmed it. */
  propose(proposal: Proposal): void {
    this.#setProposals([...this.#proposals, proposal]);
  }

  markSent(clientSeq: number): void {
    this.#proposals = this.#proposals.map((proposal) =>
      proposal.clientSeq === clientSeq ? { ...proposal, sent: true } : proposal,
    );
    if (this.#replica) this.#replica = { ...this.#replica, proposals: this.#proposals };
  }

  /** Removes unconfirmed proposals from the shown state and returns them. */
  withdraw(matches: (proposal: Proposal) => boolean): readonly Proposal[] {
    const withdrawn = this.#proposals.filter(matches);
    if (withdrawn.length > 0) this.#setProposals(this.#proposals.filter((proposal) => !matches(proposal)));
    return withdrawn;
  }

  load({ state, fromSeq }: Snapshot): void {
    // The channel's kind says which state its snapshots hold.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    this.#show(this.#replicate(state as ChannelStates[Kind], fromSeq));
    this.status.value = { kind: 'open' };
  }

  receive(envelope: ActionEnvelope, settled: number | undefined): void {
    if (!this.#replica) {
      this.#proposals = this.#proposals.filter(({ clientSeq }) => clientSeq !== settled);
      return;
    }
    const replica = advance(this.#replica, envelope, { settled, reduce: this.#reduce });
    this.#proposals = replica.proposals;
    this.#show(replica);
  }

  lose(reason: string): void {
    this.status.value = { kind: 'gone', reason };
  }

  #setProposals(proposals: readonly Proposal[]): void {
    this.#proposals = proposals;
    if (this.#replica) this.#show(this.#replicate(this.#replica.confirmed, this.#replica.seq));
  }

  #replicate(confirmed: ChannelStates[Kind], seq: number): Replica<ChannelStates[Kind]> {
    return replicate(confirmed, seq, { proposals: this.#proposals, reduce: this.#reduce });
  }

  #show(replica: Replica<ChannelStates[Kind]>): void {
    this.#replica = replica;
    this.confirmed.value = replica.confirmed;
    this.state.value = replica.shown;
  }
}
