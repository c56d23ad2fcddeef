// Restores the readable rows of a damaged database. The damaged files are set aside and
// never changed or deleted.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { privateFile } from '../../../files/privateFiles.ts';
import { query } from '../database.ts';
import type { Database, OpenDatabase, Row, Statement } from '../database.ts';
import { leafRows } from './leafPages.ts';
import { isIntact, storedEntries } from '../record.ts';
import { rescueRows } from './rescue.ts';
import { createTables, pageSize, statusIn } from '../schema.ts';

export interface SalvageResult {
  /** Where the damaged file is now. */
  readonly aside: string;
  readonly entries: number;
  readonly sessions: number;
}

/** Clients may have seen later positions than those restored, so new positions start well after them. */
export const positionGap = 1_000_000;

export function salvage(open: OpenDatabase, path: string): SalvageResult {
  const saved = `${path}.saved`;
  removeDatabase(saved);
  privateFile(saved);
  const target = open(saved);
  // Without a journal nothing but the file itself has to be moved into place.
  target.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  createTables(target);
  const sound = soundFile(open, path, saved);
  const source = openCopy(open, path, sound);
  if (sound !== saved) removeDatabase(sound);
  target.prepare('UPDATE meta SET head = ?, summaries = 0').run(positionGap);
  const saver = new Saver(target);
  target.exec('BEGIN');
  if (source) copyRows(source.database, saver);
  source?.database.close();
  // Where the head is lost, nothing tells pages that are in use from pages with deleted rows.
  if (source?.attempt === 'copy') copyLeaves(`${path}.copy`, saver);
  saver.finish();
  target.exec('COMMIT');
  target.close();
  for (const attempt of attempts) removeDatabase(`${path}.${attempt}`);
  sync(saved);
  const aside = asideOf(path);
  for (const part of parts) if (existsSync(path + part)) renameSync(path + part, aside + part);
  renameSync(saved, path);
  return { aside, entries: saver.entries, sessions: saver.sessions.size };
}

