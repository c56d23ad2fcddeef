// The secret store: one file that only its owner can read. Its content is never logged
// or returned as a whole.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { privateDirectory, privateFile } from '../files/privateFiles.ts';
import { readUserFile } from '../files/folderFile.ts';

export interface Secrets {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
  /** False if there is no such secret. */
  delete(name: string): boolean;
  names(): readonly string[];
}

/** Reads the file again when it has changed, so that it sees keys that another process has set. */
export function openSecrets(path: string): Secrets {
  let seen: { readonly stamp: string; readonly stored: Stored } | undefined;
  const read = (): Stored => {
    const stamp = stampOf(path);
    if (stamp === undefined) return new Map();
    if (seen?.stamp !== stamp) seen = { stamp, stored: load(path) };
    return seen.stored;
  };
  const readable = (): Stored => {
    try {
      return read();
    } catch {
      // Reading a damaged file finds nothing; writing to it reports the damage.
      return new Map();
    }
  };
  return {
    get: (name) => keyIn(readable().get(name)),
    names: () => [...readable()].flatMap(([name, entry]) => (keyIn(entry) === undefined ? [] : [name])),
    set(name, value) {
      save(path, new Map([...read(), [name, { key: value }]]));
    },
    delete(name) {
      const stored = new Map(read());
      if (!stored.delete(name)) return false;
      save(path, stored);
      return true;
    },
  };
}

/** Entries of a newer version stay as they are. */
type Stored = ReadonlyMap<string, unknown>;

/** Changes when the file is replaced; it is never edited in place. */
function stampOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
}

function load(path: string): Stored {
  privateFile(path);
  const text = readUserFile(path);
  const entries = parse(text);
  // No cause: it would quote the file, including keys.
  if (!entries) throw new Error(`The file ${path} is damaged. Fix or remove it.`);
  return new Map(entries);
}

function parse(text: string): readonly [string, unknown][] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.entries(value);
  } catch {
    return undefined;
  }
}

function keyIn(entry: unknown): string | undefined {
  return typeof entry === 'object' && entry !== null && 'key' in entry && typeof entry.key === 'string'
    ? entry.key
    : undefined;
}

/** Replaces the file in one step; it is never readable by others. */
function save(path: string, stored: Stored): void {
  privateDirectory(dirname(path));
  const fresh = `${path}.${process.pid}`;
  rmSync(fresh, { force: true });
  const file = openSync(fresh, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(Object.fromEntries(stored), null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(fresh, path);
}
