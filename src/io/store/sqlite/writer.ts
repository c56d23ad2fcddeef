// Writes the log: pieces of running answers to their file, everything else to the database, and both to the
// disk.
import { dirname } from 'node:path';
import type { Batch } from '../../../host/session/logStore.ts';
import type { Entry, SessionId } from '../../../model/event.ts';
import type { CatalogueTable, KeptRows, RowChanges } from './catalogue.ts';
import { query } from './database.ts';
import type { Database, Statement } from './database.ts';
import { PieceFile, piecesPath, sharedRows } from './pieceFile.ts';
import type { Pieces } from './pieceFile.ts';
import { encode, encodePieces, insertEntries } from './record.ts';
import { StoreError } from './storeError.ts';
import { rewriteWal, WalSync } from './walSync.ts';

export interface LogWriterOptions {
  readonly database: Database;
  readonly path: string;
  readonly catalogue: CatalogueTable;
  readonly report: (problem: unknown, about: string) => void;
}

/** Entries that were committed, and the rows of the catalogue before them. */
export interface Commit {
  readonly entries: Batch['entries'];
  readonly before: KeptRows;
}

/** How long after a piece its sync begins, in milliseconds; docs/reliability.md promises it. */
const pieceDelay = 50;

/** Rows that one statement inserts: a call into SQLite costs about as much as a row. */
const group = 8;

