// Restores the readable rows of a damaged database. The damaged files are set aside and
// never changed or deleted.
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { privateFile } from '../../files/privateFiles.ts';
import { query } from './database.ts';
import type { Database, OpenDatabase } from './database.ts';
import { isIntact } from './record.ts';
import { rescueRows } from './rescue.ts';
import { createTables, pageSize, statusIn } from './schema.ts';

export interface SalvageResult {
  /** Where the damaged file is now. */
  readonly aside: string;
  readonly entries: number;
  readonly sessions: number;
}

/** Clients may have seen later positions than those restored, so new positions start well after them. */
const positionGap = 1_000_000;

export function salvage(open: OpenDatabase, path: string): SalvageResult {
  const saved = `${path}.saved`;
  removeDatabase(saved);
  privateFile(saved);
  const target = open(saved);
  // Without a journal nothing but the file itself has to be moved into place.
  target.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  createTables(target);
  const source = openCopy(open, path, saved);
  target.prepare('UPDATE meta SET head = ?, summaries = 0').run(positionGap);
  const counts = source ? copyRows(source, target) : { entries: 0, sessions: 0 };
  source?.close();
  target.close();
  for (const attempt of attempts) removeDatabase(`${path}.${attempt}`);
  sync(saved);
  const aside = `${path}.damaged-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
  for (const part of parts) if (existsSync(path + part)) renameSync(path + part, aside + part);
  renameSync(saved, path);
  return { aside, ...counts };
}

/**
 * A host that died between setting the old file aside and moving the saved one into its
 * place left this to do.
 */
export function finishSalvage(path: string): void {
  const saved = `${path}.saved`;
  if (!existsSync(path) && existsSync(saved)) renameSync(saved, path);
}

const parts = ['', '-wal', '-shm'] as const;

/** First the files as they are, then with a sound first page, then without the write-ahead log. */
const attempts = ['copy', 'mended', 'alone'] as const;

/** Works on copies only, each attempt on its own. */
function openCopy(open: OpenDatabase, path: string, sound: string): Database | undefined {
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
      return database;
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

function copyRows(
  source: Database,
  target: Database,
): { readonly entries: number; readonly sessions: number } {
  const entry = target.prepare(
    'INSERT OR IGNORE INTO entries (seq, pos, at, by, event, format, crc, session) VALUES (?, ?, ' +
      '?, ?, ?, ?, ?, ?)',
  );
  const session = target.prepare(
    'INSERT OR IGNORE INTO sessions (id, summary, crc, damage, status) VALUES (?1, ?2, ?3, ?4, ' +
      `${statusIn('?2')})`,
  );
  const found = new Set<string>();
  let entries = 0;
  let head = 0;
  target.exec('BEGIN');
  rescueRows(
    source,
    { table: 'entries', key: 'pos', columns: 'seq, pos, at, by, event, format, crc, session' },
    ([seq, pos, at, by, event, format, crc, id]) => {
      const row = [seq, pos, at, by, event, format, crc];
      if (typeof id !== 'string' || !isIntact(id, row)) return;
      entry.run(...row, id);
      found.add(id);
      entries += 1;
      head = Math.max(head, row[1]);
    },
  );
  // The rows are judged when the log is opened; until then they tell how long each session was.
  rescueRows(
    source,
    { table: 'sessions', key: 'rowid', columns: 'id, summary, crc, damage' },
    ([id, summary, crc, damage]) => {
      if (typeof id !== 'string' || typeof crc !== 'number') return;
      session.run(
        id,
        typeof summary === 'string' ? summary : null,
        crc,
        typeof damage === 'string' ? damage : null,
      );
      found.add(id);
    },
  );
  target.prepare('UPDATE meta SET head = head + ?').run(Math.max(head, storedHead(source)));
  target.exec('COMMIT');
  return { entries, sessions: found.size };
}

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
