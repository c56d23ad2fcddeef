// The way out of one connection: what was published together leaves in the order of its numbers. Knows no
// session and no version.
import type { Clock } from '../../../host/ports.ts';
import { lastOf, posOf, seqUpTo } from './serverSeq.ts';

export interface SendQueueOptions {
  readonly send: (text: string) => void;
  /** The newest published position, as far as the client was sent everything up to it. */
  readonly shown: () => number;
  readonly clock: Pick<Clock, 'after' | 'elapsed'>;
  /** Resolves when there may be new numbers for messages without a log entry. */
  readonly newNumbers: () => Promise<void>;
  /** Told the greatest number that the client has seen, whenever there is a greater one. */
  readonly seen?: (seq: number) => void;
}

/** A piece of a stream that its reader allows to come a little later, together with what follows it. */
export interface Piece {
  /** What it is a piece of. */
  readonly of: string;
  /** How long it may wait, in milliseconds. */
  readonly within: number;
  readonly content: string;
  /** The message for several pieces together. */
  text(content: string, seq: number): string;
}

interface Numbered {
  readonly seq: number;
  readonly text: string;
  readonly piece: Piece | undefined;
}

interface Unnumbered {
  readonly make: (seq: () => number) => string;
  readonly takesNumber: boolean;
}

/** How long to wait before a store that has failed is asked again, in milliseconds. */
const retryPause = 250;
/** How long whoever needs all that waits goes on waiting for a store that is away, in milliseconds. */
const patience = 15_000;

/**
 * Sessions publish one after the other what one commit has stored, so their numbers do not arrive in order.
 * A client treats the greatest number as the last one it has seen, and would miss smaller ones if the
 * connection broke in between.
 */
export class SendQueue {
  readonly #options: SendQueueOptions;
  #numbered: Numbered[] = [];
  /** A piece of a stream that may still grow, and what takes its timer back. */
  #held: { readonly piece: Piece; seq: number; content: string; readonly recall: () => void } | undefined;
  #unnumbered: Unnumbered[] = [];
  #waiting: Promise<void> | undefined;
  /** Since when the store gives no numbers. */
  #awaySince: number | undefined;
  #scheduled = false;
  #isClosed = false;
  #last = 0;
  #told = 0;

  constructor(options: SendQueueOptions) {
    this.#options = options;
  }

  /** The greatest number the client has seen. */
  get last(): number {
    return this.#last;
  }

  /** Set while messages wait for a number; resolves when they are tried again. */
  get waiting(): Promise<void> | undefined {
    return this.#waiting;
  }

  /** Whether messages have waited for a store that is away for longer than others should wait for them. */
  get isStuck(): boolean {
    return this.#awaySince !== undefined && this.#options.clock.elapsed() - this.#awaySince > patience;
  }

  /** The client has seen everything up to a number by other means, such as a snapshot. */
  saw(seq: number): void {
    this.#last = Math.max(this.#last, seq);
  }

  /** A delta may wait for more of its stream while nothing else has to be sent. */
  push(seq: number, text: string, piece?: Piece): void {
    this.#numbered.push({ seq, text, piece });
    this.#schedule();
  }

  /** Queues a message without a log entry, which takes a sequence number. */
  tell(make: (seq: () => number) => string): void {
    this.#queue({ make, takesNumber: true });
  }

  /** Queues a message that takes no number. It does not wait for those that there are no numbers for. */
  notify(make: () => string): void {
    this.#queue({ make, takesNumber: false });
  }

  /** For how many messages without a log entry there are numbers before the next position. */
  get free(): number {
    return lastOf(posOf(this.#newest)) - this.#newest;
  }

  /** A new number for a message without a log entry, if some are free. */
  nextSeq(): number {
    this.#last = this.#newest + 1;
    return this.#last;
  }

  get #newest(): number {
    return Math.max(this.#last, seqUpTo(this.#options.shown()));
  }

  /** The client is gone, so nothing waits for numbers. */
  close(): void {
    this.#isClosed = true;
    this.#unnumbered = [];
  }

  /**
   * Sends the queue now, so that an answer made from the current state comes after it; only the timer lets
   * deltas wait for more.
   */
  flush(how: 'everything' | 'all but pieces' = 'everything'): void {
    const numbered = this.#numbered.toSorted((a, b) => a.seq - b.seq);
    this.#numbered = [];
    for (const one of numbered) if (!this.#hold(one)) this.#send(one);
    if (this.#unnumbered.length > 0 || how === 'everything') this.#release();
    this.#sendUnnumbered();
    if (this.#unnumbered.length > 0) this.#waiting ??= this.#wait();
    else this.#awaySince = undefined;
    if (this.#last === this.#told) return;
    this.#told = this.#last;
    this.#options.seen?.(this.#last);
  }

  #queue(message: Unnumbered): void {
    if (this.#isClosed) return;
    this.#unnumbered.push(message);
    this.#schedule();
  }

  #sendUnnumbered(): void {
    const late: Unnumbered[] = [];
    for (const message of this.#unnumbered.splice(0)) {
      if (message.takesNumber && this.free === 0) late.push(message);
      else this.#options.send(message.make(() => this.nextSeq()));
    }
    if (!this.#isClosed) this.#unnumbered.unshift(...late);
  }

  /** A position has only so many numbers. A store that is away is asked again. */
  async #wait(): Promise<void> {
    const { newNumbers, clock } = this.#options;
    try {
      await newNumbers();
      this.#awaySince = undefined;
    } catch {
      this.#awaySince ??= clock.elapsed();
      await new Promise<void>((resolve) => void clock.after(retryPause, resolve));
    }
    this.#waiting = undefined;
    this.flush('all but pieces');
  }

  /** True if the piece was merged into the held message, or is held itself. */
  #hold({ seq, piece }: Numbered): boolean {
    if (!piece || piece.within <= 0) return false;
    if (this.#held?.piece.of !== piece.of) {
      this.#release();
      const recall = this.#options.clock.after(piece.within, () => this.flush());
      this.#held = { piece, seq, content: '', recall };
    }
    this.#held.seq = seq;
    this.#held.content += piece.content;
    return true;
  }

  #release(): void {
    const held = this.#held;
    if (!held) return;
    this.#held = undefined;
    held.recall();
    this.saw(held.seq);
    this.#options.send(held.piece.text(held.content, held.seq));
  }

  #send({ seq, text }: Numbered): void {
    this.#release();
    this.saw(seq);
    this.#options.send(text);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.flush('all but pieces');
    });
  }
}
