// The channels that views follow and the actions proposed on them. It decides when to
// subscribe; its owner sends.
import type { ClientAction } from '../../src/protocols/ahp/v1_0/actions.ts';
import type { URI } from '../../src/protocols/ahp/v1_0/content.ts';
import type { ActionEnvelope, Snapshot } from '../../src/protocols/ahp/v1_0/state.ts';
import { LiveChannel } from './channel.ts';
import type { ChannelKind } from './channel.ts';
import type { Proposal } from './replica.ts';

/**
 * The outcome of our action. `unconfirmed`: the host did not answer, so it may or may not have the action.
 */
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

/** A channel that no view follows stays subscribed this long, so that going back does not load it again. */
const keepMs = 10_000;

/**
 * A connected host that has not answered an action after this time ignores it, for example
 * because it is unknown.
 */
const answerTimeoutMs = 30_000;

export class Channels {
  /** The highest sequence number received on any channel. */
  lastSeq = 0;
  readonly #byUri = new Map<URI, LiveChannel>();
  readonly #closing = new Map<URI, ReturnType<typeof setTimeout>>();
  readonly #waiting = new Map<number, (settlement: Settlement) => void>();
  readonly #timeouts = new Map<number, ReturnType<typeof setTimeout>>();
  readonly #options: ChannelsOptions;
  #lastClientSeq = 0;
  #isClosed = false;

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
    if (!channel || channel.status.peek().kind === 'gone') {
      channel = new LiveChannel(uri, kind, turns);
      this.#byUri.set(uri, channel);
      this.#options.subscribe(channel);
    }
    channel.holders += 1;
    return channel;
  }

  release(uri: URI): void {
    const channel = this.#byUri.get(uri);
    if (!channel || --channel.holders > 0 || this.#isClosed) return;
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
    const ownSeq = origin?.clientId === this.#options.clientId ? origin.clientSeq : undefined;
    const channel = this.#byUri.get(uri);
    try {
      channel?.receive(envelope, ownSeq);
    } catch {
      // An action that does not fit means that our copy is wrong: load a fresh one.
      if (channel) this.#options.subscribe(channel);
    }
    // A rejected action has no sequence number of its own.
    if (rejectionReason === undefined) this.lastSeq = Math.max(this.lastSeq, serverSeq);
    if (ownSeq === undefined) return;
    this.#settle(
      ownSeq,
      rejectionReason === undefined ? { kind: 'accepted' } : { kind: 'rejected', reason: rejectionReason },
    );
  }

  /** Never rejects: a refusal by the host is a settlement. */
  propose(uri: URI, action: ClientAction, send: (proposal: Proposal) => boolean): Promise<Settlement> {
    const channel = this.#byUri.get(uri);
    if (!channel) return Promise.resolve({ kind: 'rejected', reason: 'The channel is closed.' });
    const clientSeq = ++this.#lastClientSeq;
    const settled = new Promise<Settlement>((resolve) => this.#waiting.set(clientSeq, resolve));
    const proposal: Proposal = { clientSeq, action, sent: false };
    channel.propose({ ...proposal, sent: send(proposal) });
    this.#watch(channel, clientSeq);
    return settled;
  }

  /** Sends every open proposal again, in the order in which they were made. */
  resend(send: (uri: URI, proposal: Proposal) => void): void {
    const open = this.all.flatMap((channel) => channel.proposals.map((proposal) => ({ channel, proposal })));
    for (const { channel, proposal } of open.toSorted(
      (a, b) => a.proposal.clientSeq - b.proposal.clientSeq,
    )) {
      channel.markSent(proposal.clientSeq);
      send(channel.uri, proposal);
    }
  }

  /** Withdraws the actions that were sent but not confirmed, and settles them as unconfirmed. */
  giveUpSent(uri: URI): void {
    const withdrawn = this.#byUri.get(uri)?.withdraw(({ sent }) => sent) ?? [];
    for (const { clientSeq } of withdrawn) this.#settle(clientSeq, { kind: 'unconfirmed' });
  }

  lose(uri: URI, reason: string): void {
    const channel = this.#byUri.get(uri);
    channel?.lose(reason);
    for (const { clientSeq } of channel?.withdraw(() => true) ?? [])
      this.#settle(clientSeq, { kind: 'rejected', reason });
  }

  /** Settles what is open as unconfirmed and keeps no timer. */
  close(): void {
    this.#isClosed = true;
    for (const timer of this.#closing.values()) clearTimeout(timer);
    this.#closing.clear();
    for (const clientSeq of [...this.#waiting.keys()]) this.#settle(clientSeq, { kind: 'unconfirmed' });
  }

  /** The timeout starts again while there is no connection, because the host cannot answer. */
  #watch(channel: LiveChannel, clientSeq: number): void {
    const timeout = setTimeout(() => {
      if (!this.#options.isConnected()) return this.#watch(channel, clientSeq);
      channel.withdraw((proposal) => proposal.clientSeq === clientSeq);
      this.#settle(clientSeq, { kind: 'unconfirmed' });
    }, answerTimeoutMs);
    this.#timeouts.set(clientSeq, timeout);
  }

  #forget(channel: LiveChannel): void {
    this.#closing.delete(channel.uri);
    this.#byUri.delete(channel.uri);
    this.#options.unsubscribe(channel.uri);
  }

  #settle(clientSeq: number, settlement: Settlement): void {
    const resolve = this.#waiting.get(clientSeq);
    this.#waiting.delete(clientSeq);
    clearTimeout(this.#timeouts.get(clientSeq));
    this.#timeouts.delete(clientSeq);
    resolve?.(settlement);
  }
}
