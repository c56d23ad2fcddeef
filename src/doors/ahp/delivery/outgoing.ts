// One action on its way to subscribers: numbered, and encoded once however many there are.
// Knows no action type.
import type { Step } from '../../../host/session/session.ts';
import { doorName } from '../notes.ts';
import type { Target } from '../channels/target.ts';
import type { Piece } from './sendQueue.ts';

export interface Action {
  readonly type: string;
}

export interface ActionOrigin {
  readonly clientId: string;
  readonly clientSeq: number;
}

export interface Envelope {
  /** Absent in version 1, where the action names its own resource. */
  readonly channel?: string;
  readonly action: Action;
  readonly serverSeq: number;
  readonly origin?: ActionOrigin;
  readonly rejectionReason?: string;
}

/** The dispatch that caused an entry, if an AHP client sent it. */
export function dispatchOf({ entry: { by } }: Step): ActionOrigin | undefined {
  return by.kind === 'client' && by.door === doorName && by.mark !== undefined
    ? { clientId: by.client, clientSeq: by.mark }
    : undefined;
}

/** Actions that only add to the text of a part. */
const streams: ReadonlySet<string> = new Set(['chat/delta', 'chat/reasoning']);

export class Outgoing {
  readonly target: Target;
  readonly seq: number;
  readonly action: Action;
  protected readonly origin: { readonly origin?: ActionOrigin };
  #rest: string | undefined;
  #channel = '';
  #text = '';

  constructor(
    target: Target,
    seq: number,
    what: { readonly action: Action; readonly origin?: ActionOrigin | undefined },
  ) {
    this.target = target;
    this.seq = seq;
    this.action = what.action;
    this.origin = what.origin ? { origin: what.origin } : {};
  }

  /** The same under another number. */
  under(seq: number): Outgoing {
    return new Outgoing(this.target, seq, { action: this.action, ...this.origin });
  }

  /**
   * The whole message for subscribers that call the channel so. Most call it the same, and
   * those share one text.
   */
  text(channel: string): string {
    if (this.#text !== '' && this.#channel === channel) return this.#text;
    this.#rest ??= JSON.stringify({ action: this.action, serverSeq: this.seq, ...this.origin }).slice(1);
    this.#channel = channel;
    this.#text = `{"jsonrpc":"2.0","method":"action","params":{"channel":${JSON.stringify(channel)},${this.#rest}}`;
    return this.#text;
  }

  /** The message as a delta of the text that it continues, or undefined. */
  piece(channel: string, within: number): Piece | undefined {
    const { type, turnId, partId, content } = { turnId: '', partId: '', content: undefined, ...this.action };
    if (!streams.has(type) || typeof content !== 'string') return undefined;
    const text = (all: string, seq: number) =>
      new Outgoing(this.target, seq, { action: Object.assign({ ...this.action }, { content: all }) }).text(
        channel,
      );
    return { of: JSON.stringify([channel, type, turnId, partId]), within, content, text };
  }

  envelope(channel: string): Envelope {
    return { channel, action: this.action, serverSeq: this.seq, ...this.origin };
  }
}
