// Writes input to a terminal without blocking while the program does not read it.
import { writeSync } from 'node:fs';

/** The most bytes that may wait for the program; further input is refused. */
const limit = 1_000_000;

/** The delay before the next attempt when the terminal accepts no more, in milliseconds. */
const pause = 10;

/**
 * A terminal stream would retry inside one write until the program has read, and block the whole process. A
 * non-blocking descriptor reports EAGAIN instead.
 */
export class PtyInput {
  readonly #descriptor: number;
  readonly #gone: () => boolean;
  #waiting: Buffer[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `gone` tells whether the descriptor is closed: its number may then belong to another file. */
  constructor(descriptor: number, gone: () => boolean) {
    this.#descriptor = descriptor;
    this.#gone = gone;
  }

  write(text: string): boolean {
    const bytes = Buffer.from(text, 'utf8');
    if (this.#gone() || this.#size + bytes.length > limit) return false;
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    if (!this.#timer) this.#pass();
    return true;
  }

  #pass(): void {
    this.#timer = undefined;
    for (let first = this.#waiting[0]; first && !this.#gone(); first = this.#waiting[0]) {
      const taken = tryWrite(this.#descriptor, first);
      this.#size -= taken;
      if (taken === first.length) this.#waiting.shift();
      else {
        this.#waiting[0] = first.subarray(taken);
        this.#timer = setTimeout(() => this.#pass(), pause);
        return;
      }
    }
  }
}

/** How many bytes the descriptor accepts now. */
export function tryWrite(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch {
    // None now. If the terminal is gone, the program's end is reported soon.
    return 0;
  }
}
