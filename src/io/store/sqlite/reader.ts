// Reads one session's entries in chunks and stops at the first invalid one.
import { LogDamage } from '../../../host/session/logStore.ts';
import type { Entry, SessionId } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import { query } from './database.ts';
import type { Database, Query, Row } from './database.ts';
import { decode, entryColumns } from './record.ts';
import { problemOf } from './storeError.ts';

export interface Span {
  readonly after: number;
  /** The number of entries that the log must have; fewer means that its end is lost. */
  readonly vouched: () => number;
}

const firstRows = 32;
const mostRows = 512;
/** Entries with pictures are long: above this many characters the next piece has fewer rows. */
const fullPiece = 1_000_000;

export class Reader {
  readonly #select: Query;

  constructor(database: Database) {
    this.#select = query(
      database,
      `SELECT ${entryColumns} FROM entries WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`,
    );
  }

  *pieces(session: SessionId, { after, vouched }: Span): Generator<readonly Entry[]> {
    let last = after;
    let limit = firstRows;
    for (;;) {
      const rows = this.#fetch(session, last, limit);
      // Asked in the same beat as the rows: while the caller works on a piece, more may be
      // written or all removed.
      const known = vouched();
      if (!rows && limit === 1)
        throw new LogDamage(
          session,
          last + 1,
          `The part of the database that holds entry ${last + 1} cannot be read.`,
        );
      if (!rows) {
        // Row by row, everything before the unreadable place is still found.
        limit = 1;
        continue;
      }
      const { entries, size, problem } = decodeAll(session, last, rows);
      last += entries.length;
      if (entries.length > 0) yield entries;
      if (problem) throw problem;
      if (rows.length < limit) {
        if (last < known) throw new LogDamage(session, last + 1, `Entry ${last + 1} is missing.`);
        return;
      }
      limit = size > fullPiece ? Math.max(1, limit >> 2) : Math.min(mostRows, limit * 2);
    }
  }

  /** The state of a session as far as its log is readable. */
  fold(
    session: SessionId,
    vouched: number,
  ): { readonly state: State; readonly damage: LogDamage | undefined } {
    let state = emptyState(session);
    try {
      for (const piece of this.pieces(session, { after: 0, vouched: () => vouched }))
        for (const entry of piece) state = reduce(state, entry);
      return { state, damage: undefined };
    } catch (error) {
      if (!(error instanceof LogDamage)) throw error;
      return { state, damage: error };
    }
  }

  hasAfter(session: SessionId, seq: number): boolean {
    return this.#fetch(session, seq, 1)?.length !== 0;
  }

  #fetch(session: SessionId, after: number, limit: number): readonly Row[] | undefined {
    try {
      return this.#select(session, after, limit);
    } catch (error) {
      if (problemOf(error) === 'damaged') return undefined;
      throw error;
    }
  }
}

function decodeAll(
  session: SessionId,
  after: number,
  rows: readonly Row[],
): { entries: Entry[]; size: number; problem?: LogDamage } {
  const entries: Entry[] = [];
  let size = 0;
  for (const row of rows) {
    const entry = decode(session, after + entries.length + 1, row);
    if (entry instanceof LogDamage) return { entries, size, problem: entry };
    entries.push(entry);
    size += typeof row[4] === 'string' ? row[4].length : 0;
  }
  return { entries, size };
}