/** A name for a file that is set aside now. */
export function asideOf(path: string): string {
  return `${path}.damaged-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
}

/**
 * A host that died between setting the old file aside and moving the saved one into its
 * place left this to do.
 */
export function finishSalvage(path: string): void {
  const saved = `${path}.saved`;
  if (!existsSync(path) && existsSync(saved)) renameSync(saved, path);
}

/** An empty file of the same layout as a damaged one. */
function soundFile(open: OpenDatabase, path: string, saved: string): string {
  const file = openSync(path, 'r');
  const second = Buffer.alloc(1);
  readSync(file, second, 0, 1, pageSize);
  closeSync(file);
  // A file that can give pages back begins its second page with the type of the root page behind it.
  if (second[0] === 1) return saved;
  const plain = `${path}.plain`;
  removeDatabase(plain);
  privateFile(plain);
  const database = open(plain);
  createTables(database, 'keeps pages');
  database.close();
  return plain;
}

const parts = ['', '-wal', '-shm'] as const;

/** First the files as they are, then with a sound first page, then without the write-ahead log. */
const attempts = ['copy', 'mended', 'alone'] as const;

/** Works on copies only, each attempt on its own. */
function openCopy(
  open: OpenDatabase,
  path: string,
  sound: string,
): { readonly database: Database; readonly attempt: (typeof attempts)[number] } | undefined {
  for (const attempt of attempts) {
    const copy = `${path}.${attempt}`;
    removeDatabase(copy);
    copyFileSync(path, copy);
    if (attempt !== 'alone' && existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    if (attempt !== 'copy') replaceFirstPage(copy, sound);
    const database = open(copy);
    try {
      // Enough to see that the tables can be found; how much of them is left is seen row by row.
      database.exec(
        'EXPLAIN SELECT pos, session, seq, at, by, event, format, crc FROM entries; EXPLAIN SELECT id, ' +
          'summary, crc, damage FROM sessions',
      );
      return { database, attempt };
    } catch {
      database.close();
    }
  }
  return undefined;
}

/**
 * All our databases have the same first page but for a few numbers in its head, so a sound one
 * serves where it is lost.
 */
function replaceFirstPage(path: string, sound: string): void {
  const page = Buffer.alloc(pageSize);
  const from = openSync(sound, 'r');
  readSync(from, page, 0, pageSize, 0);
  closeSync(from);
  const to = openSync(path, 'r+');
  page.fill(2, 18, 20);
  page.writeUInt32BE(Math.floor(fstatSync(to).size / pageSize), 28);
  writeSync(to, page, 0, pageSize, 0);
  closeSync(to);
}

/** Writes the sound rows of a damaged file into a new one. A row that is found twice is written once. */
class Saver {
  readonly #target: Database;
  readonly #entry: Statement;
  readonly #drop: Statement;
  readonly #session: Statement;
  readonly #positions = new Set<number>();
  readonly sessions = new Set<string>();
  #head = 0;

  constructor(target: Database) {
    this.#target = target;
    this.#entry = target.prepare(
      'INSERT OR IGNORE INTO entries (seq, pos, at, by, event, format, crc, session) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#drop = target.prepare('DELETE FROM entries WHERE session = ? AND seq BETWEEN ? AND ?');
    this.#session = target.prepare(
      'INSERT OR IGNORE INTO sessions (id, summary, crc, damage, status) ' +
        `VALUES (?1, ?2, ?3, ?4, ${statusIn('?2')})`,
    );
  }

  get entries(): number {
    return this.#positions.size;
  }

  entry([seq, pos, at, by, event, format, crc, id]: Row): void {
    const row = [seq, pos, at, by, event, format, crc];
    if (typeof id !== 'string' || !isIntact(id, row)) return;
    const entries = storedEntries(id, row)?.entries ?? [];
    if (entries.every((entry) => this.#positions.has(entry.pos))) return;
    // The pages may still have the entries that this row has replaced.
    if (entries.length > 1) this.#drop.run(id, entries[0]?.seq ?? row[0], row[0]);
    this.#entry.run(...row, id);
    for (const entry of entries) this.#positions.add(entry.pos);
    this.sessions.add(id);
    this.usedHead(row[1]);
  }

  /** The rows are judged when the log is opened; until then they tell how long each session was. */
  session([id, summary, crc, damage]: Row): void {
    if (typeof id !== 'string' || typeof crc !== 'number') return;
    this.#session.run(
      id,
      typeof summary === 'string' ? summary : null,
      crc,
      typeof damage === 'string' ? damage : null,
    );
    this.sessions.add(id);
  }

  usedHead(head: number): void {
    this.#head = Math.max(this.#head, head);
  }

  finish(): void {
    this.#target.prepare('UPDATE meta SET head = head + ?').run(this.#head);
  }
}

function copyRows(source: Database, saver: Saver): void {
  rescueRows(
    source,
    { table: 'entries', key: 'pos', columns: 'seq, pos, at, by, event, format, crc, session' },
    (row) => saver.entry(row),
  );
  rescueRows(source, { table: 'sessions', key: 'rowid', columns: 'id, summary, crc, damage' }, (row) =>
    saver.session(row),
  );
  saver.usedHead(storedHead(source));
  try {
    // The pages of the write-ahead log come into the file, where they are found one by one.
    source.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // Only what is in the file is found then.
  }
}

/** Entries on pages that the tree does not reach any more. */
function copyLeaves(path: string, saver: Saver): void {
  if (statSync(path).size > largestFile) return;
  for (const { rowid, values } of leafRows(readFileSync(path), pageSize, entryColumnCount)) {
    const [, session, seq, at, by, event, format, crc] = values;
    saver.entry([seq, rowid, at, by, event, format, crc, session]);
  }
}

/** The columns of an entry in the order of the table; see createTables. */
const entryColumnCount = 8;

/** A larger file is not read into memory as a whole, in bytes. */
const largestFile = 1_500_000_000;

function storedHead(source: Database): number {
  try {
    return Number(query(source, 'SELECT head FROM meta')()[0]?.[0] ?? 0);
  } catch {
    return 0;
  }
}

function removeDatabase(path: string): void {
  for (const part of parts) rmSync(path + part, { force: true });
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}
