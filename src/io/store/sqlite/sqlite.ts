// The durable log: all sessions in one SQLite file, one writer, one row per entry. Pieces of running answers
// wait in a file of their own and share rows.
import { setImmediate as nextBeat } from 'node:timers/promises';
import { LogDamage } from '../../../host/session/logStore.ts';
import type { Batch } from '../../../host/session/logStore.ts';
import { isUnfinished } from '../../../host/session/summary.ts';
import type { Summary } from '../../../host/session/summary.ts';
import type { Entry, SessionId } from '../../../model/event.ts';
import { format } from '../../../model/upgrade.ts';
import { CatalogueTable } from './catalogue.ts';
import type { KeptRows, RowChanges, NewRow } from './catalogue.ts';
import { query } from './database.ts';
import type { Database, Statement } from './database.ts';
import { Packer } from './packer.ts';
import { EntryReader } from './reader.ts';
import { PieceFile, piecesPath, sharedRows } from './pieceFile.ts';
import { encode, encodePieces, entriesAfter, insertEntries } from './record.ts';
import { readSeal, SealFile } from './logSeal.ts';
import type { Seal } from './logSeal.ts';
import { positionGap } from './salvage.ts';
import { replaceIndex } from './schema.ts';
import { FreePages, sparePages } from './space.ts';
import { problemOf, StoreError, storeError } from './storeError.ts';
import { verifyLog } from './verify.ts';
import type { DurableStore, StoreDamage } from '../durableStore.ts';
import { rewriteWal, WalSync } from './walSync.ts';

export interface SqliteStoreOptions {
  /** The database is open, checked and locked by this process. */
  readonly database: Database;
  readonly path: string;
  readonly report: (problem: unknown, about: string) => void;
  /** Called when a write finds a damaged page, so that the next start checks the whole file. */
  readonly onDamage: () => void;
  /** Called when the log is missing or older than it was. */
  readonly onLoss: (message: string) => void;
}

function sealPath(log: string): string {
  return `${log}.seal`;
}

/** How long after a piece its sync begins, in milliseconds; docs/reliability.md promises it. */
const pieceDelay = 50;

/** Rows that one statement inserts: a call into SQLite costs about as much as a row. */
const group = 8;

/** Entries that were committed, and the rows of the catalogue before them. */
interface Commit {
  readonly entries: Batch['entries'];
  readonly before: KeptRows;
}

/** How often reading a long log lets other work run, in milliseconds. */
const breath = 8;

