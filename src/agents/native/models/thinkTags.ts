// Tells thoughts from words where a server sends both as words, with the thoughts between tags. Only an answer that begins with the tag is meant.
import type { ModelPart } from '../model.ts';

const start = '<think>';
const end = '</think>';

export async function* withoutThinkTags(parts: AsyncIterable<ModelPart>): AsyncGenerator<ModelPart> {
  const reader = new Reader();
  for await (const part of parts) {
    if (part.type === 'text' && part.text !== '') yield* reader.take(part.text, part);
    else {
      yield* reader.flush();
      yield part;
    }
  }
}

type Words = Extract<ModelPart, { type: 'text' | 'reasoning' }>;

class Reader {
  #state: 'beginning' | 'thinking' | 'after' | 'plain' = 'beginning';
  /** What may be the beginning of a tag. */
  #held = '';
  #from: Words | undefined;

  *take(text: string, from: Words): Generator<Words> {
    this.#from = from;
    const words = this.#held + text;
    this.#held = '';
    if (this.#state === 'plain') yield { ...from, text: words };
    else if (this.#state === 'beginning') yield* this.#begin(words, from);
    else if (this.#state === 'thinking') yield* this.#think(words, from);
    else yield* this.#goOn(words, from);
  }

  /** Something else follows or nothing at all, so what was held is what it is. */
  *flush(): Generator<Words> {
    const held = this.#held;
    this.#held = '';
    if (held !== '' && this.#from) yield this.#state === 'thinking' ? thought(held) : { ...this.#from, text: held };
  }

  *#begin(words: string, from: Words): Generator<Words> {
    const trimmed = words.trimStart();
    if (trimmed.startsWith(start)) {
      this.#state = 'thinking';
      yield* this.#think(trimmed.slice(start.length), from);
    } else if (start.startsWith(trimmed)) this.#held = words;
    else {
      this.#state = 'plain';
      yield { ...from, text: words };
    }
  }

  *#think(words: string, from: Words): Generator<Words> {
    const at = words.indexOf(end);
    const tail = at < 0 ? tailOf(words) : 0;
    const thoughts = words.slice(0, at < 0 ? words.length - tail : at);
    if (thoughts !== '') yield thought(thoughts);
    if (at < 0) this.#held = words.slice(words.length - tail);
    else {
      this.#state = 'after';
      yield* this.#goOn(words.slice(at + end.length), from);
    }
  }

  /** Servers put empty lines between a thought and the answer. */
  *#goOn(words: string, from: Words): Generator<Words> {
    const text = words.trimStart();
    if (text === '') return;
    this.#state = 'plain';
    yield { ...from, text };
  }
}

function thought(text: string): Words {
  return { type: 'reasoning', text, block: 'think' };
}

/** How many letters at the end may be the beginning of the end. */
function tailOf(words: string): number {
  for (let length = Math.min(end.length - 1, words.length); length > 0; length -= 1) if (end.startsWith(words.slice(-length))) return length;
  return 0;
}
