// The file that names the process which holds the lock of a data directory.
// Informative only: the lock itself is the system's.
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../processes/processWatch.ts';
import { readUserFile } from '../files/folderFile.ts';

/** The process that holds the lock, if it is known. */
export interface Holder {
  readonly pid?: number;
  /** When it took the lock, in milliseconds since 1970. */
  readonly started?: number;
  /** Whether it serves one editor only and cannot be reached by others. */
  readonly alone?: boolean;
}

/** A failure to write the file is ignored. */
export function writeHolder(directory: string, alone: boolean): void {
  const path = pathIn(directory);
  try {
    const fresh = `${path}.${process.pid}`;
    const holder: Holder = { pid: process.pid, started: Date.now(), ...(alone ? { alone } : {}) };
    writeFileSync(fresh, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    renameSync(fresh, path);
  } catch {
    rmSync(path, { force: true });
  }
}

/**
 * A new holder may not have replaced the file of the previous one yet; ignore a process that no longer
 * exists.
 */
export function readHolder(directory: string): Holder {
  try {
    const value: unknown = JSON.parse(readUserFile(pathIn(directory)));
    return isHolder(value) && isAlive(value.pid) ? value : {};
  } catch {
    return {};
  }
}

export function removeHolder(directory: string): void {
  rmSync(pathIn(directory), { force: true });
}

function pathIn(directory: string): string {
  return join(directory, 'lock.json');
}

function isHolder(value: unknown): value is Holder & Required<Pick<Holder, 'pid' | 'started'>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'started' in value &&
    typeof value.started === 'number'
  );
}
