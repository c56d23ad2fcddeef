// Types text into a terminal without ever waiting for the program to read it.
import { writeSync } from 'node:fs';

/** More than this waiting for the program to read, in bytes, and no more is taken. */
const limit = 1_000_000;

/** How long to wait before the next try when the terminal takes no more, in milliseconds. */
const pause = 10;

/**
 * The stream of a terminal would try again and again inside one write until the program has read, and nothing else would happen in the
 * process. A descriptor that does not block says so instead.
 */
export class PtyInput {
  readonly #descriptor: number;
  readonly #gone: () => boolean;
  #waiting: Buffer[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `gone` says when the descriptor is closed: its number may belong to something else a moment later. */
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

/** How many bytes a descriptor that does not block takes now. */
export function tryWrite(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch {
    // It takes none now; where it never will again, the end of the program follows.
    return 0;
  }
}
