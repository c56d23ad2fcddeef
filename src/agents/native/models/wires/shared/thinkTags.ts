// Separates reasoning from text if a server sends reasoning between tags. Applies only to answers
// that begin with the tag.
import type { Parts } from './parts.ts';

export interface Tags {
  readonly start: string;
  readonly end: string;
}

/** Marks reasoning that arrived between tags, so that it is sent back between tags. */
const tagged = { chat: { thoughtTags: 'yes' } } as const;

export class ThinkTags {
  #state: 'beginning' | 'thinking' | 'after' | 'plain' = 'beginning';
  /** Text that may be the beginning of a tag. */
  #held = '';
  #hasThought = false;
  readonly #start: string;
  readonly #end: string;

  constructor({ start, end }: Tags) {
    this.#start = start;
    this.#end = end;
  }

  take(text: string, parts: Pick<Parts, 'say' | 'mark'>): void {
    if (this.#state === 'plain') return parts.say('text', text, 'words');
    const words = this.#held + text;
    this.#held = '';
    if (this.#state === 'beginning') this.#begin(words, parts);
    else if (this.#state === 'thinking') this.#think(words, parts);
    else this.#goOn(words, parts);
  }

  /** Releases held text, since no more text follows that could complete a tag. */
  flush(parts: Pick<Parts, 'say'>): void {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'thinking') parts.say('reasoning', held, 'think');
    else parts.say('text', held, 'words');
  }

  #begin(words: string, parts: Pick<Parts, 'say' | 'mark'>): void {
    const trimmed = words.trimStart();
    if (trimmed.startsWith(this.#start)) {
      this.#state = 'thinking';
      this.#think(trimmed.slice(this.#start.length), parts);
    } else if (this.#start.startsWith(trimmed)) this.#held = words;
    else {
      this.#state = 'plain';
      parts.say('text', words, 'words');
    }
  }

  #think(words: string, parts: Pick<Parts, 'say' | 'mark'>): void {
    const at = words.indexOf(this.#end);
    const tail = at < 0 ? tailOf(words, this.#end) : 0;
    const thought = words.slice(0, at < 0 ? words.length - tail : at);
    parts.say('reasoning', thought, 'think');
    this.#hasThought ||= thought !== '';
    if (at < 0) this.#held = words.slice(words.length - tail);
    else {
      this.#state = 'after';
      if (this.#hasThought) parts.mark('reasoning', 'think', tagged);
      this.#goOn(words.slice(at + this.#end.length), parts);
    }
  }

  /** Servers put empty lines between reasoning and answer. */
  #goOn(words: string, parts: Pick<Parts, 'say'>): void {
    const text = words.trimStart();
    if (text === '') return;
    this.#state = 'plain';
    parts.say('text', text, 'words');
  }
}

/** How many characters at the end may be the beginning of the end tag. */
function tailOf(words: string, end: string): number {
  for (let length = Math.min(end.length - 1, words.length); length > 0; length -= 1)
    if (end.startsWith(words.slice(-length))) return length;
  return 0;
}
