// One host per data directory: an operating system lock that is released when its process ends in any way,
// so it is never stale.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDatabase } from './sqlite/database.ts';
import type { Database } from './sqlite/database.ts';
import { problemOf, storeError } from './sqlite/storeError.ts';
import { privateDirectory, privateFile } from '../files/privateFiles.ts';
import { isAlive } from '../processes/processWatch.ts';

export interface Lock {
  release(): void;
}

/** The process that holds the lock, if it is known. */
export interface Holder {
  readonly pid?: number;
  /** When it took the lock, in milliseconds since 1970. */
  readonly started?: number;
}

/** Keeps a reference: garbage collection of a lock would release it. */
const held = new Set<Database>();

/** Takes the lock of a data directory without waiting, or returns its holder. */
export async function acquire(directory: string): Promise<Lock | { readonly heldBy: Holder }> {
  const open = await loadDatabase();
  privateDirectory(directory);
  const path = join(directory, 'lock.db');
  const info = join(directory, 'lock.json');
  privateFile(path);
  const database = open(path);
  try {
    // SQLite locks the file itself; nothing is ever written to it, so there is no journal to recover either.
    database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (problemOf(error) === 'busy') return { heldBy: readHolder(info) };
    throw storeError(error, 'Locking the data directory');
  }
  held.add(database);
  writeHolder(info);
  return {
    release() {
      if (!held.delete(database)) return;
      rmSync(info, { force: true });
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

/** The file is only informative, so a failure to write it is ignored. */
function writeHolder(path: string): void {
  try {
    const fresh = `${path}.${process.pid}`;
    writeFileSync(fresh, `${JSON.stringify({ pid: process.pid, started: Date.now() } satisfies Holder)}\n`, {
      mode: 0o600,
    });
    renameSync(fresh, path);
  } catch {
    rmSync(path, { force: true });
  }
}

/**
 * A new holder may not have replaced the file of the previous one yet; ignore a process that no longer
 * exists.
 */
function readHolder(path: string): Holder {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isHolder(value) && isAlive(value.pid) ? value : {};
  } catch {
    return {};
  }
}

function isHolder(value: unknown): value is Required<Holder> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'started' in value &&
    typeof value.started === 'number'
  );
}