export class SqliteStore implements DurableStore {
  readonly #options: SqliteStoreOptions;
  readonly #database: Database;
  readonly #reader: EntryReader;
  readonly #catalogue: CatalogueTable;
  readonly #insert: Statement;
  readonly #insertGroup: Statement;
  readonly #wal: WalSync;
  readonly #pieces: PieceFile;
  readonly #pieceSync: WalSync;
  readonly #seal: SealFile;
  readonly #packer: Packer;
  readonly #space: FreePages;
  #head: number;
  /** The newest position that is on the disk for sure. */
  #syncedHead: number;
  /** Whether an invalid digest was written again. */
  #sealedNow = false;
  /** Whether a sync of the write-ahead log failed, and its content is not in the database yet. */
  #isUnsynced = false;
  /** Whether the indexes were rebuilt, or rebuilding has failed. */
  #isRebuilt = false;
  /** Commits that were refused because they could not be brought to the disk. */
  #refused: Commit[] = [];
  #closing: Promise<void> | undefined;

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    this.#database = options.database;
    this.#database.exec('PRAGMA synchronous = NORMAL');
    this.#reader = new EntryReader(this.#database, () => this.#rebuildIndexes());
    this.#catalogue = new CatalogueTable(this.#database, this.#reader);
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
      recover: () => this.#moveToDatabase(),
    });
    this.#pieces = new PieceFile(piecesPath(options.path));
    this.#pieceSync = new WalSync({
      path: this.#pieces.path,
      report: options.report,
      delay: pieceDelay,
      recover: () => {
        this.#settle();
        this.#moveToDatabase();
        // What comes next must not follow bytes that may be missing.
        this.#pieces.beginAnew();
      },
    });
    this.#seal = new SealFile({ path: sealPath(options.path), report: options.report });
    this.#syncedHead = this.#head;
    this.#noticeLoss();
    this.#heal();
    this.#space = new FreePages(this.#database);
    this.#packer = this.#newPacker();
  }

  summaries(): readonly Summary[] {
    this.#trySettle();
    this.#catalogue.readAll();
    this.#heal();
    const changes = this.#derived(this.#catalogue.unknown());
    if (changes.size > 0) this.#storeRows(changes);
    return this.#catalogue.summaries();
  }

  /** Preloads the catalogue in small steps, and packs what an earlier host has left. */
  async warm(): Promise<void> {
    while (!this.#closing && this.#catalogue.readMore()) await nextBeat();
    await this.#packer.findMore();
  }

  /** Packs the streamed entries of all sessions at rest, without a pause. */
  async pack(): Promise<void> {
    this.#settle();
    for (const session of this.#catalogue.ids()) await this.#packer.finish(session);
  }

  /** Packs everything and rewrites the file without unused pages; false if it is damaged. */
  async compact(): Promise<boolean> {
    try {
      if (!this.#space.isSound()) return false;
      await this.pack();
      this.#space.rewrite();
      return true;
    } catch (error) {
      throw this.#failure(error, 'Compacting the log');
    }
  }

  unfinished(): readonly SessionId[] {
    const rows = query(
      this.#database,
      'SELECT id, summary IS NULL FROM sessions WHERE summary IS NULL OR (damage IS NULL AND format <= ' +
        `${format} AND status IN ('running', 'asking'))`,
    )();
    if (rows.every(([, unknown]) => unknown === 0)) return rows.map(([id]) => String(id));
    return this.summaries()
      .filter(isUnfinished)
      .map(({ id }) => id);
  }

  head(): number {
    return this.#head;
  }

  async *read(session: SessionId, after = 0, merged?: 'merged'): AsyncGenerator<Entry> {
    let rested = performance.now();
    let last = after;
    try {
      this.#trySettle();
      for (const piece of this.#reader.pieces(session, {
        after,
        vouched: () => this.#catalogue.vouched(session),
        merged,
      })) {
        for (const entry of piece) yield entry;
        last = piece.at(-1)?.seq ?? last;
        if (performance.now() - rested < breath) continue;
        await nextBeat();
        this.#trySettle();
        rested = performance.now();
      }
    } catch (error) {
      if (!(error instanceof LogDamage)) throw this.#failure(error, 'Reading the log');
      this.#remember(session, error);
      throw error;
    }
    const waiting = this.#pieces.waiting.filter((each) => each.session === session);
    if (waiting.length > 0) yield* entriesAfter(waiting, last);
    if (after === 0) this.#remember(session, undefined);
  }

  /** The commit is in the kernel when it returns; a promise resolves when it is on the disk. */
  write(batch: Batch): void | Promise<void> {
    const { entries, sync } = batch;
    let before: KeptRows = new Map();
    try {
      this.#refuseClosed();
      if (this.#isUnsynced) this.#moveToDatabase();
      this.#withdraw();
      const changes = this.#catalogue.changesOf(batch);
      if (sync === 'kernel' && !changes && this.#append(entries)) return;
      if (changes && sync === 'disk') before = this.#catalogue.keep(changes.keys());
      const [only] = entries;
      // A statement of its own is a transaction already.
      if (only && entries.length === 1 && !changes && this.#pieces.waiting.length === 0)
        this.#insert.run(...encode(only.session, only.entry.by, [only.entry]));
      else this.#transact(changes, () => this.#insertAll(entries));
    } catch (error) {
      if (problemOf(error) === 'damaged' && this.#rebuildIndexes()) return this.write(batch);
      throw this.#failure(error, 'Storing entries');
    }
    this.#use(entries);
    return sync === 'kernel' ? this.#wal.soon() : this.#onDisk(batch, before);
  }

  /** The positions of a removed session stay used. */
  remove(session: SessionId): Promise<void> {
    try {
      this.#refuseClosed();
      this.#markRemoved(session);
      this.#transact(new Map([[session, undefined]]), () => {
        this.#database.prepare('UPDATE meta SET head = max(head, ?)').run(this.#head);
        this.#database.prepare('DELETE FROM entries WHERE session = ?').run(session);
      });
    } catch (error) {
      throw this.#failure(error, 'Removing a session');
    }
    this.#packer.tidySoon();
    const { mark } = this.#pieces;
    // A failed sync was reported. The session is gone for this host all the same.
    return this.#wal
      .now()
      .then(() => this.#pieces.synced(mark, 'cleared'))
      .catch(() => {});
  }

  #markRemoved(session: SessionId): void {
    try {
      this.#pieces.markRemoved(session);
    } catch (error) {
      this.#options.report(error, 'removing a session');
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Derives the whole catalogue from the entries. */
  async rebuild(): Promise<void> {
    try {
      this.#settle();
      this.#database.exec('REINDEX entries');
    } catch (error) {
      throw this.#failure(error, 'Rebuilding the catalogue');
    }
    for (const session of this.#catalogue.ids()) {
      this.#storeRows(this.#derived([session]));
      await nextBeat();
    }
  }

  /** Checks everything that is stored and lists the problems. */
  verify(): Promise<readonly StoreDamage[]> {
    this.#trySettle();
    return verifyLog(this.#database);
  }

  async #close(): Promise<void> {
    this.#packer.close();
    await this.#pieceSync.close();
    await this.#wal.close();
    try {
      this.#settle();
      const [isBlocked] = query(this.#database, 'PRAGMA wal_checkpoint(TRUNCATE)')()[0] ?? [];
      if (isBlocked === 0) this.#pieces.remove();
    } catch (error) {
      // Everything is still in the write-ahead log and the file of pieces, which the next start reads.
      this.#options.report(error, 'closing the log');
    }
    this.#pieces.close();
    this.#database.close();
    this.#seal.write(this.#sealed());
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

  /** Moves the pieces that wait to the database, where readers find them. */
  #settle(): void {
    if (this.#pieces.waiting.length > 0) this.#transact(undefined, () => {});
  }

  /** A failure, such as a full disk, must not stop readers. */
  #trySettle(): void {
    try {
      this.#settle();
    } catch (error) {
      this.#options.report(error, 'moving pieces of answers to the database');
    }
  }

  /** Moves what waits, and makes a full file empty; until then pieces go to the database. */
  async #movePieces(): Promise<void> {
    try {
      this.#settle();
      const { mark, isFull } = this.#pieces;
      if (!isFull) return;
      await this.#wal.now();
      this.#pieces.synced(mark);
    } catch (error) {
      // They are in their file all the same, and the next commit tries again.
      this.#options.report(error, 'moving pieces of answers to the database');
    }
  }

  /** Waits for the disk. A commit that it refuses is undone. */
  async #onDisk({ entries, summaries }: Batch, before: KeptRows): Promise<void> {
    const head = this.#head;
    const { mark } = this.#pieces;
    try {
      await this.#wal.now();
      this.#pieces.synced(mark);
    } catch (error) {
      this.#refused.push({ entries, before });
      try {
        this.#withdraw();
      } catch (second) {
        // The next write tries again before it adds anything.
        this.#options.report(second, 'undoing a commit');
      }
      throw this.#failure(error, 'Storing entries');
    }
    this.#syncedHead = Math.max(this.#syncedHead, head);
    this.#seal.soon(() => this.#sealed());
    for (const { id } of summaries) if (this.#catalogue.isAtRest(id)) this.#packer.soon(id);
  }

  #newPacker(): Packer {
    return new Packer({
      database: this.#database,
      isAtRest: (session) =>
        !this.#isUnsynced && this.#refused.length === 0 && this.#catalogue.isAtRest(session),
      synced: () => this.#syncedHead,
      transact: (run) => {
        this.#transact(undefined, run);
        this.#wal.soon();
      },
      giveBack: () => this.#giveBack(),
      report: this.#options.report,
    });
  }

  #giveBack(): boolean {
    if (this.#isUnsynced) return false;
    const hasMore = this.#space.step(sparePages);
    this.#wal.soon();
    return hasMore;
  }

  /** Undoes refused commits: their entries were never shown, and their numbers are given again. */
  #withdraw(): void {
    for (let last = this.#refused.at(-1); last; last = this.#refused.at(-1)) {
      const { entries, before } = last;
      this.#transact(this.#catalogue.restore(before), () => {
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
   * The indexes repeat what is in the tables, so damage in them costs nothing but time. True once, if that
   * was the damage.
   */
  #rebuildIndexes(): boolean {
    if (this.#isRebuilt || this.#closing) return false;
    this.#isRebuilt = true;
    this.#space?.stop();
    // Pages of the old index stay behind in the file, so the next start copies it.
    this.#options.onDamage();
    try {
      replaceIndex(this.#database);
    } catch (error) {
      const advice = 'The log is damaged. The next start of the host restores everything that is readable.';
      this.#options.report(new StoreError('damaged', advice, { cause: error }), 'using the log');
      return false;
    }
    const done = 'An index of the log was damaged and was built again. No entry was lost.';
    this.#options.report(new StoreError('damaged', done), 'using the log');
    return true;
  }

  #sealed(): Seal {
    return { head: this.#syncedHead, sessions: this.#catalogue.count };
  }

  /** Reports a log that has come less far than its seal says. Positions that clients have seen stay used. */
  #noticeLoss(): void {
    const seal = readSeal(sealPath(this.#options.path));
    if (!seal || seal.head <= this.#head) return;
    const what =
      this.#head === 0
        ? `The log is missing. It had ${seal.sessions} sessions.`
        : `The log is older than it was: ${seal.head - this.#head} entries are missing.`;
    const advice = 'If you have moved or restored files, put log.db and log.db-wal back together.';
    this.#options.report(new StoreError('damaged', `${what} ${advice}`), 'opening the log');
    this.#options.onLoss(`${what} ${advice}`);
    this.#head = seal.head + positionGap;
    this.#database.prepare('UPDATE meta SET head = max(head, ?)').run(this.#head);
    this.#syncedHead = this.#head;
    this.#seal.write(this.#sealed());
  }

  #refuseClosed(): void {
    if (this.#closing) throw new StoreError('closed', 'The log is closed.');
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

  #transact(changes: RowChanges | undefined, run: () => void): void {
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

  #heal(): void {
    const { suspects } = this.#catalogue;
    const healed = this.#catalogue.sealed || this.#sealedNow;
    if (healed && suspects.size === 0) return;
    const changes = this.#derived([...suspects]);
    suspects.clear();
    this.#sealedNow = true;
    this.#storeRows(changes);
    if (changes.size > 0)
      this.#options.report(
        new StoreError(
          'damaged',
          `${changes.size} rows of the catalogue were not right and were derived from the log again.`,
        ),
        'opening the log',
      );
  }

  #derived(sessions: Iterable<SessionId>): RowChanges {
    const changes = new Map<SessionId, NewRow>();
    for (const session of sessions) {
      const row = this.#catalogue.derive(session);
      if (row) changes.set(session, row);
    }
    return changes;
  }

  /** Damage is found when a log is read; the row remembers it, so that the list can tell without reading. */
  #remember(session: SessionId, damage: LogDamage | undefined): void {
    const row = this.#catalogue.marked(session, damage);
    if (row) this.#storeRows(new Map([[session, row]]));
  }

  /** Rows that cannot be written now are derived again next time; the list is right all the same. */
  #storeRows(changes: RowChanges): void {
    try {
      this.#transact(changes, () => {});
    } catch (error) {
      this.#catalogue.accept(changes);
      this.#options.report(error, 'storing rows of the catalogue');
    }
  }

  #failure(error: unknown, doing: string): StoreError {
    if (this.#closing)
      return new StoreError('closed', `${doing} failed: the log is closed.`, { cause: error });
    const failure = storeError(error, doing);
    if (failure.code === 'damaged') this.#options.onDamage();
    return failure;
  }
}
