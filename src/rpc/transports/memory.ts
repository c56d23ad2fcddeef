// Two transports joined in memory, for peers that live in one process. Knows neither bytes on a wire nor framing.

import { Outflow } from './backpressure.ts';
import { withDefaults } from './transport.ts';
import type { CloseReason, Limits, Transport, TransportListener } from './transport.ts';

export interface MemoryTransport extends Transport {
  /** Stops reading, as a stuck client does: what the other end sends stays queued with the other end. */
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
  private readonly outflow: Outflow;
  private listener: TransportListener | undefined;
  private queue: { text: string; bytes: number }[] = [];
  private queuedBytes = 0;
  private burstBytes = 0;
  private scheduled = false;
  private held = false;
  private reason: CloseReason | undefined;
  private finished = false;

  constructor(limits: Limits) {
    const giveUp = (reason: CloseReason) => {
      this.queue = [];
      this.queuedBytes = 0;
      this.close(reason);
    };
    this.outflow = new Outflow(limits, { queued: () => this.queuedBytes, giveUp });
  }

  get buffered(): number {
    return this.queuedBytes;
  }

  ready(): boolean {
    return this.outflow.ready();
  }

  onDrain(callback: () => void): Disposable {
    return this.outflow.onDrain(callback);
  }

  send(text: string): void {
    if (this.reason !== undefined) return;
    const bytes = Buffer.byteLength(text);
    this.queue.push({ text, bytes });
    this.queuedBytes += bytes;
    this.burstBytes += bytes;
    this.schedule();
  }

  listen(listener: TransportListener): void {
    this.listener = listener;
    if (this.finished) listener.closed(this.reason ?? { kind: 'local' });
    else this.other?.schedule();
  }

  close(reason: CloseReason = { kind: 'local' }): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.schedule();
  }

  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
    this.other?.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    process.nextTick(this.flush);
  }

  private readonly flush = () => {
    this.scheduled = false;
    const sent = this.burstBytes;
    this.burstBytes = 0;
    const moved = this.handOver();
    if (this.reason === undefined) this.outflow.burst(sent);
    if (moved) this.outflow.moved();
    if (this.reason === undefined) return;
    this.finish(this.reason);
    // An end that does not listen yet still gets what was sent before; one that has stopped reading gets no more.
    if (this.queue.length === 0 || this.other?.reads() === false) this.other?.finish({ kind: 'ended' });
  };

  private handOver(): boolean {
    const reader = this.other;
    const taken = this.queue;
    if (reader?.listener === undefined || taken.length === 0 || !reader.reads()) return false;
    this.queue = [];
    this.queuedBytes = 0;
    // A reader that holds or closes in the middle leaves the rest, like one that reads no further.
    let index = 0;
    for (; index < taken.length && reader.reads(); index++) reader.listener.message(taken[index]?.text ?? '');
    if (index < taken.length) this.putBack(taken.slice(index));
    return true;
  }

  private reads(): boolean {
    return !this.held && this.reason === undefined;
  }

  private putBack(rest: { text: string; bytes: number }[]): void {
    this.queue = [...rest, ...this.queue];
    for (const message of rest) this.queuedBytes += message.bytes;
  }

  private finish(reason: CloseReason): void {
    if (this.finished) return;
    this.finished = true;
    this.reason ??= reason;
    this.outflow.stop();
    this.listener?.closed(this.reason);
  }
}
