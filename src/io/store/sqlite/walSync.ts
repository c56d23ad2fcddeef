// Brings what the kernel holds of the write-ahead log to the disk soon, off the main thread, one request at a time.
import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

export interface WalSyncOptions {
  readonly path: string;
  readonly report: (problem: unknown, about: string) => void;
  readonly sync?: (file: number) => Promise<void>;
}

/** Together with the time a disk needs this keeps everything shown within 20 ms of being safe from a power cut. */
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

  /** Something new is in the kernel only. */
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

  /** SQLite itself has just brought everything to the disk. */
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
      // SQLite keeps its locks on other files, so opening and closing this one costs it none of them. Windows flushes only what may be written.
      this.#file ??= openSync(this.#options.path, 'r+');
      await (this.#options.sync ?? promisify(fdatasync))(this.#file);
    } catch (error) {
      this.#options.report(error, 'bringing the log to the disk');
    }
  }
}
