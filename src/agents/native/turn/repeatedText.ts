// Keeps words that were shown once from being shown again: a model that is asked anew after its answer broke off often begins from the start.
import type { ModelPart } from '../model.ts';

/** What was said so far, by kind. */
export interface Shown {
  readonly text: string;
  readonly reasoning: string;
}

type Words = Extract<ModelPart, { type: 'text' | 'reasoning' }>;

/**
 * The parts of an answer without its beginning, as far as that repeats what was shown word by word. While it might still be a repeat it is
 * held back; as soon as it turns out to be something else it is said in full.
 */
export async function* withoutRepeats(
  parts: AsyncIterable<ModelPart>,
  shown: Shown,
): AsyncGenerator<ModelPart> {
  const doubts = { text: new Doubt(shown.text), reasoning: new Doubt(shown.reasoning) };
  for await (const part of parts) {
    const words = part.type === 'text' || part.type === 'reasoning' ? part : undefined;
    for (const doubt of Object.values(doubts))
      if (doubt !== (words && doubts[words.type])) yield* doubt.settle();
    if (words) yield* doubts[words.type].take(words);
    else yield part;
  }
}

class Doubt {
  readonly #shown: string;
  #held: { readonly text: string; readonly from: Words } | undefined;
  #open: boolean;

  constructor(shown: string) {
    this.#shown = shown;
    this.#open = shown !== '';
  }

  *take(part: Words): Generator<Words> {
    const text = (this.#held?.text ?? '') + part.text;
    if (!this.#open) yield part;
    else if (this.#shown.startsWith(text) && text !== this.#shown)
      this.#held = { text, from: this.#held?.from ?? part };
    else {
      this.#open = false;
      this.#held = undefined;
      const rest = text.startsWith(this.#shown) ? text.slice(this.#shown.length) : text;
      if (rest !== '' || part.meta !== undefined) yield { ...part, text: rest };
    }
  }

  /** Something else follows, so this was no repeat but a short answer. */
  *settle(): Generator<Words> {
    if (this.#held) yield { ...this.#held.from, text: this.#held.text };
    this.#held = undefined;
    this.#open = false;
  }
}
