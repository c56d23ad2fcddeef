// The workspace on disk: real paths, listings, reading, writing and searching. Makes no policy decisions.
import { lstat, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FileEntry, FileProblem, Files } from '../../host/ports.ts';
import { canonical, impossiblePath } from './canonical.ts';
import { isFileProblem } from './fileProblem.ts';
import { searchText } from './fileSearch.ts';
import { movePath } from './fileMove.ts';
import { ripgrepPath } from './ripgrep.ts';
import {
  entriesOf,
  readBytes,
  readLines,
  readText,
  removeEmptyFolder,
  removeText,
  setMode,
  writeText,
} from './fileText.ts';

export interface FilesOptions {
  /** The program that searches; without it, or where it is missing, we do it ourselves. */
  readonly searcher?: () => Promise<string | undefined>;
}

export function files({ searcher = ripgrepPath }: FilesOptions = {}): Files {
  return {
    realPath: (path, base) => realPath(resolve(base, path)),
    stat,
    list,
    readText,
    writeText,
    readBytes,
    readLines,
    remove: (path, expected) => (expected === null ? removeEmptyFolder(path) : removeText(path, expected)),
    setMode,
    move: movePath,
    walk,
    search: (path, options) =>
      searchText(path, options, {
        without: [...kept],
        program: searcher,
        walk: () => walk(path, { depth: Number.POSITIVE_INFINITY, signal: options.signal }),
      }),
  };
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // A broken path stays unchanged; opening it reports the reason.
    const real = canonical(path);
    return real === impossiblePath ? path : real;
  }
}

async function stat(path: string): ReturnType<Files['stat']> {
  try {
    const found = await lstat(path, { bigint: true });
    const { ino, size, mode, mtimeNs, ctimeNs, ctimeMs } = found;
    return {
      type: typeOf(found),
      size: Number(size),
      mark: [ino, size, mode, mtimeNs, ctimeNs].join(' '),
      settled: Date.now() - Number(ctimeMs) > coarsestTime,
    };
  } catch {
    return undefined;
  }
}

/** Some file systems know times only in steps of two seconds; in milliseconds. */
const coarsestTime = 2_500;

async function list(path: string): Promise<readonly FileEntry[] | FileProblem> {
  const found = await entriesOf(path);
  if (isFileProblem(found)) return found;
  return found
    .map((entry) => ({ name: entry.name, path: join(path, entry.name), type: typeOf(entry) }))
    .toSorted(byName);
}

/** Internal folders of tools; workspace listings skip them. */
const kept: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules', '.DS_Store']);

/** A few milliseconds of work for whoever looks at each of them. */
const entriesAtOnce = 500;

/** Lets other work run meanwhile, also in a folder with many files. */
async function* walk(
  path: string,
  options: Parameters<Files['walk']>[1],
  depth = 1,
): ReturnType<Files['walk']> {
  if (depth > options.depth) return;
  const found = await list(path);
  if (isFileProblem(found)) return;
  for (const [at, entry] of found.entries()) {
    if (at % entriesAtOnce === entriesAtOnce - 1) await setImmediate();
    if (options.signal.aborted) return;
    if (kept.has(entry.name)) continue;
    yield { ...entry, depth };
    if (entry.type === 'directory') yield* walk(entry.path, options, depth + 1);
  }
}

function typeOf(found: {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}): FileEntry['type'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'directory';
  return found.isSymbolicLink() ? 'link' : 'other';
}

function byName(a: FileEntry, b: FileEntry): number {
  return a.name < b.name ? -1 : 1;
}
