// Reads small text files that may come from an untrusted folder; settings and texts for agents are read only
// here. Accepts regular files of limited size, opens them without blocking, and reads nothing outside the
// given folder.
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { errorCode } from '../../base/errorText.ts';
import { contains } from '../../base/paths.ts';
import { readOnly } from './readOnly.ts';

export interface FolderText {
  readonly text: string;
  /** Changes with every change of the file. */
  readonly mark: string;
}

export interface FolderFileProblem {
  readonly problem: 'missing' | 'outside' | 'special' | 'too-large' | 'unreadable';
  /** The rest of a sentence that begins with the path. */
  readonly message: string;
}

export interface FolderFileOptions {
  /**
   * The folder that the file must lie in when all links are followed; absent for files that the user
   * alone can have named.
   */
  readonly inside?: string | undefined;
  /** In bytes. */
  readonly largest: number;
  /** The previous result; returned again while the file is unchanged. */
  readonly last?: FolderText | undefined;
}

/** Never throws and never waits for another process. Links are followed as long as they stay inside. */
export function readFolderFile(path: string, options: FolderFileOptions): FolderText | FolderFileProblem {
  const read = readFolderBytes(path, options);
  if ('problem' in read || 'text' in read) return read;
  return { text: read.bytes.toString('utf8'), mark: read.mark };
}

export interface FolderBytes {
  readonly bytes: Buffer;
  readonly mark: string;
}

/** The same for files that need not be text. */
export function readFolderBytes(
  path: string,
  { inside, largest, last }: FolderFileOptions,
): FolderBytes | FolderText | FolderFileProblem {
  let file: number | undefined;
  try {
    const real = inside === undefined ? regular(path) : realInside(path, inside);
    if (typeof real !== 'string') return real;
    // Opening a pipe would wait for a writer, and a link may have been put there since it was looked at.
    file = openSync(real, inside === undefined ? followed : readOnly);
    const found = fstatSync(file);
    const place = placeOf(file, real);
    if (!found.isFile() || isOfKernel(place)) return special;
    if (inside !== undefined && place !== real) return outside;
    if (found.size > largest) return tooLarge(largest);
    const mark = markOf(found);
    if (last?.mark === mark) return last;
    const bytes = bytesIn(file, largest);
    return bytes === undefined ? tooLarge(largest) : { bytes, mark };
  } catch (error) {
    return problemOf(error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The text of a file that the user alone can have named; throws a sentence about it if there is none. */
export function readUserFile(path: string, largest = largestUserFile): string {
  const read = readFolderFile(path, { largest });
  if (isFolderProblem(read)) throw new Error(`${path} ${read.message}.`);
  return read.text;
}

/** The same; undefined if there is no such file. */
export function readFileIfAny(path: string, largest = largestUserFile): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) && readUserFile(path, largest);
}

/** In bytes. No settings, certificate or list is larger. */
const largestUserFile = 16_000_000;

/** The entries of a folder by name; empty if it cannot be listed or is outside. */
export function listFolder(path: string, inside?: string): readonly Dirent[] {
  try {
    const real = realInside(path, inside);
    if (typeof real !== 'string') return [];
    return readdirSync(real, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

export function isFolderProblem(read: FolderText | FolderFileProblem): read is FolderFileProblem {
  return 'problem' in read;
}

/** Files in these places are made by the kernel and tell about this process or the machine. */
const kernelPlaces = ['/proc', '/sys', '/dev'];
/** Holds regular files, in memory. */
const memoryPlace = '/dev/shm';

function isOfKernel(real: string): boolean {
  return !contains(memoryPlace, real) && kernelPlaces.some((place) => contains(place, real));
}

/** Links in paths of the user are followed, but a device is not even opened. */
const followed = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

function regular(path: string): string | FolderFileProblem {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return missing;
  return found.isFile() ? path : special;
}

function realInside(path: string, inside: string | undefined): string | FolderFileProblem {
  // Most files and folders that are looked for do not exist, and to learn that from an error takes longer.
  if (!statSync(path, { throwIfNoEntry: false })) return missing;
  const real = realpathSync.native(path);
  if (isOfKernel(real)) return special;
  return inside === undefined || contains(realpathSync.native(inside), real) ? real : outside;
}

/**
 * Where an open file really is. Linux knows it of the open file itself; elsewhere the path
 * is resolved once more.
 */
function placeOf(file: number, path: string): string {
  return process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${file}`) : realpathSync.native(path);
}

function markOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

/** Some files say that they are empty and are not, so the bytes count that come. */
function bytesIn(file: number, largest: number): Buffer | undefined {
  const buffer = Buffer.allocUnsafe(64 * 1024);
  const parts: Buffer[] = [];
  let size = 0;
  for (;;) {
    const count = readSync(file, buffer, 0, buffer.length, null);
    if (count === 0) return Buffer.concat(parts);
    size += count;
    if (size > largest) return undefined;
    parts.push(Buffer.from(buffer.subarray(0, count)));
  }
}

const missing: FolderFileProblem = { problem: 'missing', message: 'does not exist' };
const outside: FolderFileProblem = {
  problem: 'outside',
  message: 'leads outside its folder and is not read',
};
const special: FolderFileProblem = { problem: 'special', message: 'is not a regular file and is not read' };

function tooLarge(largest: number): FolderFileProblem {
  return { problem: 'too-large', message: `is larger than ${largest} bytes and is not read` };
}

function problemOf(error: unknown): FolderFileProblem {
  const code = errorCode(error) ?? '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing;
  if (code === 'ELOOP') return outside;
  // A socket cannot be opened at all.
  return code === 'ENXIO'
    ? special
    : { problem: 'unreadable', message: `cannot be read${code === '' ? '' : ` (${code})`}` };
}
