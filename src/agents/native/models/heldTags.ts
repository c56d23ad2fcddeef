// Tells thoughts from words like `ThinkTags`, with one rule in place of guesses: so much of the end is always held back that no tag is ever cut, whatever it holds. Pieces come out cut as ECA cuts them.
import type { Parts } from './parts.ts';
import { tagged } from './thinkTags.ts';
import type { Tags } from './thinkTags.ts';

export class HeldTags {
  readonly #tags: Tags;
  #thinks = false;
  /** How many thoughts there were, and whether the last of them says anything. */
  #thoughts = 0;
  #hasThought = false;
  #held = '';

  constructor(tags: Tags) {
    this.#tags = tags;
  }

  take(text: string, parts: Pick<Parts, 'say' | 'mark'>): void {
    this.#held += text;
    for (;;) {
      const tag = this.#thinks ? this.#tags.end : this.#tags.start;
      const at = this.#held.indexOf(tag);
      if (at < 0) return this.#say(Math.max(0, this.#held.length - (tag.length - 1)), parts);
      this.#say(at, parts);
      this.#held = this.#held.slice(tag.length);
      if (this.#hasThought) parts.mark('reasoning', this.#block(), tagged);
      if (!this.#thinks) this.#thoughts += 1;
      this.#thinks = !this.#thinks;
      this.#hasThought = false;
    }
  }

  /** Something else follows or nothing at all, so what was held is what it is. */
  flush(parts: Pick<Parts, 'say'>): void {
    this.#say(this.#held.length, parts);
  }

  #say(length: number, parts: Pick<Parts, 'say'>): void {
    parts.say(
      this.#thinks ? 'reasoning' : 'text',
      this.#held.slice(0, length),
      this.#thinks ? this.#block() : 'words',
    );
    this.#hasThought ||= this.#thinks && length > 0;
    this.#held = this.#held.slice(length);
  }

  #block(): string {
    return `think ${this.#thoughts}`;
  }
}
