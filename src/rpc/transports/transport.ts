// The port between a peer and a connection: whole text messages both ways. Knows neither
// JSON nor method names.

export interface Transport {
  /** Queues one message. Messages are sent in the order of the calls. A closed transport drops it. */
  send(text: string): void;
  /** Queued bytes that the operating system has not accepted yet. */
  readonly buffered: number;
  /** False while more than `softBufferedBytes` are queued; `onDrain` reports when it is true again. */
  ready(): boolean;
  onDrain(callback: () => void): Disposable;
  /** Starts delivery. Call it once; messages that arrived before are delivered. */
  listen(listener: TransportListener): void;
  /** Closes after sending what is queued, within `closeMs`. */
  close(reason?: CloseReason): void;
}

export interface TransportListener {
  message(text: string): void;
  problem(problem: TransportProblem): void;
  /**
   * The other side will send no more but may still read. The transport closes when the returned promise
   * settles, after `closeMs` at the latest.
   */
  ended?(): Promise<unknown>;
  /** Called exactly once, last. */
  closed(reason: CloseReason): void;
}

/**
 * `parse` and `tooLarge` cost one message. After `framing` and `binary` the transport closes itself; an
 * answer sent from inside the callback still goes out.
 */
export interface TransportProblem {
  readonly kind: 'parse' | 'tooLarge' | 'framing' | 'binary';
  readonly detail: string;
}

export interface CloseReason {
  readonly kind:
    | 'local' // we closed it
    | 'ended' // the other side closed it
    | 'framing' // message boundaries were lost
    | 'binary' // a binary frame where only text is spoken
    | 'tooLarge' // a message that cannot be skipped
    | 'overflow' // the reader left more than maxBufferedBytes unread
    | 'stalled' // the reader took nothing for stalledMs
    | 'unanswered' // no sign of life after a ping
    | 'failed' // an input or output error
    | 'exited'; // the child process ended
  readonly detail?: string;
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
}

export interface Limits {
  /** One incoming message, in bytes. */
  readonly maxMessageBytes: number;
  /** JSON nesting of one incoming message. */
  readonly maxDepth: number;
  /** JSON values in one incoming message; an answer that is waited for may have more. */
  readonly maxValues: number;
  /** How many requests of the other side may be in flight at the same time. */
  readonly maxPending: number;
  /** From here on `ready()` is false. */
  readonly softBufferedBytes: number;
  /** The limit for unread bytes beyond the largest burst of one tick; above it the connection is closed. */
  readonly maxBufferedBytes: number;
  /** A connection whose reader is behind and accepts nothing for this long is closed; 0 disables this. */
  readonly stalledMs: number;
  /** How long an orderly close may take before it is forced. */
  readonly closeMs: number;
}

const MiB = 1024 * 1024;

export const defaultLimits: Limits = {
  maxMessageBytes: 64 * MiB,
  maxDepth: 512,
  maxValues: 100_000,
  maxPending: 1024,
  softBufferedBytes: MiB,
  maxBufferedBytes: 8 * MiB,
  stalledMs: 0,
  closeMs: 1000,
};

export function withDefaults(limits: Partial<Limits> | undefined): Limits {
  return { ...defaultLimits, ...limits };
}
