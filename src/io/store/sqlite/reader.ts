// Reads one session's entries in chunks and stops at the first invalid one.
import { AroundGaps } from '../../../host/session/damagedLog.ts';
import { LogDamage, LogNewer } from '../../../host/session/logStore.ts';
import type { Entry, SessionId } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import { query } from './database.ts';
import type { Database, Query, Row } from './database.ts';
import { decodeRow, entryColumns, storedEntries } from './record.ts';
import { problemOf } from './storeError.ts';

export interface Span {
  readonly after: number;
  /** The number of entries that the log must have; fewer means that its end is lost. */
  readonly vouched: () => number;
  /** Whether neighbouring pieces may come as one entry. */
  readonly merged?: 'merged' | undefined;
}

const firstRows = 32;
const mostRows = 512;
/** Entries with pictures are long: above this many characters the next piece has fewer rows. */
const fullPiece = 1_000_000;
/** How many places behind damage are tried. */
const patience = 10_000;

export class EntryReader {
  readonly #select: Query;
  readonly #selectUnindexed: Query;
  readonly #repair: () => boolean;
  /** Whether an entry that the index does not have was looked for in the table. */
  #isIndexChecked = false;

  /** `repair` is asked when the database cannot be read, and says whether to try again. */
  constructor(database: Database, repair: () => boolean = () => false) {
    this.#repair = repair;
    this.#select = query(
      database,
      `SELECT ${entryColumns} FROM entries WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?`,
    );
    this.#selectUnindexed = query(
      database,
      'SELECT min(seq) FROM entries NOT INDEXED WHERE session = ? AND seq >= ?',
    );
  }

  *pieces(session: SessionId, { after, vouched, merged }: Span): Generator<readonly Entry[]> {
    let last = after;
    let limit = firstRows;
    for (;;) {
      const rows = this.#fetch(session, last, limit);
      // Asked in the same beat as the rows: while the caller works on a piece, more may be
      // written or all removed.
      const known = vouched();
      if (!rows && limit === 1) throw this.#withNext(unreachable(session, last + 1), known);
      if (!rows) {
        // Row by row, everything before the unreadable place is still found.
        limit = 1;
        continue;
      }
      let size = 0;
      let problem: LogDamage | undefined;
      for (const { entries, size: read, problem: found } of decodeAll(
        session,
        { after: last, merged },
        rows,
      )) {
        last = entries.at(-1)?.seq ?? last;
        size += read;
        problem = found;
        yield entries;
      }
      if (last < known && (problem || rows.length < limit) && this.#indexLies(session, last + 1)) continue;
      if (problem) throw this.#withNext(problem, known);
      if (rows.length < limit) {
        if (last < known) throw new LogDamage(session, last + 1, `Entry ${last + 1} is missing.`);
        return;
      }
      limit = nextLimit(limit, size);
    }
  }

  /** True once, if the table has an entry that the index does not lead to, and the index was repaired. */
  #indexLies(session: SessionId, seq: number): boolean {
    if (this.#isIndexChecked) return false;
    this.#isIndexChecked = true;
    try {
      const indexed = Number(this.#select(session, seq - 1, 1)[0]?.[0] ?? Number.POSITIVE_INFINITY);
      const stored = this.#selectUnindexed(session, seq)[0]?.[0];
      return typeof stored === 'number' && stored < indexed && this.#repair();
    } catch {
      // A table that cannot be read does not tell.
      return false;
    }
  }

  /** Finds where the log goes on after damage. */
  #withNext(damage: LogDamage, known: number): LogDamage {
    if (damage instanceof LogNewer) return damage;
    const { session } = damage;
    for (let after = damage.seq - 1, tries = 0; tries < patience; tries += 1) {
      const rows = this.#fetch(session, after, 1);
      const [row] = rows ?? [];
      const seq = row ? Number(row[0]) : after + 1;
      // An empty answer is the end. Without one the page is unreadable, and the next number is tried.
      if (rows ? !row : after >= known) return damage;
      const first = row && storedEntries(session, row)?.entries.find((entry) => entry.seq > after)?.seq;
      if (
        first !== undefined &&
        !(decodeRow(session, { after: first - 1 }, row ?? []) instanceof LogDamage)
      ) {
        damage.next = first;
        return damage;
      }
      after = Math.max(seq, after + 1);
    }
    return damage;
  }

  /** The state of a session, with the gaps of a damaged log marked. */
  fold(
    session: SessionId,
    vouched: number,
  ): { readonly state: State; readonly damage: LogDamage | undefined } {
    const around = new AroundGaps(session);
    let damage: LogDamage | undefined;
    for (;;) {
      try {
        for (const piece of this.pieces(session, { after: around.seq, vouched: () => vouched }))
          for (const entry of piece) around.take(entry);
        if (damage) around.end();
        return { state: around.state, damage };
      } catch (error) {
        if (!(error instanceof LogDamage)) throw error;
        damage ??= error;
        if (around.skip(error)) continue;
        if (!(error instanceof LogNewer)) around.end();
        return { state: around.state, damage };
      }
    }
  }

  /** The state after an entry, or before the first damage. */
  foldUpTo(session: SessionId, last: number): State {
    let state = emptyState(session);
    try {
      for (const piece of this.pieces(session, { after: 0, vouched: () => 0 }))
        for (const entry of piece) {
          if (entry.seq > last) return state;
          state = reduce(state, entry);
        }
    } catch {
      // The turns that were folded before can be shown.
    }
    return state;
  }

  hasAfter(session: SessionId, seq: number): boolean {
    return this.#fetch(session, seq, 1)?.length !== 0;
  }

  #fetch(session: SessionId, after: number, limit: number): readonly Row[] | undefined {
    try {
      return this.#select(session, after, limit);
    } catch (error) {
      if (problemOf(error) !== 'damaged') throw error;
      return this.#repair() ? this.#fetch(session, after, limit) : undefined;
    }
  }
}

function unreachable(session: SessionId, seq: number): LogDamage {
  return new LogDamage(session, seq, `The part of the database that holds entry ${seq} cannot be read.`);
}

/** How many rows to read next, after some of which this many characters were read. */
function nextLimit(limit: number, size: number): number {
  return size > fullPiece ? Math.max(1, limit >> 2) : Math.min(mostRows, limit * 2);
}

interface Decoded {
  readonly entries: readonly Entry[];
  /** The characters that were read for them. */
  readonly size: number;
  readonly problem?: LogDamage;
}

/** The entries of some rows, in pieces; a row may have many. Ends at the first that cannot be read. */
function* decodeAll(
  session: SessionId,
  { after, merged }: Pick<Span, 'after' | 'merged'>,
  rows: readonly Row[],
): Generator<Decoded> {
  let last = after;
  let entries: Entry[] = [];
  let size = 0;
  for (const row of rows) {
    const decoded = decodeRow(session, { after: last, merged }, row);
    if (decoded instanceof LogDamage) {
      yield { entries, size, problem: decoded };
      return;
    }
    entries.push(...decoded);
    last = decoded.at(-1)?.seq ?? last;
    size += typeof row[4] === 'string' ? row[4].length : 0;
    if (entries.length < mostRows && size < fullPiece / 8) continue;
    yield { entries, size };
    entries = [];
    size = 0;
  }
  yield { entries, size };
}
