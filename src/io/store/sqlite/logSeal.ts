// A small file beside the log that says how far the log has come, so that a missing or an older log
// is noticed.
import { isRecord } from '../../../base/isRecord.ts';
import { writePrivately } from '../../files/privateFiles.ts';
import { readUserFile } from '../../files/folderFile.ts';

export interface Seal {
  /** The newest position that was surely on the disk. */
  readonly head: number;
  readonly sessions: number;
}

export interface SealFileOptions {
  readonly path: string;
  readonly report: (problem: unknown, about: string) => void;
}

/** How long after a write the file is written, in milliseconds. */
const pause = 1_000;

export class SealFile {
  readonly #options: SealFileOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SealFileOptions) {
    this.#options = options;
  }

  /** Writes the file a little later, once for many writes. */
  soon(seal: () => Seal): void {
    this.#timer ??= setTimeout(() => this.write(seal()), pause).unref();
  }

  write(seal: Seal): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      writePrivately(this.#options.path, `${JSON.stringify(seal)}\n`);
    } catch (error) {
      this.#options.report(error, 'writing the seal of the log');
    }
  }
}

/** Undefined if there is none, or it cannot be read. */
export function readSeal(path: string): Seal | undefined {
  try {
    const value: unknown = JSON.parse(readUserFile(path));
    if (!isRecord(value)) return undefined;
    const { head, sessions } = value;
    return typeof head === 'number' && typeof sessions === 'number' ? { head, sessions } : undefined;
  } catch {
    return undefined;
  }
}
