// Reads no more of an agent's output while the store is behind, so that the agent waits instead of our memory
// being filled.
import type { ChildTransport } from '../../../rpc/transports/child.ts';

export class ReadingPace {
  readonly #output: Pick<ChildTransport, 'pause' | 'resume'>;
  readonly #room: () => Promise<void> | undefined;
  #isHeld = false;
  #urgent = 0;

  /** `room` is pending while the store is behind. */
  constructor(output: Pick<ChildTransport, 'pause' | 'resume'>, room: () => Promise<void> | undefined) {
    this.#output = output;
    this.#room = room;
  }

  /** Whether the agent waits for us, so that it cannot be heard. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** A message has come. Those that came with it follow; others wait for room. */
  took(): void {
    const room = this.#isHeld || this.#urgent > 0 ? undefined : this.#room();
    if (!room) return;
    this.#isHeld = true;
    this.#output.pause();
    void room.then(() => this.#readOn());
  }

  /** Reads in any case, for an answer that nobody should wait for, until the returned function is called. */
  hurry(): () => void {
    this.#urgent += 1;
    this.#readOn();
    return () => void (this.#urgent -= 1);
  }

  #readOn(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#output.resume();
  }
}
