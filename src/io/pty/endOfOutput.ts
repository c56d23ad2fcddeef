// Finds the end of a terminal's output: we write a marker after all other writers, and read until it appears.
import { randomInt } from 'node:crypto';
import { tryWrite } from './ptyInput.ts';

export class LastWord {
  readonly #side: number;
  readonly #master: number;
  readonly #word = newWord();
  #unsaid = Buffer.from(this.#word);
  #held = '';
  #active = false;
  #over = false;
  #hear = () => {};

  constructor(side: number, master: number) {
    this.#side = side;
    this.#master = master;
  }

  heard(within: number): Promise<void> {
    return new Promise((resolve) => {
      const timers = [setInterval(() => this.#tick(), 20), setTimeout(() => this.#hear(), within)];
      this.#hear = () => {
        timers.forEach((timer) => clearTimeout(timer));
        resolve();
      };
      this.#say();
    });
  }

  /** Returns the text without our marker. */
  listen(text: string): string {
    this.#active = true;
    if (this.#over) return '';
    const all = this.#held + text;
    const at = all.indexOf(this.#word);
    if (at >= 0) {
      this.#over = true;
      this.#held = '';
      this.#hear();
      return all.slice(0, at);
    }
    this.#say();
    const begun = overlap(all, this.#word);
    this.#held = all.slice(all.length - begun);
    return all.slice(0, all.length - begun);
  }

  rest(): string {
    return this.#held;
  }

  #say(): void {
    if (this.#unsaid.length > 0) this.#unsaid = this.#unsaid.subarray(tryWrite(this.#side, this.#unsaid));
  }

  /**
   * The user may have stopped the output with Ctrl-S, so that nothing is written or
   * read; Ctrl-Q continues it.
   */
  #tick(): void {
    if (this.#unsaid.length > 0 && !this.#active) tryWrite(this.#master, Buffer.from('\u0011'));
    this.#active = false;
    this.#say();
  }
}

/** Digits pass unchanged through every terminal mode, and programs cannot guess them. */
function newWord(): string {
  return `\u001b]633;0;${randomInt(1e12)}\u0007`;
}

/** How many characters at the end of the text may be the beginning of the marker. */
function overlap(text: string, word: string): number {
  for (let length = Math.min(text.length, word.length - 1); length > 0; length -= 1)
    if (word.startsWith(text.slice(-length))) return length;
  return 0;
}
