// Finds the word to complete and inserts a completion into the text. Pure.
import type { Requests } from '../../../src/protocols/ahp/v1_0/commands.ts';

export type Completion = Requests['completions']['result']['items'][number];

/** The start of the word at the caret, if the word begins with a trigger character. */
export function triggerAt(text: string, caret: number, triggers: readonly string[]): number | undefined {
  const start = text.slice(0, caret).search(/\S+$/);
  const first = start < 0 ? '' : text.slice(start, start + 1);
  return triggers.includes(first) ? start : undefined;
}

export interface CompletedText {
  readonly text: string;
  readonly caret: number;
}

export function complete(
  text: string,
  { caret, start }: { readonly caret: number; readonly start: number },
  item: Completion,
): CompletedText {
  const from = item.rangeStart ?? start;
  const to = Math.max(from, item.rangeEnd ?? caret);
  // Append a space, unless one follows, or the completion ends with a slash or space and can be continued.
  const continues = /[\s/]$/.test(item.insertText) || /^\s/.test(text.slice(to));
  const inserted = `${item.insertText}${continues ? '' : ' '}`;
  return { text: text.slice(0, from) + inserted + text.slice(to), caret: from + inserted.length };
}
