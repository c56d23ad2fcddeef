// Finds a line of a transcript, in the turns and in what is drawn of them. Only letters and digits count: the
// page shows a line without its Markdown, and a search may have cut it.
import type { ResponsePart } from '../../../src/protocols/ahp/v1_0/state.ts';
import { rawOf } from '../tools/callLine.ts';
import type { AnyTurn } from './turnChunks.ts';

export interface PlaceInTurn {
  readonly turn: string;
  /** The part of the answer; nothing for the user's message. */
  readonly part: number | undefined;
}

export function placeOfLine(turns: readonly AnyTurn[], line: string): PlaceInTurn | undefined {
  const wanted = lettersOf(line);
  if (wanted === '') return undefined;
  const has = (text: string) => lettersOf(text).includes(wanted);
  for (const { id, message, responseParts } of turns) {
    if (has(message.text)) return { turn: id, part: undefined };
    const part = responseParts.findIndex((each) => textsOf(each).some(has));
    if (part >= 0) return { turn: id, part };
  }
  return undefined;
}

function textsOf(part: ResponsePart): readonly string[] {
  if (part.kind === 'markdown') return [part.content];
  if (part.kind === 'systemNotification') return [rawOf(part.content)];
  if (part.kind !== 'toolCall') return [];
  const { toolCall } = part;
  return [
    toolCall.invocationMessage === undefined ? '' : rawOf(toolCall.invocationMessage),
    'pastTenseMessage' in toolCall ? rawOf(toolCall.pastTenseMessage ?? '') : '',
  ];
}

const other = /[^\p{L}\p{N}]+/gu;

/** In capitals, because small letters depend on their neighbours in some scripts. */
function lettersOf(text: string): string {
  return text.replace(other, '').toUpperCase();
}

/** Where the line stands in what is drawn below an element. */
export function rangeOfLine(root: Node, line: string): Range | undefined {
  const wanted = lettersOf(line);
  if (wanted === '') return undefined;
  const letters: { readonly node: Node; readonly at: number; readonly end: number }[] = [];
  let text = '';
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let at = 0;
    for (const letter of node.nodeValue ?? '') {
      const folded = lettersOf(letter);
      text += folded;
      for (let count = 0; count < folded.length; count += 1)
        letters.push({ node, at, end: at + letter.length });
      at += letter.length;
    }
  }
  const from = text.indexOf(wanted);
  const [first, last] = [letters[from], letters[from + wanted.length - 1]];
  if (!first || !last) return undefined;
  const range = document.createRange();
  range.setStart(first.node, first.at);
  range.setEnd(last.node, last.end);
  return range;
}
