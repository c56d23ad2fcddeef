// Syncs the write-ahead log to disk soon after a write, off the main thread, one sync at a time.
import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

export interface WalSyncOptions {
  readonly path: string;
  readonly report: (problem: unknown, about: string) => void;
  readonly sync?: (file: number) => Promise<void>;
  /** Called after a failed sync, which leaves data in memory that the system takes for written. */
  readonly recover?: () => void;
}

/** With the time of a sync, every published entry survives a power cut after at most about 20 ms. */
const delay = 8;

export class WalSync {
  readonly #options: WalSyncOptions;
  #file: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #dirty = false;

  constructor(options: WalSyncOptions) {
    this.#options = options;
  }

  /** Call it after a write that is not synced yet. */
  soon(): void {
    this.#dirty = true;
    if (this.#timer || this.#running) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#sync().finally(() => {
        this.#running = undefined;
        if (this.#dirty) this.soon();
      });
    }, delay).unref();
  }

  /** Call it after SQLite has synced everything itself. */
  done(): void {
    this.#dirty = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async close(): Promise<void> {
    this.done();
    await this.#running;
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await promisify(close)(file);
  }

  async #sync(): Promise<void> {
    this.#dirty = false;
    try {
      // SQLite keeps its locks on other files, so opening and closing this one costs it none of them. Windows
      // flushes only what may be written.
      this.#file ??= openSync(this.#options.path, 'r+');
      await (this.#options.sync ?? promisify(fdatasync))(this.#file);
    } catch (error) {
      this.#options.report(error, 'bringing the log to the disk');
      this.#recover();
    }
  }

  #recover(): void {
    try {
      this.#options.recover?.();
    } catch (error) {
      this.#options.report(error, 'bringing the log to the disk in another way');
    }
  }
}
