// The full-text index in its own file: pages of text by session. It is derived from the log, so a damaged or
// foreign file is rebuilt.
import { rmSync } from 'node:fs';
import { query } from '../store/sqlite/database.ts';
import type { Database, OpenDatabase, Query, Statement } from '../store/sqlite/database.ts';
import { privateFile } from '../files/privateFiles.ts';
import type { NewPages, SearchPages } from './sessionIndex.ts';

/** How far a session is indexed. The last page may still grow while its item does. */
export interface IndexedSession {
  readonly number: number;
  readonly seq: number;
  readonly pages: number;
  readonly item: string | undefined;
}

/** The format of the file; a file with another number is rebuilt. */
const shape = 1;

/**
 * A page's row number holds the number of its session, so that no session has to be looked up for a match.
 */
const pagesPerSession = 2 ** 20;

/**
 * Three letters and more are found through the index, in whatever case and accent; fewer
 * by reading every page.
 */
const indexed = 3;

export class Pages implements SearchPages {
  readonly #database: Database;
  readonly #known: Query;
  readonly #remember: Statement;
  readonly #add: Statement;
  readonly #grow: Statement;
  readonly #matching: Query;
  readonly #holding: Query;
  readonly #texts: Query;

  constructor(database: Database) {
    this.#database = database;
    this.#known = query(database, 'SELECT number, seq, pages, item FROM known WHERE session = ?');
    this.#remember = database.prepare(
      'INSERT INTO known (session, seq, pages, item) VALUES (?, ?, ?, ?) ON CONFLICT (session) DO ' +
        'UPDATE SET seq = excluded.seq, pages = excluded.pages, item = excluded.item',
    );
    this.#add = database.prepare('INSERT INTO pages (rowid, text) VALUES (?, ?)');
    this.#grow = database.prepare('UPDATE pages SET text = text || ? WHERE rowid = ?');
    this.#matching = query(
      database,
      `SELECT DISTINCT session FROM known JOIN (SELECT DISTINCT rowid / ${pagesPerSession} AS found ` +
        'FROM pages WHERE pages MATCH ?) ON number = found',
    );
    this.#holding = query(
      database,
      `SELECT session FROM known WHERE number IN (SELECT rowid / ${pagesPerSession} FROM pages WHERE ` +
        "text LIKE ? ESCAPE '\\')",
    );
    this.#texts = query(database, 'SELECT text FROM pages WHERE rowid >= ? AND rowid < ? ORDER BY rowid');
  }

  static open(open: OpenDatabase, path: string): Pages {
    try {
      return new Pages(connect(open, path));
    } catch {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true });
      return new Pages(connect(open, path));
    }
  }

  known(session: string): IndexedSession | undefined {
    const [row] = this.#known(session);
    return (
      row && {
        number: Number(row[0]),
        seq: Number(row[1]),
        pages: Number(row[2]),
        item: typeof row[3] === 'string' ? row[3] : undefined,
      }
    );
  }

  /**
   * Adds pages in one step with how far the session is known now; the first of `texts` may go
   * on with the last page.
   */
  add(session: string, { texts, goesOn, seq, item }: Omit<NewPages, 'from'>): void {
    this.#transact(() => {
      if (!this.known(session)) this.#remember.run(session, 0, 0, null);
      const { number = 0, pages = 0 } = this.known(session) ?? {};
      let count = pages;
      texts.forEach((text, index) => {
        const last = number * pagesPerSession + count - 1;
        if ((index === 0 && goesOn && count > 0) || count === pagesPerSession) this.#grow.run(text, last);
        else {
          this.#add.run(last + 1, text);
          count += 1;
        }
      });
      this.#remember.run(session, seq, count, item ?? null);
    });
  }

  forget(session: string): void {
    const known = this.known(session);
    if (!known) return;
    const first = known.number * pagesPerSession;
    this.#transact(() => {
      this.#database
        .prepare('DELETE FROM pages WHERE rowid >= ? AND rowid < ?')
        .run(first, first + pagesPerSession);
      this.#database.prepare('DELETE FROM known WHERE session = ?').run(session);
    });
  }

  indexed(): ReadonlyMap<string, number> {
    const rows = query(this.#database, 'SELECT session, seq FROM known')();
    return new Map(rows.map(([session, seq]) => [String(session), Number(seq)]));
  }

  sessionsWith(word: string): ReadonlySet<string> {
    const rows =
      Array.from(word).length < indexed
        ? this.#holding(`%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)
        : this.#matching(`"${word.replaceAll('"', '""')}"`);
    return new Set(rows.map(([session]) => String(session)));
  }

  /** The pages of a session, a few at a time. */
  *texts(session: string): Generator<string> {
    const { number, pages } = this.known(session) ?? { number: 0, pages: 0 };
    const first = number * pagesPerSession;
    for (let at = 0; at < pages; at += atOnce)
      for (const [text] of this.#texts(first + at, first + Math.min(pages, at + atOnce))) yield String(text);
  }

  close(): void {
    this.#database.close();
  }

  #transact(run: () => void): void {
    this.#database.exec('BEGIN');
    try {
      run();
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

const atOnce = 64;

function connect(open: OpenDatabase, path: string): Database {
  privateFile(path);
  const database = open(path);
  try {
    // What is lost in a crash is indexed again; deleted text leaves the file.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;');
    const [[found] = []] = query(database, 'PRAGMA user_version')();
    if (found === 0) {
      database.exec(`
        BEGIN;
        CREATE TABLE known (
          number INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL,
          pages INTEGER NOT NULL, item TEXT
        );
        CREATE VIRTUAL TABLE pages USING fts5 (text, tokenize = 'trigram remove_diacritics 1');
        INSERT INTO pages (pages, rank) VALUES ('secure-delete', 1);
        PRAGMA user_version = ${shape};
        COMMIT;
      `);
    } else if (found !== shape) throw new Error('The index has another format.');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
