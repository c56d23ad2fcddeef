// Packs the streamed entries of sessions at rest into few rows, in the background and a little at a time.
import { setImmediate as nextBeat } from 'node:timers/promises';
import { isRecord } from '../../../base/isRecord.ts';
import type { SessionId } from '../../../model/event.ts';
import { query } from './database.ts';
import type { Database, Query, Row, Statement } from './database.ts';
import { isPackable, pack } from './packedRow.ts';
import type { StoredEntry } from './packedRow.ts';
import { checksum, storedEntries } from './record.ts';
import type { StoredRow } from './record.ts';
import { problemOf, StoreError } from './storeError.ts';

export interface PackerOptions {
  readonly database: Database;
  /** Whether the log of the session is sound and nothing runs in it. */
  readonly isAtRest: (session: SessionId) => boolean;
  /** The newest position that is on the disk for sure; only what is there is packed. */
  readonly synced: () => number;
  /** Runs a function as one transaction. */
  readonly transact: (run: () => void) => void;
  /** Gives some of the space that packing and deleting have freed back; true if there is more. */
  readonly giveBack: () => boolean;
  readonly report: (problem: unknown, about: string) => void;
}

/** Neighbours that become one row. */
interface Run {
  readonly by: string;
  readonly format: number;
  readonly entries: StoredEntry[];
}

/** Rows that one step reads: few enough to take some milliseconds, enough for most answers. */
const mostRows = 512;
/** How long after the end of a turn its pieces are packed, in milliseconds. */
const firstPause = 500;
/** Between two steps at least, in milliseconds. */
const leastPause = 20;
/** A step is followed by a pause of so many times its own time. */
const share = 9;
/** Sessions of one look at the catalogue. */
const sessionsAtOnce = 100;

export class Packer {
  readonly #options: PackerOptions;
  readonly #select: Query;
  readonly #mark: Query;
  readonly #stale: Query;
  readonly #drop: Statement;
  readonly #put: Statement;
  readonly #setMark: Statement;
  readonly #waiting = new Set<SessionId>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: PackerOptions) {
    const { database } = options;
    this.#options = options;
    this.#select = query(
      database,
      `SELECT seq, pos, at, by, CASE WHEN octet_length(event) <= 16384 THEN event END, format, crc
       FROM entries WHERE session = ? AND seq > ? ORDER BY seq LIMIT ${mostRows}`,
    );
    this.#mark = query(database, 'SELECT packed FROM sessions NOT INDEXED WHERE id = ?');
    this.#stale = query(
      database,
      `SELECT id, packed < ifnull((SELECT max(seq) FROM entries WHERE session = id), 0), rowid
       FROM sessions WHERE rowid > ? ORDER BY rowid LIMIT ${sessionsAtOnce}`,
    );
    this.#drop = database.prepare('DELETE FROM entries WHERE session = ? AND seq BETWEEN ? AND ?');
    this.#put = database.prepare(
      'INSERT INTO entries (session, by, format, pos, seq, at, event, crc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#setMark = database.prepare('UPDATE sessions SET packed = ? WHERE id = ?');
  }

  /** Call it when a session may have come to rest. */
  soon(session: SessionId): void {
    this.#waiting.add(session);
    this.#schedule(firstPause);
  }

  /** Call it when something was deleted. */
  tidySoon(): void {
    this.#schedule(firstPause);
  }

  /** Finds the sessions that an earlier host did not come to. */
  async findMore(): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined && !this.#isClosed; await nextBeat()) {
      const rows = this.#stale(after);
      for (const [id, isStale] of rows) if (isStale === 1) this.soon(String(id));
      after = rows.length < sessionsAtOnce ? undefined : Number(rows.at(-1)?.[2]);
    }
  }

  /** Packs one session now, in steps between which other work runs. */
  async finish(session: SessionId): Promise<void> {
    while (!this.#isClosed && this.#step(session)) await nextBeat();
    this.#waiting.delete(session);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(pause: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => this.#next(), pause).unref();
  }

  #next(): void {
    this.#timer = undefined;
    const [session] = this.#waiting;
    const began = performance.now();
    let hasMore = false;
    try {
      hasMore = session === undefined ? this.#options.giveBack() : this.#step(session);
    } catch (error) {
      // Nothing was changed, and the next turn or the next start tries again.
      if (!passing.has(problemOf(error))) this.#options.report(error, 'packing the log');
    }
    if (session !== undefined && !hasMore) this.#waiting.delete(session);
    const took = performance.now() - began;
    if (hasMore || session !== undefined) this.#schedule(Math.max(leastPause, share * took));
  }

  /** Packs a few hundred entries; true if there are more. */
  #step(session: SessionId): boolean {
    if (!this.#options.isAtRest(session)) return false;
    const before = Number(this.#mark(session)[0]?.[0] ?? Number.POSITIVE_INFINITY);
    if (!Number.isFinite(before)) return false;
    const { runs, end, isFull } = this.#read(session, before);
    if (end === before) return false;
    const packed = runs.map((run) => pack(run.entries));
    this.#options.transact(() => {
      for (const [index, run] of runs.entries()) this.#replace(session, run, packed[index]);
      this.#setMark.run(end, session);
    });
    return isFull;
  }

  /** The runs behind a sequence number, and the last entry that is done with. */
  #read(session: SessionId, after: number) {
    const synced = this.#options.synced();
    const rows = this.#select(session, after).filter(([, pos]) => Number(pos) <= synced);
    const isFull = rows.length === mostRows;
    const { runs, open } = runsIn(session, rows);
    // A run that goes on behind these rows is left for the next step, unless it fills this one.
    const cut = isFull && open && runs.length > 1 ? runs.pop() : undefined;
    const [first] = cut?.entries ?? [];
    const end = first ? first.seq - 1 : Number(rows.at(-1)?.[0] ?? after);
    return { runs: runs.filter(({ entries }) => entries.length > 1), end, isFull };
  }

  #replace(session: SessionId, { by, format, entries }: Run, event: string | undefined): void {
    const [first, last] = [entries[0], entries.at(-1)];
    if (!first || !last || event === undefined) return;
    const result = this.#drop.run(session, first.seq, last.seq);
    if (isRecord(result) && Number(result['changes']) !== entries.length)
      throw new StoreError('damaged', 'The index of the log does not match its entries.');
    const { seq, pos, at } = last;
    const crc = checksum(session, `${seq} ${pos} ${at} ${format}`, `${by}\n${event}`);
    this.#put.run(session, by, format, pos, seq, at, event, crc);
  }
}

/** Temporary problems, and those that the next write reports. */
const passing: ReadonlySet<string> = new Set(['busy', 'full', 'io', 'closed']);

/** The runs in neighbouring rows; `open` is the last one if no other entry follows it. */
function runsIn(
  session: SessionId,
  rows: readonly Row[],
): { readonly runs: Run[]; readonly open: Run | undefined } {
  const runs: Run[] = [];
  let open: Run | undefined;
  for (const row of rows) {
    const stored = storedEntries(session, row);
    const [entry] = stored?.entries ?? [];
    if (!stored || !entry || stored.entries.length > 1 || !isPackable(entry.event)) open = undefined;
    else if (open && goesOn(open, stored)) open.entries.push(entry);
    else runs.push((open = { by: stored.by, format: stored.format, entries: [entry] }));
  }
  return { runs, open };
}

function goesOn(run: Run, { by, format, entries: [next] }: StoredRow): boolean {
  return run.by === by && run.format === format && run.entries.at(-1)?.seq === Number(next?.seq) - 1;
}
