// Brings the pieces of answers that a dead host has left in their file into the database.
import { existsSync, renameSync, rmSync } from 'node:fs';
import type { SessionId } from '../../../model/event.ts';
import { query } from './database.ts';
import type { Database } from './database.ts';
import { leftPieces, readPieces, sharedRows } from './pieceFile.ts';
import type { Pieces } from './pieceFile.ts';
import { encodePieces, insertEntries } from './record.ts';
import { asideOf } from './salvage/salvage.ts';
import { StoreError } from './storeError.ts';
import { rewriteWal } from './walSync.ts';

/** Pieces that do not follow the log of their session are set aside with the file. */
export function restorePieces(
  database: Database,
  log: string,
  report: (problem: unknown, about: string) => void,
): void {
  for (const path of leftPieces(log)) restoreFile(database, { log, path, report });
}

interface LeftFile {
  readonly log: string;
  readonly path: string;
  readonly report: (problem: unknown, about: string) => void;
}

function restoreFile(database: Database, { log, path, report }: LeftFile): void {
  const all = readPieces(path);
  const { missing, strange } = missingPieces(database, all);
  if (missing.length > 0) insert(database, missing);
  // The dead host may have moved pieces to the write-ahead log that are on the disk in their file alone.
  if (all.length > 0 && existsSync(`${log}-wal`)) rewriteWal(`${log}-wal`);
  if (!strange) return rmSync(path, { force: true });
  const aside = `${asideOf(log)}-pieces`;
  renameSync(path, aside);
  const message = `Pieces of answers do not fit to the log, and are kept as ${aside}.`;
  report(new StoreError('damaged', message), 'opening the log');
}

/** The pieces that the log does not have, and whether some belong to no log. */
function missingPieces(database: Database, all: readonly Pieces[]) {
  const last = query(database, 'SELECT seq, pos FROM entries WHERE session = ? ORDER BY seq DESC LIMIT 1');
  const removed = new Set(all.flatMap(({ session, entries }) => (entries.length === 0 ? [session] : [])));
  const ends = new Map<SessionId, { readonly seq: number; readonly pos: number } | undefined>();
  const missing: Pieces[] = [];
  let strange = false;
  for (const pieces of all) {
    const { session } = pieces;
    if (!ends.has(session)) {
      const [row] = last(session);
      ends.set(session, row && { seq: Number(row[0]), pos: Number(row[1]) });
    }
    for (const entry of pieces.entries) {
      const end = ends.get(session);
      if (end ? entry.seq <= end.seq : removed.has(session)) continue;
      if (end && entry.seq === end.seq + 1 && entry.pos > end.pos) {
        missing.push({ ...pieces, entries: [entry] });
        ends.set(session, entry);
      } else strange = true;
    }
  }
  return { missing, strange };
}

function insert(database: Database, missing: readonly Pieces[]): void {
  const put = database.prepare(insertEntries(1));
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const row of sharedRows(missing).flatMap(encodePieces)) put.run(...row);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}
