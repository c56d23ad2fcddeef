// One action on its way to subscribers: numbered, and encoded once however many there are. Knows no action type.
import type { ChatId } from '../../model/event.ts';

/** A channel within a log: a chat by its id, or one of the two below. */
export type Place = ChatId;

/** The channel of the session itself; no chat has an empty id. */
export const whole: Place = '';

/** The root channel, whose facts are in the host's own log; no chat has a blank in its id. */
export const root: Place = ' root';

/** The channel of what a session has changed in files. */
export const changes: Place = ' changes';

/** A channel on which nothing happens any more. */
export const still: Place = ' still';

/** Stands for what is in no log. */
export const outside: Place = ' outside';

export interface Action {
  readonly type: string;
}

export interface Origin {
  readonly clientId: string;
  readonly clientSeq: number;
}

export interface Envelope {
  /** Version 1 has none; there the action itself says what it is about. */
  readonly channel?: string;
  readonly action: Action;
  readonly serverSeq: number;
  readonly origin?: Origin;
  readonly rejectionReason?: string;
}

export class Outgoing {
  readonly place: Place;
  readonly seq: number;
  readonly action: Action;
  protected readonly origin: { readonly origin?: Origin };
  #rest: string | undefined;
  #channel = '';
  #text = '';

  constructor(place: Place, seq: number, what: { readonly action: Action; readonly origin?: Origin | undefined }) {
    this.place = place;
    this.seq = seq;
    this.action = what.action;
    this.origin = what.origin ? { origin: what.origin } : {};
  }

  /** The whole message for subscribers that call the channel so. Most call it the same, and those share one text. */
  text(channel: string): string {
    if (this.#text !== '' && this.#channel === channel) return this.#text;
    this.#rest ??= JSON.stringify({ action: this.action, serverSeq: this.seq, ...this.origin }).slice(1);
    this.#channel = channel;
    this.#text = `{"jsonrpc":"2.0","method":"action","params":{"channel":${JSON.stringify(channel)},${this.#rest}}`;
    return this.#text;
  }

  envelope(channel: string): Envelope {
    return { channel, action: this.action, serverSeq: this.seq, ...this.origin };
  }
}
