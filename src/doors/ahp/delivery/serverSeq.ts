// The numbers of actions. They come from positions in the log, so they are the same after a restart
// and never run backwards.

/**
 * Every position has this many numbers. The lower half is for the actions of its entry, the upper half for
 * messages without a log entry, such as the list of agents.
 */
const span = 256;

const half = span / 2;

/**
 * How many actions one entry may become. Beyond it they share the last number, which only a cut
 * connection could notice.
 */
export const actionsPerEntry = half;

export function seqOf(pos: number, index: number): number {
  return pos * span + Math.min(index, half - 1);
}

/** The number that everything up to a position has, and nothing after it. */
export function seqUpTo(pos: number): number {
  return pos * span + half - 1;
}

/** The last number that belongs to a position. */
export function lastOf(pos: number): number {
  return pos * span + span - 1;
}

export function posOf(seq: number): number {
  return Math.floor(seq / span);
}
