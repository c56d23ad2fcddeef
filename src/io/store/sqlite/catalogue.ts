// The stored session list. Its rows are derived from the entries and written with them; a digest detects rows
// that do not match, which are then derived again.
import { crc32 } from 'node:zlib';
import { LogNewer } from '../../../host/session/logStore.ts';
import type { Batch, LogDamage } from '../../../host/session/logStore.ts';
import { isUnfinished, summarize } from '../../../host/session/summary.ts';
import type { Summary } from '../../../host/session/summary.ts';
import type { SessionId } from '../../../model/event.ts';
import { emptyState } from '../../../model/state.ts';
import { format, isNewer } from '../../../model/upgrade.ts';
import { query } from './database.ts';
import type { Database, Query, Row, Statement } from './database.ts';
import type { EntryReader } from './reader.ts';
import { summaryFormat } from './schema.ts';

/** A row without a summary gets one on demand. */
interface CatalogueRow {
  readonly summary: Summary | undefined;
  readonly crc: number;
  readonly unreadable: Unreadable | undefined;
}

/**
 * Why the log of a session cannot be read to its end: what is wrong with it, or the newer
 * format that it goes on in.
 */
type Unreadable = { readonly damage: string } | { readonly newer: number };

export interface NewRow extends CatalogueRow {
  readonly text: string | null;
}

/** The rows that a transaction writes; `undefined` deletes a row. */
export type RowChanges = ReadonlyMap<SessionId, NewRow | undefined>;

/** The rows of sessions at some time; undefined for a session that had none. */
export type KeptRows = ReadonlyMap<SessionId, Pick<NewRow, 'summary' | 'unreadable'> | undefined>;

interface Difference {
  readonly rows: number;
  readonly crc: number;
}

export class CatalogueTable {
  readonly #reader: EntryReader;
  readonly #put: Statement;
  readonly #drop: Statement;
  readonly #seal: Statement;
  readonly #ids: Query;
  readonly #one: Query;
  readonly #page: Query;
  /** Those that were read or written; all of them once `#after` is undefined. */
  readonly #rows = new Map<SessionId, CatalogueRow>();
  #after: number | undefined = 0;
  readonly #differences = new WeakMap<RowChanges, Difference>();
  #count: number;
  #digest: number;
  /** Sessions whose row is not reliable, among those that were read. */
  readonly suspects = new Set<SessionId>();
  /** Whether the digest is that of the rows. */
  readonly sealed: boolean;
  /** Whether another version wrote the rows. */
  readonly hasOtherFormat: boolean;

