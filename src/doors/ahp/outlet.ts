// The way out of one connection: what was published together leaves in the order of its numbers. Knows no session and no dialect.
import { lastOf, posOf, seqUpTo } from './serverSeq.ts';

export interface OutletOptions {
  readonly send: (text: string) => void;
  /** The newest published position of the host. */
  readonly shown: () => number;
}

/**
 * Sessions publish one after the other what one commit has stored, so their numbers do not arrive in order. A client takes the
 * greatest number for what it has seen, and would miss the smaller ones if the connection broke in between.
 */
export class Outlet {
  readonly #options: OutletOptions;
  #numbered: { readonly seq: number; readonly text: string }[] = [];
  #unnumbered: ((seq: () => number) => string)[] = [];
  #scheduled = false;
  #last = 0;

  constructor(options: OutletOptions) {
    this.#options = options;
  }

  /** The greatest number the client has seen. */
  get last(): number {
    return this.#last;
  }

  /** The client has seen everything up to a number by other means, such as a snapshot. */
  saw(seq: number): void {
    this.#last = Math.max(this.#last, seq);
  }

  push(seq: number, text: string): void {
    this.#numbered.push({ seq, text });
    this.#schedule();
  }

  /** Something without an entry, told after what is already on its way. It may take a number, which nothing else will have. */
  tell(make: (seq: () => number) => string): void {
    this.#unnumbered.push(make);
    this.#schedule();
  }

  /** A fresh number for what has no entry. Those of a position may run out, and then its last one is shared until the log goes on. */
  nextSeq(): number {
    const last = Math.max(this.#last, seqUpTo(this.#options.shown()));
    this.#last = Math.min(last + 1, lastOf(posOf(last)));
    return this.#last;
  }

  /** Sends what waits now, so that an answer made from the present state comes after it. */
  flush(): void {
    const numbered = this.#numbered.toSorted((a, b) => a.seq - b.seq);
    const unnumbered = this.#unnumbered;
    this.#numbered = [];
    this.#unnumbered = [];
    for (const { seq, text } of numbered) {
      this.saw(seq);
      this.#options.send(text);
    }
    for (const make of unnumbered) this.#options.send(make(() => this.nextSeq()));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.flush();
    });
  }
}