export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #database: Database;
  readonly #catalogue: CatalogueTable;
  readonly #insert: Statement;
  readonly #insertGroup: Statement;
  readonly #wal: WalSync;
  readonly #pieces: PieceFile;
  readonly #pieceSync: WalSync;
  #head: number;
  /** Whether a sync of the write-ahead log failed, and its content is not in the database yet. */
  #isUnsynced = false;
  /** Commits that were refused because they could not be brought to the disk. */
  #refused: Commit[] = [];

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#database = options.database;
    this.#catalogue = options.catalogue;
    this.#insert = this.#database.prepare(insertEntries(1));
    this.#insertGroup = this.#database.prepare(insertEntries(group));
    this.#head = Number(
      query(
        this.#database,
        'SELECT max(ifnull((SELECT head FROM meta), 0), ifnull((SELECT max(pos) FROM entries), 0))',
      )()[0]?.[0] ?? 0,
    );
    this.#wal = new WalSync({
      path: `${options.path}-wal`,
      report: options.report,
      isDoubtful: () => this.#isUnsynced,
      recover: () => this.#moveToDatabase(),
    });
    this.#pieces = new PieceFile(piecesPath(options.path));
    this.#pieceSync = new WalSync({
      path: this.#pieces.path,
      folders: [dirname(this.#pieces.path), dirname(options.path)],
      report: options.report,
      delay: pieceDelay,
      recover: () => {
        this.settle();
        this.#moveToDatabase();
        // What comes next must not follow bytes that may be missing.
        this.#pieces.beginAnew();
      },
    });
  }

  /** The newest position that is used. */
  get head(): number {
    return this.#head;
  }

  /** Whether no write has failed in a way that a later one has still to make good. */
  get isSound(): boolean {
    return !this.#isUnsynced && this.#refused.length === 0;
  }

  /** The pieces of the session that are not in the database yet. */
  waiting(session: SessionId): readonly Pieces[] {
    return this.#pieces.waiting.filter((each) => each.session === session);
  }

  /** All positions up to this one count as used, also after a restart. */
  useUpTo(head: number): void {
    this.#head = head;
    this.#database.prepare('UPDATE meta SET head = max(head, ?)').run(head);
  }

  /** The entries are in the kernel when it returns; for the disk call `sync` with what it returns. */
  write(batch: Batch): Commit {
    const { entries, sync } = batch;
    let before: KeptRows = new Map();
    if (this.#isUnsynced) this.#moveToDatabase();
    this.#withdraw();
    const changes = this.#catalogue.changesOf(batch);
    if (sync === 'kernel' && !changes && this.#append(entries)) return { entries, before };
    if (changes && sync === 'disk') before = this.#catalogue.keep(changes.keys());
    const [only] = entries;
    // A statement of its own is a transaction already.
    if (only && entries.length === 1 && !changes && this.#pieces.waiting.length === 0)
      this.#insert.run(...encode(only.session, only.entry.by, [only.entry]));
    else this.transact(changes, () => this.#insertAll(entries));
    this.#use(entries);
    if (sync === 'kernel') this.#wal.soon();
    return { entries, before };
  }

  /** Waits for the disk. A commit that it refuses is undone. */
  async sync(commit: Commit): Promise<void> {
    const { mark } = this.#pieces;
    try {
      await this.#wal.now();
      this.#pieces.synced(mark);
    } catch (error) {
      this.#refused.push(commit);
      try {
        this.#withdraw();
      } catch (second) {
        // The next write tries again before it adds anything.
        this.#options.report(second, 'undoing a commit');
      }
      throw error;
    }
  }

  /** Call it after a change of the database that nobody waits for. */
  syncSoon(): void {
    this.#wal.soon();
  }

  /** The session is gone when it returns; the promise resolves when the disk knows. */
  remove(session: SessionId): Promise<void> {
    this.#markRemoved(session);
    this.transact(new Map([[session, undefined]]), () => {
      this.useUpTo(this.#head);
      this.#database.prepare('DELETE FROM entries WHERE session = ?').run(session);
    });
    const { mark } = this.#pieces;
    // A failed sync was reported. The session is gone for this host all the same.
    return this.#wal
      .now()
      .then(() => this.#pieces.synced(mark, 'cleared'))
      .catch(() => {});
  }

  /** Moves the pieces that wait to the database, where readers find them. */
  settle(): void {
    if (this.#pieces.waiting.length > 0) this.transact(undefined, () => {});
  }

  /** A failure, such as a full disk, must not stop readers. */
  trySettle(): void {
    try {
      this.settle();
    } catch (error) {
      this.#options.report(error, 'moving pieces of answers to the database');
    }
  }

  /** Runs a function and stores rows of the catalogue in one transaction, after the pieces that wait. */
  transact(changes: RowChanges | undefined, run: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      // An entry never comes before the earlier ones of its session.
      for (const row of sharedRows(this.#pieces.waiting).flatMap(encodePieces)) this.#insert.run(...row);
      run();
      if (changes) this.#catalogue.store(changes);
      this.#database.exec('COMMIT');
    } catch (error) {
      try {
        this.#database.exec('ROLLBACK');
      } catch {
        // After some failures SQLite has already rolled back.
      }
      throw error;
    }
    this.#pieces.taken();
    if (changes) this.#catalogue.accept(changes);
  }

  /** Brings everything to the database, which stays open. */
  async close(): Promise<void> {
    await this.#pieceSync.close();
    await this.#wal.close();
    try {
      this.settle();
      if (this.#isUnsynced) this.#moveToDatabase();
      const [isBlocked] = query(this.#database, 'PRAGMA wal_checkpoint(TRUNCATE)')()[0] ?? [];
      if (isBlocked === 0) this.#pieces.remove();
    } catch (error) {
      // Everything is still in the write-ahead log and the file of pieces, which the next start reads.
      this.#options.report(error, 'closing the log');
    }
    this.#pieces.close();
  }

  /** Appends pieces to their file; false if they have to go to the database. */
  #append(entries: Batch['entries']): boolean {
    try {
      if (!this.#pieces.append(entries)) return false;
    } catch (error) {
      // The database has another chance, or says what is wrong.
      this.#options.report(error, 'storing pieces of an answer');
      return false;
    }
    this.#use(entries);
    this.#pieceSync.soon();
    if (this.#pieces.isDue || this.#pieces.isFull) void this.#movePieces();
    return true;
  }

  #use(entries: Batch['entries']): void {
    for (const { entry } of entries) if (entry.pos > this.#head) this.#head = entry.pos;
  }

  /** Moves what waits, and makes a full file empty; until then pieces go to the database. */
  async #movePieces(): Promise<void> {
    try {
      this.settle();
      const { mark, isFull } = this.#pieces;
      if (!isFull) return;
      await this.#wal.now();
      this.#pieces.synced(mark);
    } catch (error) {
      // They are in their file all the same, and the next commit tries again.
      this.#options.report(error, 'moving pieces of answers to the database');
    }
  }

  #markRemoved(session: SessionId): void {
    try {
      this.#pieces.markRemoved(session);
    } catch (error) {
      this.#options.report(error, 'removing a session');
    }
  }

  /** Undoes refused commits: their entries were never shown, and their numbers are given again. */
  #withdraw(): void {
    for (let last = this.#refused.at(-1); last; last = this.#refused.at(-1)) {
      const { entries, before } = last;
      this.transact(this.#catalogue.restore(before), () => {
        const drop = this.#database.prepare('DELETE FROM entries WHERE pos = ?');
        for (const { entry } of entries) drop.run(entry.pos);
      });
      this.#refused.pop();
    }
  }

  /** Neighbours of one session and one origin go in together. */
  #insertAll(entries: Batch['entries']): void {
    let alike: Entry[] = [];
    for (const [at, { session, entry }] of entries.entries()) {
      alike.push(entry);
      const next = entries[at + 1];
      if (alike.length < group && next?.session === session && next.entry.by === entry.by) continue;
      if (alike.length === group) this.#insertGroup.run(...encode(session, entry.by, alike));
      else for (const one of alike) this.#insert.run(...encode(session, one.by, [one]));
      alike = [];
    }
  }

  /**
   * Writes the content of the write-ahead log to the database and syncs that. After a failed sync nothing new
   * may follow what could be missing on the disk, and no page of the database may be written over before all
   * of the log is there.
   */
  #moveToDatabase(): void {
    this.#isUnsynced = true;
    rewriteWal(`${this.#options.path}-wal`);
    const [isBlocked] = query(this.#database, 'PRAGMA wal_checkpoint(TRUNCATE)')()[0] ?? [];
    if (isBlocked !== 0) throw new StoreError('busy', 'Another process reads the log.');
    this.#isUnsynced = false;
  }
}