  constructor(database: Database, reader: EntryReader) {
    this.#reader = reader;
    this.#put = database.prepare(
      'INSERT INTO sessions (id, summary, crc, damage, status, format) VALUES (?, ?, ?, ?, ?, ?) ON ' +
        'CONFLICT (id) DO UPDATE SET summary = excluded.summary, crc = excluded.crc, damage = ' +
        'excluded.damage, status = excluded.status, format = excluded.format',
    );
    this.#drop = database.prepare('DELETE FROM sessions WHERE id = ?');
    this.#seal = database.prepare(
      `INSERT INTO meta (one, head, sessions, digest, summaries) VALUES (1, 0, ?, ?, ${summaryFormat}) ` +
        'ON CONFLICT (one) DO UPDATE SET sessions = excluded.sessions, digest = excluded.digest, ' +
        'summaries = excluded.summaries',
    );
    this.#ids = query(database, everySession);
    // Opening the file has looked at the table and not at its index, so the table is what is asked.
    this.#one = query(database, `SELECT ${columns} FROM sessions NOT INDEXED WHERE id = ?`);
    this.#page = query(
      database,
      `SELECT ${columns} FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ${rowsAtOnce}`,
    );
    const [, sessions, digest, shape] =
      query(database, 'SELECT head, sessions, digest, summaries FROM meta')()[0] ?? [];
    const [count, sum] = query(database, 'SELECT count(*), ifnull(sum(crc), 0) FROM sessions')()[0] ?? [];
    this.#count = Number(count);
    this.#digest = Number(sum);
    this.hasOtherFormat = shape !== undefined && shape !== summaryFormat;
    this.sealed = shape === summaryFormat && sessions === count && digest === sum;
    if (!this.sealed) this.#doubt(shape === summaryFormat ? 'what has later entries' : 'everything');
  }

  get count(): number {
    return this.#count;
  }

  /** Reads a few more rows. False once there are none left. */
  readMore(): boolean {
    if (this.#after === undefined) return false;
    const rows = this.#page(this.#after);
    for (const row of rows) this.#take(row);
    this.#after = rows.length < rowsAtOnce ? undefined : Number(rows.at(-1)?.[5]);
    return this.#after !== undefined;
  }

  readAll(): void {
    while (this.readMore());
  }

  /** Every listed session; a session that lost entries has a damage text. */
  summaries(): readonly Summary[] {
    this.readAll();
    return Array.from(this.#rows, ([id, { summary = summarize(emptyState(id)), unreadable }]) =>
      unreadable ? { ...summary, ...problemOf(unreadable) } : summary,
    );
  }

  /** Sessions with entries but without a summary. */
  unknown(): readonly SessionId[] {
    this.readAll();
    const ids: SessionId[] = [];
    this.#rows.forEach(({ summary }, id) => summary ?? ids.push(id));
    return ids;
  }

  /** The number of entries a session is known to have had. */
  vouched(session: SessionId): number {
    return this.#row(session)?.summary?.seq ?? 0;
  }

  /** Whether nothing is known to be wrong with the log of a session. */
  isSound(session: SessionId): boolean {
    const { summary, unreadable } = this.#row(session) ?? {};
    return summary !== undefined && !unreadable;
  }

  /** Whether the log of a session is sound and nothing runs in it. */
  isAtRest(session: SessionId): boolean {
    const { summary } = this.#row(session) ?? {};
    return summary !== undefined && this.isSound(session) && !isUnfinished(summary);
  }

  row(session: SessionId): Summary | undefined {
    return this.#row(session)?.summary;
  }

  /** The rows of some sessions as they are now. */
  keep(sessions: Iterable<SessionId>): KeptRows {
    return new Map([...sessions].map((id) => [id, this.#row(id)]));
  }

  /** What brings kept rows back. */
  restore(kept: KeptRows): RowChanges {
    const rows = new Map<SessionId, NewRow | undefined>();
    for (const [id, row] of kept) rows.set(id, row?.summary && rowOf(row.summary, row.unreadable));
    return rows;
  }

  /** Every session that has a row or an entry. */
  ids(): ReadonlySet<SessionId> {
    this.readAll();
    return new Set([...this.#rows.keys(), ...this.#ids().map(([id]) => String(id))]);
  }

  /** The rows a batch changes; most pieces of a stream change none. */
  changesOf({ entries, summaries, sync }: Batch): RowChanges | undefined {
    let changes: Map<SessionId, NewRow> | undefined;
    for (const summary of summaries) (changes ??= new Map()).set(summary.id, rowOf(summary));
    for (const { session } of entries) {
      const told =
        sync === 'kernel' ? this.#row(session) !== undefined || changes?.has(session) : changes?.has(session);
      if (!told)
        (changes ??= new Map()).set(session, {
          summary: undefined,
          text: null,
          crc: 0,
          unreadable: undefined,
        });
    }
    return changes;
  }

  /** The new row of a session according to its log; undefined if the stored one is correct. */
  derive(session: SessionId): NewRow | undefined {
    const old = this.#row(session);
    const { state, damage } = this.#reader.fold(session, this.vouched(session));
    const empty = state.seq === 0 ? { damage: 'No entry of this session can be read.' } : undefined;
    const lost = damage ? unreadableBy(damage) : empty;
    if (lost)
      return old?.summary && isAlike(lost, old.unreadable)
        ? undefined
        : rowOf(old?.summary ?? summarize(state), lost);
    const fresh = summarize(state);
    return old?.summary && !old.unreadable && isEqual(old.summary, fresh) ? undefined : rowOf(fresh);
  }

  /** The row of a session with or without its damage; undefined if nothing changed. */
  marked(session: SessionId, damage: LogDamage | undefined): NewRow | undefined {
    const old = this.#row(session);
    const now = damage && unreadableBy(damage);
    if (!old || isAlike(now, old.unreadable)) return undefined;
    return old.summary ? rowOf(old.summary, now) : this.derive(session);
  }

  /** Stores changed rows; the caller holds the transaction and calls `accept` when it is committed. */
  store(changes: RowChanges): void {
    const { rows, crc } = this.#difference(changes);
    for (const [id, row] of changes) {
      if (row) this.#put.run(id, row.text, row.crc, ...columnsOf(row));
      else this.#drop.run(id);
    }
    this.#seal.run(this.#count + rows, this.#digest + crc);
  }

  accept(changes: RowChanges): void {
    const { rows, crc } = this.#difference(changes);
    this.#count += rows;
    this.#digest += crc;
    for (const [id, row] of changes) {
      if (row) this.#rows.set(id, { summary: row.summary, crc: row.crc, unreadable: row.unreadable });
      else this.#rows.delete(id);
    }
  }

  /**
   * What the changes add to the number of rows and to the digest. Seen once, before they are stored:
   * afterwards the old rows are gone.
   */
  #difference(changes: RowChanges): Difference {
    const seen = this.#differences.get(changes);
    if (seen) return seen;
    let [rows, crc] = [0, 0];
    for (const [id, row] of changes) {
      const old = this.#row(id);
      rows += Number(row !== undefined) - Number(old !== undefined);
      crc += (row?.crc ?? 0) - (old?.crc ?? 0);
    }
    const difference = { rows, crc };
    this.#differences.set(changes, difference);
    return difference;
  }

  /** Reads a single row that was not loaded yet. */
  #row(id: SessionId): CatalogueRow | undefined {
    const known = this.#rows.get(id);
    if (known || this.#after === undefined) return known;
    for (const row of this.#one(id)) this.#take(row);
    return this.#rows.get(id);
  }

  /**
   * While the digest is valid, the rows are those of the last commit: none is missing or old, and no log has
   * to be read; a changed row is detected by its own checksum. If the digest is invalid, every row that is
   * unreadable or has later entries is checked.
   */
  #doubt(what: 'everything' | 'what has later entries'): void {
    for (const id of this.ids())
      if (what === 'everything' || this.#reader.hasAfter(id, this.vouched(id))) this.suspects.add(id);
  }

  #take(row: Row): void {
    const [id, text] = [row[0], row[1]];
    const crc = typeof row[2] === 'number' ? row[2] : 0;
    // What was written since is newer than what could be stored of it.
    if (typeof id !== 'string' || this.#rows.has(id)) return;
    const summary = typeof text === 'string' && crc32(text) === crc ? readSummary(id, text) : undefined;
    if (!summary && text !== null) this.suspects.add(id);
    this.#rows.set(id, { summary, crc, unreadable: unreadableIn(row[3], row[4]) });
  }
}

const columns = 'id, summary, crc, damage, format, rowid';

/**
 * Rows come in pieces so that each piece is garbage before the next: half the time of
 * starting with many sessions.
 */
const rowsAtOnce = 500;

function rowOf(summary: Summary, unreadable?: Unreadable): NewRow {
  const text = JSON.stringify(summary);
  return { summary, text, crc: crc32(text), unreadable };
}

/** The columns besides the summary: damage, status and the newest format of the log. */
function columnsOf({ summary, unreadable }: NewRow): readonly [string | null, string | null, number] {
  const damage = unreadable && 'damage' in unreadable ? unreadable.damage : null;
  return [damage, summary?.status ?? null, unreadable && 'newer' in unreadable ? unreadable.newer : format];
}

function unreadableIn(damage: unknown, written: unknown): Unreadable | undefined {
  if (typeof written === 'number' && isNewer(written)) return { newer: written };
  return typeof damage === 'string' ? { damage } : undefined;
}

function unreadableBy(error: LogDamage): Unreadable {
  return error instanceof LogNewer ? { newer: error.format } : { damage: error.message };
}

function isAlike(one: Unreadable | undefined, other: Unreadable | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The same as lists tell it. */
function problemOf(unreadable: Unreadable): Pick<Summary, 'damage' | 'newer'> {
  return 'newer' in unreadable ? { newer: true } : unreadable;
}

/** The summary of a row; undefined if it is not valid. */
export function readSummary(id: SessionId, text: string): Summary | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isSummary(value) && value.id === id ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The checksum has vouched for the text; this only keeps out what was never a summary. */
function isSummary(value: unknown): value is Summary {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    'seq' in value &&
    Number.isInteger(value.seq) &&
    'chats' in value &&
    Array.isArray(value.chats)
  );
}

/** Whether a row tells what its log says, as far as the version that wrote it told anything. */
export function isSameSummary(stored: Summary, derived: Summary): boolean {
  const isOlder = stored.chats.some(({ items }) => items === undefined);
  // Rows of earlier versions count no items and tell no failure and no rules; the next change adds them.
  const chats = derived.chats.map((chat) => (isOlder ? { ...chat, items: undefined } : chat));
  const failure = stored.failure === undefined ? undefined : derived.failure;
  const rules = stored.rules === undefined ? undefined : derived.rules;
  return isEqual(stored, { ...derived, chats, failure, rules });
}

/**
 * Pieces of a stream move a session on without changing its row, so the sequence number
 * alone makes no difference.
 */
function isEqual(stored: object, derived: object): boolean {
  return JSON.stringify({ ...stored, seq: 0 }) === JSON.stringify({ ...derived, seq: 0 });
}

/** Jumps from session to session in the index instead of walking over every entry. */
const everySession = `
  WITH RECURSIVE every (id) AS (
    SELECT min(session) FROM entries
    UNION ALL SELECT (SELECT min(session) FROM entries WHERE session > every.id) FROM every WHERE every.id IS NOT NULL
  ) SELECT id FROM every WHERE id IS NOT NULL`;
