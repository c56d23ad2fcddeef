// Citations of an answer: the log has one text with citation ranges, and the provider gets the original
// text blocks back. Pure.
import { fields, list, number } from '../shared/jsonFields.ts';

/** A range of the text and its citations. */
export interface Quote {
  readonly from: number;
  readonly to: number;
  readonly citations: readonly unknown[];
}

/**
 * The text as blocks of the provider. White space joins its neighbour, because the provider
 * refuses blank blocks.
 */
export function quoteBlocks(text: string, quotes: readonly object[]): readonly object[] {
  const blocks: { readonly type: 'text'; text: string; readonly citations?: readonly unknown[] }[] = [];
  let blanks = '';
  const add = (words: string, citations?: readonly unknown[]) => {
    const last = blocks.at(-1);
    if (words.trim() === '' && last) last.text += words;
    else if (words.trim() === '') blanks += words;
    else {
      blocks.push({ type: 'text', text: blanks + words, ...(citations ? { citations } : {}) });
      blanks = '';
    }
  };
  let at = 0;
  for (const quote of quotes) {
    const { from, to, citations } = fields(quote);
    const [begin, end] = [number(from) ?? -1, number(to) ?? -1];
    if (begin < at || end < begin || end > text.length) continue;
    add(text.slice(at, begin));
    add(text.slice(begin, end), list(citations));
    at = end;
  }
  add(text.slice(at));
  return blocks;
}
