// One host per data directory: an operating system lock that is released when its process ends in any way,
// so it is never stale.
import { copyFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { loadDatabase } from './sqlite/database.ts';
import type { Database, OpenDatabase } from './sqlite/database.ts';
import { problemOf, storeError } from './sqlite/storeError.ts';
import { privateDirectory, privateFile } from '../files/privateFiles.ts';
import { readHolder, removeHolder, writeHolder } from './lockHolder.ts';
import type { Holder } from './lockHolder.ts';

export interface Lock {
  release(): void;
}

/** Keeps a reference: garbage collection of a lock would release it. */
const held = new Set<Database>();

/**
 * Takes the lock of a data directory without waiting, or returns its holder. `alone` tells others that they
 * cannot reach this process.
 */
export async function acquire(
  directory: string,
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<Lock | { readonly heldBy: Holder }> {
  const open = await loadDatabase();
  privateDirectory(directory);
  const path = join(directory, 'lock.db');
  privateFile(path);
  const database = lockFile(open, path);
  if (database === 'busy') return { heldBy: readHolder(directory) };
  held.add(database);
  writeHolder(directory, alone);
  return {
    release() {
      if (!held.delete(database)) return;
      removeHolder(directory);
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

function lockFile(open: OpenDatabase, path: string): Database | 'busy' {
  try {
    return tryLock(open, path);
  } catch (error) {
    if (problemOf(error) !== 'damaged') throw storeError(error, 'Locking the data directory');
    // The file is always empty, and a damaged one is held by nobody. It is emptied in place, because
    // a new file would have a lock of its own.
    copyFileSync(path, `${path}.damaged-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`);
    truncateSync(path);
    return tryLock(open, path);
  }
}

/** SQLite locks the file itself; nothing is ever written to it, so there is no journal to recover either. */
function tryLock(open: OpenDatabase, path: string): Database | 'busy' {
  const database = open(path);
  try {
    database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (problemOf(error) === 'busy') return 'busy';
    throw error;
  }
}
