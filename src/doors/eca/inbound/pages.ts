// Pages of a long chat: which stored messages a client asked for, and where it can go from there. Pure.
import type { PageMeta } from '../../../protocols/eca/messages.ts';

export interface PageWish {
  readonly limit: number | undefined;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** The smallest thing that pages are counted in. */
export interface Paged {
  readonly key: string;
  readonly marksCompaction?: true;
}

export interface Page<T> {
  readonly stored: readonly T[];
  readonly meta: PageMeta;
}

/** The newest messages, or those next to a cursor; nothing where the cursor names a message that is gone. */
export function pageOf<T extends Paged>(
  all: readonly T[],
  { limit = all.length, before, after }: PageWish,
): Page<T> | undefined {
  const compaction = all.findLastIndex(({ marksCompaction }) => marksCompaction);
  const place = (cursor: string) =>
    cursor === 'lastCompaction' ? compaction : all.findIndex(({ key }) => key === cursor);
  const [first, last] = [
    after === undefined ? 0 : place(after) + 1,
    before === undefined ? all.length : place(before),
  ];
  if ((after !== undefined && first === 0) || last < 0) return undefined;
  const [start, end] =
    after === undefined ? [Math.max(first, last - limit), last] : [first, Math.min(last, first + limit)];
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
