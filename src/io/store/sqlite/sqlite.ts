// The durable log: all sessions in one SQLite file, one writer, one row per entry. Pieces of running answers
// wait in a file of their own and share rows.
import { setImmediate as nextBeat } from 'node:timers/promises';
import { LogDamage } from '../../../host/session/logStore.ts';
import type { Batch, ReadHow, StoredStates } from '../../../host/session/logStore.ts';
import { isUnfinished } from '../../../host/session/summary.ts';
import type { Summary } from '../../../host/session/summary.ts';
import type { Entry, SessionId } from '../../../model/event.ts';
import { format } from '../../../model/upgrade.ts';
import { CatalogueTable } from './catalogue.ts';
import type { NewRow, RowChanges } from './catalogue.ts';
import { query } from './database.ts';
import type { Database } from './database.ts';
import { Packer } from './packer.ts';
import { EntryReader } from './reader.ts';
import { unpackedEntriesAfter } from './record.ts';
import { readSeal, SealFile } from './logSeal.ts';
import type { Seal } from './logSeal.ts';
import { positionGap } from './salvage/salvage.ts';
import { replaceIndex } from './schema.ts';
import { FreePages, sparePages } from './space.ts';
import { problemOf, StoreError, storeError } from './storeError.ts';
import { verifyLog } from './verify.ts';
import type { DurableStore, StoreDamage } from '../durableStore.ts';
import { StateFiles } from '../stateFiles.ts';
import { LogWriter } from './writer.ts';
import type { Commit } from './writer.ts';

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

/** How often reading a long log lets other work run, in milliseconds. */
const breath = 8;

