// Opens the log of a data directory. A damaged file is set aside, and its readable entries are
// restored into a new one.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorText } from '../../../base/errorText.ts';
import { privateDirectory, privateFile } from '../../files/privateFiles.ts';
import { loadDatabase, query } from './database.ts';
import type { OpenDatabase } from './database.ts';
import { asideOf, finishSalvage, salvage } from './salvage/salvage.ts';
import { restorePieces } from './restorePieces.ts';
import { createTables, prepareSchema } from './schema.ts';
import { convertSmall } from './space.ts';
import { SqliteStore } from './sqlite.ts';
import type { SqliteStoreOptions } from './sqlite.ts';
import { problemOf, StoreError, storeError } from './storeError.ts';

export interface StoreOptions {
  /** The data directory; the caller holds its lock. */
  readonly directory: string;
  readonly report: (problem: unknown, about: string) => void;
}

export async function openStore({ directory, report }: StoreOptions): Promise<SqliteStore> {
  const open = await loadDatabase();
  privateDirectory(directory);
  const path = join(directory, 'log.db');
  const suspect = `${path}.suspect`;
  const connect = () =>
    connectStore(open, path, {
      report,
      onDamage: () => writeFileSync(suspect, '', { mode: 0o600 }),
      onLoss: (message) =>
        writeFileSync(`${path}.loss`, `${new Date().toISOString()} ${message}\n`, appending),
    });
  try {
    finishSalvage(path);
    for (const part of ['', '-wal', '-shm', '-journal']) refuseOther(`${path}${part}`);
    refuseUnwritable(directory);
    keepLoneWriteAheadLog(path, report);
    if (!existsSync(suspect)) return connect();
    report(
      new StoreError('damaged', 'The last host found damage while it wrote the log.'),
      'opening the log',
    );
  } catch (error) {
    if (problemOf(error) !== 'damaged') throw storeError(error, 'Opening the log');
    report(error, 'opening the log');
  }
  try {
    const { aside, entries, sessions } = salvage(open, path);
    rmSync(suspect, { force: true });
    report(
      new StoreError(
        'damaged',
        `The log was damaged and is kept as ${aside}. ${entries} entries of ${sessions} sessions were ` +
          'saved from it.',
      ),
      'opening the log',
    );
    return connect();
  } catch (error) {
    throw storeError(error, 'Recovering the damaged log');
  }
}

/**
 * SQLite only says that it cannot open a folder, and some of its files it opens no earlier than it writes.
 * Behind a link it would keep its write-ahead log in another place than we do.
 */
function refuseOther(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found || found.isFile()) return;
  if (found.isSymbolicLink())
    throw new StoreError(
      'unavailable',
      `${path} must be a file, but it is a link. Put the file back, and set PARLEY_HOME to keep it elsewhere.`,
    );
  const kind = found.isDirectory() ? 'a folder' : 'a pipe, a socket or a device';
  throw new StoreError('unavailable', `${path} must be a file, but it is ${kind}. Move it away.`);
}

/** SQLite only says that it cannot open the file, and not that the folder is read-only. */
function refuseUnwritable(directory: string): void {
  try {
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const why = errorText(error);
    throw new StoreError('io', `The data directory cannot be written: ${why}`, { cause: error });
  }
}

/** SQLite deletes a write-ahead log that it finds without its database. */
function keepLoneWriteAheadLog(path: string, report: StoreOptions['report']): void {
  if (sizeOf(path) > 0 || sizeOf(`${path}-wal`) === 0) return;
  const aside = `${asideOf(path)}-wal`;
  renameSync(`${path}-wal`, aside);
  const message = `The log is missing, and its write-ahead log is kept as ${aside}.`;
  report(new StoreError('damaged', message), 'opening the log');
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

const appending = { mode: 0o600, flag: 'a' };

function connectStore(
  open: OpenDatabase,
  path: string,
  options: Pick<SqliteStoreOptions, 'report' | 'onDamage' | 'onLoss'>,
): SqliteStore {
  createLog(open, path);
  privateFile(path);
  const database = open(path);
  try {
    database.exec('PRAGMA busy_timeout = 200');
    prepareSchema(database);
    const mode = query(database, 'PRAGMA journal_mode = WAL')()[0]?.[0];
    if (mode !== 'wal')
      throw new StoreError(
        'unavailable',
        'The file system of the data directory cannot hold the log; choose another with PARLEY_HOME.',
      );
    database.exec(settings);
    convertSmall(database);
    restorePieces(database, path, options.report);
    return new SqliteStore({ database, path, ...options });
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Makes a new log beside its place, and moves it there when it is on the disk. That takes one sync; SQLite
 * needs twelve to create the same in place. The first sync of the log brings its folder to the disk, too.
 */
function createLog(open: OpenDatabase, path: string): void {
  // An unfinished change of an older file belongs to SQLite.
  if (sizeOf(path) > 0 || existsSync(`${path}-journal`)) return;
  const draft = `${path}.new`;
  for (const name of [draft, `${draft}-wal`, `${draft}-shm`]) rmSync(name, { force: true });
  privateFile(draft);
  const database = open(draft);
  try {
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
    createTables(database);
    database.exec('PRAGMA journal_mode = WAL');
  } finally {
    database.close();
  }
  // Windows flushes only what may be written.
  const file = openSync(draft, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

/**
 * A longer write-ahead log makes the pauses in which SQLite tidies it rarer, and a limit gives the
 * space of an unusually long one back. The full fsync matters on macOS alone, whose plain one leaves
 * data in the drive's cache.
 */
const settings =
  'PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 33554432; PRAGMA fullfsync = 1; PRAGMA ' +
  'checkpoint_fullfsync = 1;';
