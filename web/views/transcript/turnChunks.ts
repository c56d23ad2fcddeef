// Splits long transcripts into chunks that are rendered together, and estimates their height. Pure.
import type { ActiveTurn, ResponsePart, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import { isLook } from '../tools/lookRuns.ts';

export type AnyTurn = Turn | ActiveTurn;

/** Parts per chunk: few enough to render quickly, many enough to keep the number of observed chunks small. */
const chunkSize = 4;

/**
 * Splits backwards and forwards from the anchor turn, so that turns added at one end do not
 * move chunks at the other.
 */
export function chunkTurns(
  turns: readonly AnyTurn[],
  anchor: string | undefined,
): readonly (readonly AnyTurn[])[] {
  const anchorIndex = Math.max(
    0,
    turns.findIndex(({ id }) => id === anchor),
  );
  const older = splitForwards(turns.slice(0, anchorIndex).toReversed())
    .map((chunk) => chunk.toReversed())
    .toReversed();
  return [...older, ...splitForwards(turns.slice(anchorIndex))];
}

function splitForwards(turns: readonly AnyTurn[]): (readonly AnyTurn[])[] {
  const chunks: AnyTurn[][] = [];
  let room = 0;
  for (const turn of turns) {
    if (room <= 0) {
      chunks.push([]);
      room = chunkSize;
    }
    chunks.at(-1)?.push(turn);
    room -= turn.responseParts.length + 1;
  }
  return chunks;
}

/**
 * Splits the parts of one turn into index ranges, but never a run that is shown in one line. A call that ends
 * may join a run, which moves the ranges after it.
 */
export function partRanges(parts: readonly ResponsePart[]): readonly (readonly [from: number, to: number])[] {
  const ranges: [number, number][] = [];
  for (let from = 0; from < parts.length; from = ranges.at(-1)?.[1] ?? parts.length) {
    let to = Math.min(parts.length, from + chunkSize);
    while (isLook(parts[to - 1]) && isLook(parts[to])) to += 1;
    ranges.push([from, to]);
  }
  return ranges;
}

export function sameItems<Item>(before: readonly Item[], after: readonly Item[]): boolean {
  return (
    before === after ||
    (before.length === after.length && before.every((item, index) => item === after[index]))
  );
}

export function estimateTurnHeight(turn: AnyTurn): number {
  return turn.responseParts.reduce(
    (sum, part) => sum + estimatePartHeight(part),
    60 + textHeight(turn.message.text),
  );
}

export function estimatePartHeight(part: ResponsePart): number {
  return part.kind === 'markdown' ? textHeight(part.content) : 44;
}

function textHeight(text: string): number {
  return 30 + Math.min(200, text.length / 85) * 23;
}
