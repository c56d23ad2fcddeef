// Two connected transports in memory, for peers in one process, without bytes and framing.

import { OutputLimit } from './backpressure.ts';
import { withDefaults } from './transport.ts';
import type { CloseReason, Limits, Transport, TransportListener } from './transport.ts';

export interface MemoryTransport extends Transport {
  /** Stops reading like a stuck client: messages stay queued at the other end. */
  hold(): void;
  release(): void;
}

export function createMemoryPair(limits?: Partial<Limits>): [MemoryTransport, MemoryTransport] {
  const left = new MemoryEnd(withDefaults(limits));
  const right = new MemoryEnd(withDefaults(limits));
  left.other = right;
  right.other = left;
  return [left, right];
}

class MemoryEnd implements MemoryTransport {
  other: MemoryEnd | undefined;
  readonly #outflow: OutputLimit;
  #listener: TransportListener | undefined;
  #queue: { text: string; bytes: number }[] = [];
  #queuedBytes = 0;
  #burstBytes = 0;
  #scheduled = false;
  #held = false;
  #reason: CloseReason | undefined;
  #finished = false;

  constructor(limits: Limits) {
    const giveUp = (reason: CloseReason) => {
      this.#queue = [];
      this.#queuedBytes = 0;
      this.close(reason);
    };
    this.#outflow = new OutputLimit(limits, { queued: () => this.#queuedBytes, giveUp });
  }

  get buffered(): number {
    return this.#queuedBytes;
  }

  ready(): boolean {
    return this.#outflow.ready();
  }

  onDrain(callback: () => void): Disposable {
    return this.#outflow.onDrain(callback);
  }

  send(text: string): void {
    if (this.#reason !== undefined) return;
    const bytes = Buffer.byteLength(text);
    this.#queue.push({ text, bytes });
    this.#queuedBytes += bytes;
    this.#burstBytes += bytes;
    this.#schedule();
  }

  listen(listener: TransportListener): void {
    this.#listener = listener;
    if (this.#finished) listener.closed(this.#reason ?? { kind: 'local' });
    else this.#wakeOther();
  }

  close(reason: CloseReason = { kind: 'local' }): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#schedule();
  }

  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#wakeOther();
  }

  #wakeOther(): void {
    if (this.other) this.other.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(this.#flush);
  }

  readonly #flush = () => {
    this.#scheduled = false;
    const sent = this.#burstBytes;
    this.#burstBytes = 0;
    const moved = this.#handOver();
    if (this.#reason === undefined) this.#outflow.burst(sent);
    if (moved) this.#outflow.moved();
    if (this.#reason === undefined) return;
    this.#finish(this.#reason);
    // An end that does not listen yet still gets earlier messages; one that has stopped reading gets no more.
    const { other } = this;
    if (other && (this.#queue.length === 0 || !other.#reads())) other.#finish({ kind: 'ended' });
  };

  #handOver(): boolean {
    const reader = this.other;
    const taken = this.#queue;
    const listener = reader && reader.#listener;
    if (!reader || !listener || taken.length === 0 || !reader.#reads()) return false;
    this.#queue = [];
    this.#queuedBytes = 0;
    // The rest stays queued if the reader holds or closes in between.
    let index = 0;
    for (; index < taken.length && reader.#reads(); index++) listener.message(taken[index]?.text ?? '');
    if (index < taken.length) this.#putBack(taken.slice(index));
    return true;
  }

  #reads(): boolean {
    return !this.#held && this.#reason === undefined;
  }

  #putBack(rest: { text: string; bytes: number }[]): void {
    this.#queue = [...rest, ...this.#queue];
    for (const message of rest) this.#queuedBytes += message.bytes;
  }

  #finish(reason: CloseReason): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#reason ??= reason;
    this.#outflow.stop();
    this.#listener?.closed(this.#reason);
  }
}
