// Creates directories and files that only their owner can read.
import {
  chmodSync,
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../../base/errorText.ts';

/**
 * Creates a directory and those above it. Node's own way of doing so never ends where a directory is there
 * and takes no new one with the words "not found", as /proc does.
 */
export function makeFolders(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    const above = dirname(path);
    if (errorCode(error) !== 'ENOENT' || existsSync(above)) throw error;
    makeFolders(above);
    makeFolders(path);
  }
}

/** Creates a directory that only its owner can access, or checks an existing one. */
export function privateDirectory(path: string): void {
  makeFolders(path);
  const { mode, uid } = statSync(path);
  if (process.platform === 'win32') return;
  // Inside a container root often works on a directory that belongs to the user outside.
  const us = process.getuid?.();
  if (uid !== us && us !== 0) throw new Error(`The directory ${path} belongs to another user.`);
  if ((mode & 0o077) !== 0) chmodSync(path, 0o700);
}

/** The same for a directory in a place where everybody may create things: a link in its stead is a trap. */
export function privateDirectoryInPublic(path: string): void {
  makeFolders(path);
  const found = lstatSync(path);
  if (!found.isDirectory()) throw new Error(`${path} is not a directory.`);
  if (process.platform !== 'win32' && found.uid !== process.getuid?.())
    throw new Error(`The directory ${path} belongs to another user.`);
  privateDirectory(path);
}

/**
 * Creates a file that only its owner can read; keeps the content of an existing file. An existing file is
 * never opened: closing it would release the locks of this process on it.
 */
export function privateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    const found = statSync(path);
    if (!found.isFile()) throw new Error(`${path} is not a regular file.`, { cause: error });
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) chmodSync(path, 0o600);
  }
}

/** Replaces a file in one step, so that a reader never sees a partial file. */
export function writePrivately(path: string, text: string): void {
  replaceFile(path, text, 0o600);
}

/**
 * The same with the given rights. Nobody can prepare a link in place of the draft: its name cannot be
 * guessed, and what is already there is never opened.
 */
export function replaceFile(path: string, text: string, mode: number): void {
  // The global one is loaded on its first use; the pipes of editors start without it.
  const draft = `${path}.${crypto.randomUUID()}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    if (mode !== 0o600) chmodSync(draft, mode);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
