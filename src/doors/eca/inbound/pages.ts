// Pages of a long chat: the stored messages that a client asked for, and the cursors to the next ones. Pure.
import type { PageMeta } from '../../../protocols/eca/messages.ts';

export interface PageRange {
  readonly limit: number | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The unit that pages are counted in. */
export interface PageUnit {
  readonly key: string;
  readonly marksCompaction?: true;
}

export interface Page<T> {
  readonly stored: readonly T[];
  readonly meta: PageMeta;
}

/** The newest messages, or those next to a cursor; undefined if the message of a cursor is gone. */
export function pageOf<T extends PageUnit>(all: readonly T[], range: PageRange): Page<T> | undefined {
  const compaction = all.findLastIndex(({ marksCompaction }) => marksCompaction);
  const bounds = boundsOf(range, all.length, (cursor) =>
    cursor === 'lastCompaction' ? compaction : all.findIndex(({ key }) => key === cursor),
  );
  if (!bounds) return undefined;
  const [start, end] = bounds;
  const stored = all.slice(start, end);
  return {
    stored,
    meta: {
      total: all.length,
      returned: stored.length,
      beforeCursor: start > 0 ? (stored[0]?.key ?? null) : null,
      afterCursor: end < all.length ? (stored.at(-1)?.key ?? null) : null,
      compactionCursor: all[compaction]?.key ?? null,
    },
  };
}

function boundsOf(
  { limit, before, after }: PageRange,
  total: number,
  indexOf: (cursor: string) => number,
): readonly [start: number, end: number] | undefined {
  const first = after === undefined ? 0 : indexOf(after) + 1;
  const last = before === undefined ? total : indexOf(before);
  if ((after !== undefined && first === 0) || last < 0) return undefined;
  const size = limit ?? total;
  return after === undefined ? [Math.max(first, last - size), last] : [first, Math.min(last, first + size)];
}
