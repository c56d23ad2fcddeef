// Tracks how far the reader of one connection is behind: readiness, drain, overflow and stall.
// Knows byte counts only.

import type { CloseReason, Limits } from './transport.ts';

export class OutputLimit {
  readonly #limits: Limits;
  readonly #queued: () => number;
  readonly #giveUp: (reason: CloseReason) => void;
  readonly #drains = new Set<() => void>();
  #full = false;
  #stopped = false;
  #largestBurst = 0;
  #stall: NodeJS.Timeout | undefined;

  /** `queued` returns the unsent bytes; `giveUp` must end the connection without waiting for its reader. */
  constructor(limits: Limits, ports: { queued: () => number; giveUp: (reason: CloseReason) => void }) {
    this.#limits = limits;
    this.#queued = ports.queued;
    this.#giveUp = ports.giveUp;
  }

  ready(): boolean {
    if (this.#queued() < this.#limits.softBufferedBytes) return true;
    this.#fill();
    return false;
  }

  onDrain(callback: () => void): Disposable {
    // A new function, so that the same callback can be registered twice.
    const drain = () => callback();
    this.#drains.add(drain);
    return { [Symbol.dispose]: () => void this.#drains.delete(drain) };
  }

  /**
   * Called after the messages of a tick were queued. The output of one tick never counts as overflow, since
   * the reader had no chance to read it; bytes that were unread before do.
   */
  burst(bytes: number): void {
    const queued = this.#queued();
    const { maxBufferedBytes, softBufferedBytes } = this.#limits;
    if (queued - bytes > maxBufferedBytes + this.#largestBurst) {
      this.#giveUp({ kind: 'overflow', detail: `${queued} bytes are unread` });
      return;
    }
    this.#largestBurst = queued === 0 ? 0 : Math.max(this.#largestBurst, bytes);
    if (queued >= softBufferedBytes) this.#fill();
  }

  /** Called whenever the operating system has accepted data. */
  moved(): void {
    if (!this.#full) return;
    clearTimeout(this.#stall);
    this.#stall = undefined;
    const queued = this.#queued();
    if (queued === 0) this.#largestBurst = 0;
    if (queued > this.#limits.softBufferedBytes / 2) {
      this.#watch();
      return;
    }
    this.#full = false;
    // A copy, because a callback may subscribe again.
    for (const drain of Array.from(this.#drains)) drain();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#stall);
    this.#drains.clear();
  }

  #fill(): void {
    this.#full = true;
    if (this.#stall === undefined) this.#watch();
  }

  #watch(): void {
    const { stalledMs } = this.#limits;
    if (stalledMs === 0 || this.#stopped) return;
    const stalled = () => this.#giveUp({ kind: 'stalled', detail: `nothing was read for ${stalledMs} ms` });
    this.#stall = setTimeout(stalled, stalledMs);
    this.#stall.unref();
  }
}
