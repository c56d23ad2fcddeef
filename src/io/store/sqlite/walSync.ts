// Syncs a file of the log to disk off the main thread, one sync at a time: soon after a write, or at once
// for a write that waits for it.
import {
  close,
  closeSync,
  fdatasync,
  fsync,
  fsyncSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

export interface WalSyncOptions {
  readonly path: string;
  /** Where names have to be on the disk for the file to be found; usually the folder of the file alone. */
  readonly folders?: readonly string[];
  readonly report: (problem: unknown, about: string) => void;
  /** How long after a write that nobody waits for its sync begins, in milliseconds. */
  readonly delay?: number;
  readonly sync?: (file: number) => Promise<void>;
  /** Whether the data is doubtful because another sync of the same file has failed. */
  readonly isDoubtful?: () => boolean;
  /** Called after a failed sync, which leaves data in memory that the system takes for written. */
  readonly recover?: () => void;
}

/** For what is in no other file. */
const usualDelay = 8;

const syncData = promisify(fdatasync);

export class WalSync {
  readonly #options: WalSyncOptions;
  #file: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  /** The sync after the running one, for those who wait for it. */
  #next: Promise<void> | undefined;
  #dirty = false;
  /** A sync failed, and the data was not yet brought to the disk in another way. */
  #isDoubtful = false;

  constructor(options: WalSyncOptions) {
    this.#options = options;
  }

  /** Call it after a write that nobody waits for. */
  soon(): void {
    this.#dirty = true;
    if (this.#timer || this.#running) return;
    this.#timer = setTimeout(() => {
      // A failure was reported, and the next write tells its own.
      void this.#start().catch(() => {});
    }, this.#options.delay ?? usualDelay).unref();
  }

  /** Resolves when everything that was written before the call is on the disk; rejects if it cannot be. */
  now(): Promise<void> {
    // A sync that runs already may have begun before the write. Those who come meanwhile share the next one.
    if (!this.#running) return this.#start();
    this.#next ??= this.#running.catch(() => {}).then(() => this.#start());
    return this.#next;
  }

  /** Call it after SQLite has synced everything itself. */
  done(): void {
    this.#dirty = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async close(): Promise<void> {
    this.done();
    while (this.#next ?? this.#running) await (this.#next ?? this.#running)?.catch(() => {});
    this.done();
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await promisify(close)(file);
  }

  #start(): Promise<void> {
    this.done();
    this.#next = undefined;
    this.#running = this.#sync().finally(() => {
      this.#running = undefined;
      if (this.#dirty && !this.#next) this.soon();
    });
    return this.#running;
  }

  async #sync(): Promise<void> {
    const { path, folders = [dirname(path)], report } = this.#options;
    const { sync = syncData, isDoubtful = () => false, recover } = this.#options;
    // A sync that succeeds after one that failed says nothing about the data of the failed one.
    if (!this.#isDoubtful)
      try {
        this.#file ??= await openSynced(path, folders);
        await sync(this.#file);
        if (!isDoubtful()) return;
      } catch (error) {
        report(error, 'bringing the log to the disk');
        if (!recover) throw error;
        this.#isDoubtful = true;
      }
    try {
      recover?.();
      this.#isDoubtful = false;
    } catch (error) {
      report(error, 'bringing the log to the disk in another way');
      throw error;
    }
  }
}

/**
 * Writes the write-ahead log over itself and syncs that: after a failed sync the system may take for written
 * what is not on the disk, and syncs of the same data change nothing.
 */
export function rewriteWal(path: string): void {
  const bytes = readFileSync(path);
  const file = openSync(path, 'r+');
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * SQLite keeps its locks on other files, so opening and closing this one costs it none of them. Windows
 * flushes only what may be written. A new file is found after a power failure if its directory is on the
 * disk, too.
 */
async function openSynced(path: string, folders: readonly string[]): Promise<number> {
  const file = openSync(path, 'r+');
  for (const folder of process.platform === 'win32' ? [] : folders) {
    const directory = openSync(folder, 'r');
    try {
      await promisify(fsync)(directory);
    } finally {
      await promisify(close)(directory);
    }
  }
  return file;
}
