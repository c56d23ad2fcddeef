// Where in the text a completion was asked for, and how one is put in. Pure.
import type { Requests } from '../../../src/protocols/ahp/v1_0/commands.ts';

export type Completion = Requests['completions']['result']['items'][number];

/** The start of the word at the caret if one of the host's characters begins it. */
export function triggerAt(text: string, caret: number, triggers: readonly string[]): number | undefined {
  const start = text.slice(0, caret).search(/\S+$/);
  const first = start < 0 ? '' : text.slice(start, start + 1);
  return triggers.includes(first) ? start : undefined;
}

export interface Completed {
  readonly text: string;
  readonly caret: number;
}

export function complete(
  text: string,
  { caret, start }: { readonly caret: number; readonly start: number },
  item: Completion,
): Completed {
  const from = item.rangeStart ?? start;
  const to = Math.max(from, item.rangeEnd ?? caret);
  // A word that is complete is followed by a space, unless there is one or the host says where it goes on, as in a folder.
  const open = /[\s/]$/.test(item.insertText) || /^\s/.test(text.slice(to));
  const inserted = `${item.insertText}${open ? '' : ' '}`;
  return { text: text.slice(0, from) + inserted + text.slice(to), caret: from + inserted.length };
}
