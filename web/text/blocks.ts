// Splits markdown into blocks. While text streams in, only the last block is parsed again; earlier
// blocks keep their identity.
import { Marked } from 'marked';
import type { Token } from 'marked';
import { foldExtensions } from './foldsAndNotes.ts';
import { mathsExtensions } from './maths/maths.ts';

export interface Block {
  readonly raw: string;
  readonly token: Token;
}

const marked = new Marked({ gfm: true, extensions: [...mathsExtensions, ...foldExtensions] });

/** Takes the whole text each time and returns its blocks. */
export type Splitter = (text: string) => readonly Block[];

export function createSplitter(): Splitter {
  let settled: readonly Block[] = [];
  let settledText = '';
  return (text) => {
    const whole = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text;
    if (!whole.startsWith(settledText)) {
      settled = [];
      settledText = '';
    }
    const rest = whole.slice(settledText.length);
    const fresh = marked.lexer(rest).map((token) => ({ raw: token.raw, token }));
    const done = fresh.slice(0, settledCount(fresh, rest));
    settled = [...settled, ...done.filter(isVisible)];
    settledText += done.map(({ raw }) => raw).join('');
    return [...settled, ...fresh.slice(done.length).filter(isVisible)];
  };
}

/** Joins neighbouring blocks that are not code: cheaper to render for text that no longer grows. */
export function joinBlocks(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    if (last && block.token.type !== 'code' && last[0]?.token.type !== 'code') last.push(block);
    else groups.push([block]);
  }
  return groups;
}

/** The last visible block may still grow. If the blocks do not add up to the text, none counts as settled. */
function settledCount(blocks: readonly Block[], text: string): number {
  const length = blocks.reduce((sum, { raw }) => sum + raw.length, 0);
  return length === text.length ? Math.max(0, blocks.findLastIndex(isVisible)) : 0;
}

function isVisible({ token }: Block): boolean {
  return token.type !== 'space' && token.type !== 'def';
}