export class SqliteStore implements DurableStore {
  readonly #options: SqliteStoreOptions;
  readonly #database: Database;
  readonly #reader: EntryReader;
  readonly #catalogue: CatalogueTable;
  readonly #writer: LogWriter;
  readonly #seal: SealFile;
  readonly #packer: Packer;
  readonly #space: FreePages;
  readonly #states: StateFiles;
  readonly states: StoredStates;
  /** The newest position that is on the disk for sure. */
  #syncedHead: number;
  /** Whether an invalid digest was written again. */
  #sealedNow = false;
  /** Whether the indexes were rebuilt, or rebuilding has failed. */
  #isRebuilt = false;
  #closing: Promise<void> | undefined;

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
    this.#database = options.database;
    this.#database.exec('PRAGMA synchronous = NORMAL');
    this.#reader = new EntryReader(this.#database, () => this.#rebuildIndexes());
    this.#catalogue = new CatalogueTable(this.#database, this.#reader);
    this.#writer = new LogWriter({
      database: this.#database,
      path: options.path,
      catalogue: this.#catalogue,
      report: options.report,
    });
    this.#seal = new SealFile({ path: sealPath(options.path), report: options.report });
    this.#syncedHead = this.#writer.head;
    this.#noticeLoss();
    this.#heal();
    this.#space = new FreePages(this.#database);
    this.#packer = this.#newPacker();
    this.#states = new StateFiles({
      directory: `${options.path}-states`,
      isWanted: (session) => this.#catalogue.isSound(session),
      report: options.report,
      foldNow: (session, last) => {
        this.#writer.trySettle();
        return this.#reader.foldUpTo(session, last);
      },
    });
    this.states = this.#states;
  }

  summaries(): readonly Summary[] {
    this.#writer.trySettle();
    this.#catalogue.readAll();
    this.#heal();
    const changes = this.#derived(this.#catalogue.unknown());
    if (changes.size > 0) this.#storeRows(changes);
    return this.#catalogue.summaries();
  }

  async warm(what: 'list' | 'all'): Promise<void> {
    while (!this.#closing && this.#catalogue.readMore()) await nextBeat();
    if (what === 'all') await this.#packer.findMore();
  }

  /** Packs the streamed entries of all sessions at rest, without a pause. */
  async pack(): Promise<void> {
    this.#writer.settle();
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
    return this.#writer.head;
  }

  /** A full disk stops nobody: the next entry that is stored has a greater position anyway. */
  takePosition(): number {
    this.#refuseClosed();
    try {
      this.#writer.useUpTo(this.#writer.head + 1);
      this.#writer.syncSoon();
    } catch (error) {
      this.#options.report(this.#failure(error, 'Taking a position'), 'taking a position');
    }
    return this.#writer.head;
  }

  async *read(session: SessionId, after = 0, how?: ReadHow): AsyncGenerator<Entry> {
    let rested = performance.now();
    let last = after;
    try {
      this.#writer.trySettle();
      for (const piece of this.#reader.pieces(session, {
        after,
        vouched: () => this.#catalogue.vouched(session),
        merged: how === 'merged' ? how : undefined,
      })) {
        for (const entry of piece) yield entry;
        last = piece.at(-1)?.seq ?? last;
        if (performance.now() - rested < breath) continue;
        await nextBeat();
        this.#writer.trySettle();
        rested = performance.now();
      }
    } catch (error) {
      if (!(error instanceof LogDamage)) throw this.#failure(error, 'Reading the log');
      this.#remember(session, error);
      throw error;
    }
    const waiting = this.#writer.waiting(session);
    if (waiting.length > 0) yield* unpackedEntriesAfter(waiting, last);
    if (after === 0) this.#remember(session, undefined);
  }

  /** The commit is in the kernel when it returns; a promise resolves when it is on the disk. */
  write(batch: Batch): void | Promise<void> {
    let commit: Commit;
    try {
      this.#refuseClosed();
      commit = this.#writer.write(batch);
    } catch (error) {
      if (problemOf(error) === 'damaged' && this.#rebuildIndexes()) return this.write(batch);
      throw this.#failure(error, 'Storing entries');
    }
    if (batch.sync === 'disk') return this.#onDisk(batch, commit);
  }

  /** The positions of a removed session stay used. */
  remove(session: SessionId): Promise<void> {
    try {
      this.#refuseClosed();
      const removed = this.#writer.remove(session);
      this.#packer.tidySoon();
      return Promise.all([removed, this.#states.remove(session)]).then(([done]) => done);
    } catch (error) {
      throw this.#failure(error, 'Removing a session');
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Derives the whole catalogue from the entries. */
  async rebuild(): Promise<void> {
    try {
      this.#writer.settle();
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
  async verify(): Promise<readonly StoreDamage[]> {
    this.#writer.trySettle();
    const found = await verifyLog(this.#database);
    // The damage is to be seen when the session is opened.
    for (const { session } of found) if (session !== undefined) await this.#states.remove(session);
    return found;
  }

  async #close(): Promise<void> {
    this.#packer.close();
    await this.#states.close();
    await this.#writer.close();
    this.#database.close();
    this.#seal.write(this.#sealed());
  }

  async #onDisk({ summaries }: Batch, commit: Commit): Promise<void> {
    const { head } = this.#writer;
    try {
      await this.#writer.sync(commit);
    } catch (error) {
      throw this.#failure(error, 'Storing entries');
    }
    this.#syncedHead = Math.max(this.#syncedHead, head);
    this.#seal.soon(() => this.#sealed());
    for (const { id } of summaries) if (this.#catalogue.isAtRest(id)) this.#packer.soon(id);
  }

  #newPacker(): Packer {
    return new Packer({
      database: this.#database,
      isAtRest: (session) => this.#writer.isSound && this.#catalogue.isAtRest(session),
      synced: () => this.#syncedHead,
      transact: (run) => {
        this.#writer.transact(undefined, run);
        this.#writer.syncSoon();
      },
      giveBack: () => this.#giveBack(),
      report: this.#options.report,
    });
  }

  #giveBack(): boolean {
    if (!this.#writer.isSound) return false;
    const hasMore = this.#space.step(sparePages);
    this.#writer.syncSoon();
    return hasMore;
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
    const { head } = this.#writer;
    const seal = readSeal(sealPath(this.#options.path));
    if (!seal || seal.head <= head) return;
    const what =
      head === 0
        ? `The log is missing. It had ${seal.sessions} sessions.`
        : `The log is older than it was: ${seal.head - head} entries are missing.`;
    const advice = 'If you have moved or restored files, put log.db and log.db-wal back together.';
    this.#options.report(new StoreError('damaged', `${what} ${advice}`), 'opening the log');
    this.#options.onLoss(`${what} ${advice}`);
    this.#writer.useUpTo(seal.head + positionGap);
    this.#syncedHead = this.#writer.head;
    this.#seal.write(this.#sealed());
  }

  #refuseClosed(): void {
    if (this.#closing) throw new StoreError('closed', 'The log is closed.');
  }

  #heal(): void {
    const { suspects } = this.#catalogue;
    const healed = this.#catalogue.sealed || this.#sealedNow;
    if (healed && suspects.size === 0) return;
    const isUpdate = this.#catalogue.hasOtherFormat && !this.#sealedNow;
    const changes = this.#derived([...suspects]);
    suspects.clear();
    this.#sealedNow = true;
    this.#storeRows(changes);
    if (changes.size > 0 && !isUpdate)
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
      this.#writer.transact(changes, () => {});
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
