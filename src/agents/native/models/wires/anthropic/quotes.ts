// Words of an answer with the sources of some of them: kept as one text in the log, given back in the pieces they came in. Pure.
import { fields, list, number } from '../shared/jsonFields.ts';

/** The words from one place to another, and what they go back to. */
export interface Quote {
  readonly from: number;
  readonly to: number;
  readonly citations: readonly unknown[];
}

/** The pieces of a text as blocks of the provider. A piece of mere blanks is no block of its own, since such are refused. */
export function quoting(text: string, quotes: readonly object[]): readonly object[] {
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
