// Cuts long lists into stretches that are drawn together, and guesses their height. Pure.
import type { ActiveTurn, ResponsePart, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';

export type AnyTurn = Turn | ActiveTurn;

/** About this many parts make a stretch: few enough to draw in a moment, many enough not to watch thousands. */
const weight = 24;

/** Turns before the anchor are cut backwards from it and those after it forwards, so neither end moves the cuts of the other. */
export function stretchesAround(
  turns: readonly AnyTurn[],
  anchor: string | undefined,
): readonly (readonly AnyTurn[])[] {
  const at = Math.max(
    0,
    turns.findIndex(({ id }) => id === anchor),
  );
  const older = cut(turns.slice(0, at).toReversed())
    .map((stretch) => stretch.toReversed())
    .toReversed();
  return [...older, ...cut(turns.slice(at))];
}

function cut(turns: readonly AnyTurn[]): (readonly AnyTurn[])[] {
  const stretches: AnyTurn[][] = [];
  let room = 0;
  for (const turn of turns) {
    if (room <= 0) {
      stretches.push([]);
      room = weight;
    }
    stretches.at(-1)?.push(turn);
    room -= turn.responseParts.length + 1;
  }
  return stretches;
}

/** Index ranges of a turn's parts. They only grow at the end, so the cuts before it stay. */
export function partRanges(count: number): readonly (readonly [from: number, to: number])[] {
  const ranges: [number, number][] = [];
  for (let from = 0; from < count; from += weight) ranges.push([from, Math.min(count, from + weight)]);
  return ranges;
}

export function sameItems<Item>(before: readonly Item[], after: readonly Item[]): boolean {
  return (
    before === after ||
    (before.length === after.length && before.every((item, index) => item === after[index]))
  );
}

export function estimateTurn(turn: AnyTurn): number {
  return turn.responseParts.reduce(
    (sum, part) => sum + estimatePart(part),
    60 + textHeight(turn.message.text),
  );
}

export function estimatePart(part: ResponsePart): number {
  return part.kind === 'markdown' ? textHeight(part.content) : 44;
}

function textHeight(text: string): number {
  return 30 + Math.min(200, text.length / 85) * 23;
}
