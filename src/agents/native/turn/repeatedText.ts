// Drops text that was shown already: a model that is asked again after its answer broke off often
// starts from the beginning.
import type { ModelPart } from '../model.ts';

/** What was shown so far, by kind. */
export interface ShownText {
  readonly text: string;
  readonly reasoning: string;
}

type TextPart = Extract<ModelPart, { type: 'text' | 'reasoning' }>;

/**
 * The parts of an answer without a beginning that repeats what was shown exactly. While the beginning might
 * be a repetition it is held back; as soon as it differs, all of it is passed on.
 */
export async function* withoutRepeats(
  parts: AsyncIterable<ModelPart>,
  shown: ShownText,
): AsyncGenerator<ModelPart> {
  const filters = { text: new RepeatFilter(shown.text), reasoning: new RepeatFilter(shown.reasoning) };
  for await (const part of parts) {
    const text = part.type === 'text' || part.type === 'reasoning' ? part : undefined;
    for (const filter of Object.values(filters))
      if (filter !== (text && filters[text.type])) yield* filter.settle();
    if (text) yield* filters[text.type].take(text);
    else yield part;
  }
}

class RepeatFilter {
  readonly #shown: string;
  #held: { readonly text: string; readonly from: TextPart } | undefined;
  #open: boolean;

  constructor(shown: string) {
    this.#shown = shown;
    this.#open = shown !== '';
  }

  *take(part: TextPart): Generator<TextPart> {
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

  /** Another part follows, so the held text was not a repetition but a short answer. */
  *settle(): Generator<TextPart> {
    if (this.#held) yield { ...this.#held.from, text: this.#held.text };
    this.#held = undefined;
    this.#open = false;
  }
}
