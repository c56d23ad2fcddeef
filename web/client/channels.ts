// The channels that views hold and the actions proposed on them. It decides when to subscribe, and leaves the sending to its user.
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { ActionEnvelope, Snapshot } from '../../src/protocols/ahp/v1_0/state.ts';
import { LiveChannel } from './channel.ts';
import type { ChannelKind } from './channel.ts';
import type { Proposal } from './replica.ts';

/** How an action of ours ended. `unconfirmed`: the connection was lost and nobody can tell whether the host has it. */
export type Settlement =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'unconfirmed' };

export interface ChannelsOptions {
  readonly clientId: string;
  readonly isConnected: () => boolean;
  readonly subscribe: (channel: LiveChannel) => void;
  readonly unsubscribe: (uri: URI) => void;
}

/** A channel nobody holds any more is kept this long, so that going back and forth does not load it again. */
const keepMs = 10_000;

/** A connected host that says nothing to an action for this long will not say anything: it may pass over what it does not know. */
const patienceMs = 30_000;

export class Channels {
  /** The newest host action that was seen on any channel. */
  lastSeq = 0;
  readonly #byUri = new Map<URI, LiveChannel>();
  readonly #closing = new Map<URI, ReturnType<typeof setTimeout>>();
  readonly #waiting = new Map<number, (settlement: Settlement) => void>();
  readonly #options: ChannelsOptions;
  #lastClientSeq = 0;

  constructor(options: ChannelsOptions) {
    this.#options = options;
  }

  get all(): readonly LiveChannel[] {
    return [...this.#byUri.values()];
  }

  open(kind: ChannelKind, uri: URI, turns?: number): LiveChannel {
    clearTimeout(this.#closing.get(uri));
    this.#closing.delete(uri);
    let channel = this.#byUri.get(uri);
    if (!channel || channel.condition.peek().kind === 'gone') {
      channel = new LiveChannel(uri, kind, turns);
      this.#byUri.set(uri, channel);
      this.#options.subscribe(channel);
    }
    channel.holders += 1;
    return channel;
  }

  release(uri: URI): void {
    const channel = this.#byUri.get(uri);
    if (!channel || --channel.holders > 0) return;
    this.#closing.set(
      uri,
      setTimeout(() => this.#forget(channel), keepMs),
    );
  }

  load(snapshot: Snapshot): void {
    this.#byUri.get(snapshot.resource)?.load(snapshot);
  }

  receive(envelope: ActionEnvelope): void {
    const { channel: uri, serverSeq, origin, rejectionReason } = envelope;
    const own = origin?.clientId === this.#options.clientId ? origin.clientSeq : undefined;
    const channel = this.#byUri.get(uri);
    try {
      channel?.receive(envelope, own);
    } catch {
      // An action that does not fit our copy is a copy that has gone wrong: take a fresh one.
      if (channel) this.#options.subscribe(channel);
    }
    // A rejection has no place in the order of what happened.
    if (rejectionReason === undefined) this.lastSeq = Math.max(this.lastSeq, serverSeq);
    if (own === undefined) return;
    this.#settle(
      own,
      rejectionReason === undefined ? { kind: 'accepted' } : { kind: 'rejected', reason: rejectionReason },
    );
  }

  /** The promise never fails: that the host says no is an outcome. */
  propose(uri: URI, action: ClientAction, send: (proposal: Proposal) => boolean): Promise<Settlement> {
    const channel = this.#byUri.get(uri);
    if (!channel) return Promise.resolve({ kind: 'rejected', reason: 'It is not open any more.' });
    const clientSeq = ++this.#lastClientSeq;
    const settled = new Promise<Settlement>((resolve) => this.#waiting.set(clientSeq, resolve));
    const proposal: Proposal = { clientSeq, action, sent: false };
    channel.propose({ ...proposal, sent: send(proposal) });
    this.#watch(channel, clientSeq);
    return settled;
  }

  /** Every open proposal in the order it was made, for sending what the host does not have. */
  resend(send: (uri: URI, proposal: Proposal) => void): void {
    const open = this.all.flatMap((channel) => channel.proposals.map((proposal) => ({ channel, proposal })));
    for (const { channel, proposal } of open.toSorted(
      (a, b) => a.proposal.clientSeq - b.proposal.clientSeq,
    )) {
      channel.markSent(proposal.clientSeq);
      send(channel.uri, proposal);
    }
  }

  /** Takes back the actions that the host may or may not have; whoever made them has to look. */
  giveUpSent(uri: URI): void {
    const gone = this.#byUri.get(uri)?.withdraw(({ sent }) => sent) ?? [];
    for (const { clientSeq } of gone) this.#settle(clientSeq, { kind: 'unconfirmed' });
  }

  lose(uri: URI, reason: string): void {
    const channel = this.#byUri.get(uri);
    channel?.lose(reason);
    for (const { clientSeq } of channel?.withdraw(() => true) ?? [])
      this.#settle(clientSeq, { kind: 'rejected', reason });
  }

  /** While the connection is away the host cannot answer, so the waiting begins again. */
  #watch(channel: LiveChannel, clientSeq: number): void {
    setTimeout(() => {
      if (!this.#waiting.has(clientSeq)) return;
      if (!this.#options.isConnected()) return this.#watch(channel, clientSeq);
      channel.withdraw((proposal) => proposal.clientSeq === clientSeq);
      this.#settle(clientSeq, { kind: 'unconfirmed' });
    }, patienceMs);
  }

  #forget(channel: LiveChannel): void {
    this.#closing.delete(channel.uri);
    this.#byUri.delete(channel.uri);
    this.#options.unsubscribe(channel.uri);
  }

  #settle(clientSeq: number, settlement: Settlement): void {
    const resolve = this.#waiting.get(clientSeq);
    this.#waiting.delete(clientSeq);
    resolve?.(settlement);
  }
}
