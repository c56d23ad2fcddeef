// Gives the pages that a log does not use any more back to the file system, some at a time.
import { query } from './database.ts';
import type { Database, Query } from './database.ts';

/** Pages of one step: few enough to take some milliseconds. */
const pagesAtOnce = 64;
/** Pages that stay for the next turn, so that the file does not shrink and grow with each. */
export const sparePages = 32;
/** Files up to this many pages are converted when they are opened; that takes a moment, once. */
const smallFile = 4_096;

export class FreePages {
  readonly #database: Database;
  readonly #count: Query;
  /** Whether the file can give pages back one by one. */
  #isAble: boolean;

  constructor(database: Database) {
    this.#database = database;
    this.#count = query(database, 'PRAGMA freelist_count');
    this.#isAble = query(database, 'PRAGMA auto_vacuum')()[0]?.[0] === 2;
  }

  /** Gives some pages back and leaves `spare` of them; true if there are more. */
  step(spare: number): boolean {
    const free = this.#isAble ? this.#free() : 0;
    if (free <= spare) return false;
    try {
      this.#database.exec(`PRAGMA incremental_vacuum(${Math.min(pagesAtOnce, free - spare)})`);
    } catch (error) {
      // Not tried again: the reader of the damaged page will tell.
      this.stop();
      throw error;
    }
    const left = this.#free();
    return left > spare && left < free;
  }

  /** Lets the file be as it is, because it has pages that belong to nothing. */
  stop(): void {
    this.#isAble = false;
  }

  /** Whether every page is sound; takes long for a large file. */
  isSound(): boolean {
    return query(this.#database, 'PRAGMA integrity_check(1)')()[0]?.[0] === 'ok';
  }

  /** Rewrites the whole file without unused pages. Call it only for an undamaged file. */
  rewrite(): void {
    this.#database.exec('PRAGMA auto_vacuum = INCREMENTAL; VACUUM');
    this.#isAble = true;
  }

  #free(): number {
    return Number(this.#count()[0]?.[0]);
  }
}

/** Converts a small file of an older version, if it is sound, so that it can give pages back. */
export function convertSmall(database: Database): void {
  const [able, pages] = ['PRAGMA auto_vacuum', 'PRAGMA page_count'].map(
    (sql) => query(database, sql)()[0]?.[0],
  );
  if (able === 2 || Number(pages) > smallFile) return;
  try {
    const space = new FreePages(database);
    if (space.isSound()) space.rewrite();
  } catch {
    // Nothing was changed: the file stays as it is, and works.
  }
}
