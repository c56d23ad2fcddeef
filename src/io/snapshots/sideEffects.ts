// What changes in a workspace besides the texts of its files: folders, names that are no text, and what git
// ignores. None of it is kept, so an undo cannot restore it; it is found so that an undo can say so.
import { isUtf8 } from 'node:buffer';
import { lstat, readdir } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { permissionBits } from '../../host/workspace/workspaceSnapshots.ts';
import type { LostChange } from '../../host/workspace/workspaceSnapshots.ts';
import { markOf } from './fileView.ts';

/** One moment of a workspace. The values differ if the thing differs. */
export interface Surroundings {
  /** The permissions of its folders. */
  readonly folders: ReadonlyMap<string, number>;
  /** The folders without a file in them. */
  readonly empty: ReadonlySet<string>;
  /** The folders of which git does not list all folders inside. */
  readonly listed: ReadonlySet<string>;
  /** Files whose names are not UTF-8, by a name for people. */
  readonly oddNames: ReadonlyMap<string, string>;
  /** Files and folders that git ignores. */
  readonly ignored: ReadonlyMap<string, string>;
  /** The internal folders of tools. */
  readonly unread: ReadonlyMap<string, string>;
}

export function lostBetween(start: Surroundings, end: Surroundings): readonly LostChange[] {
  return [
    ...folderChanges(start, end),
    ...differing(start.oddNames, end.oddNames, 'its name is not UTF-8.'),
    ...differing(start.ignored, end.ignored, 'git ignores it, and Parley keeps nothing of such files.'),
    ...differing(
      start.unread,
      end.unread,
      'it is an internal folder of a tool, and Parley keeps nothing of it.',
    ),
  ];
}

function folderChanges(start: Surroundings, end: Surroundings): readonly LostChange[] {
  const fresh = new Set([...end.empty].filter((path) => !start.folders.has(path)));
  const made = [...fresh].filter((path) => !fresh.has(dirname(path)));
  const gone = [...start.folders].flatMap(([path, mode]): readonly LostChange[] => {
    const now = end.folders.get(path);
    if (now === undefined && start.empty.has(path))
      return [{ path, why: 'it was an empty folder.', print: '' }];
    const was = `it is a folder, and its permissions were ${mode.toString(8)}.`;
    const isLost = now === undefined ? mode !== usualMode : now !== mode;
    return isLost ? [{ path, why: was, print: String(now) }] : [];
  });
  return [...made.map((path) => ({ path, why: 'it is a new, empty folder.', print: 'made' })), ...gone];
}

/** What a new folder gets. */
const usualMode = 0o777 & ~process.umask();

function differing(
  start: ReadonlyMap<string, string>,
  end: ReadonlyMap<string, string>,
  why: string,
): readonly LostChange[] {
  return [...new Set([...start.keys(), ...end.keys()])].flatMap((path) => {
    const print = end.get(path) ?? '';
    return print === (start.get(path) ?? '') ? [] : [{ path, why, print }];
  });
}

/** The folders of these that are there, with their permissions. `see` gets what each one is. */
export async function foldersAt(
  paths: Iterable<string>,
  see: (path: string, stats: Stats) => void = () => {},
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const waiting = [...new Set(paths)];
  const step = async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const stats = await lstat(path).catch(() => undefined);
      if (!stats?.isDirectory()) continue;
      found.set(path, stats.mode & permissionBits);
      see(path, stats);
    }
  };
  await Promise.all(Array.from({ length: together }, step));
  return found;
}

/** The folders between a root and the files below it. */
export function foldersOf(root: string, files: Iterable<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let at = dirname(file); at.length > root.length && !folders.has(at); at = dirname(at))
      folders.add(at);
  return folders;
}

/** Pipes, sockets and devices that came into these folders since a time; git does not list them. */
export async function newSpecialFiles(
  folders: readonly string[],
  since: number,
): Promise<readonly LostChange[]> {
  const found: LostChange[] = [];
  for (const folder of folders) found.push(...(await specialFilesIn(folder, since)));
  return found;
}

async function specialFilesIn(folder: string, since: number): Promise<readonly LostChange[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const special = entries.filter((each) => !each.isFile() && !each.isDirectory() && !each.isSymbolicLink());
  const found = await Promise.all(
    special.slice(0, mostEntries).map(async ({ name }) => {
      const path = join(folder, name);
      const stats = await lstat(path).catch(() => undefined);
      const isNew = stats !== undefined && stats.birthtimeMs >= since;
      return isNew ? [{ path, why: 'it is not a regular file.', print: markOf(stats) }] : [];
    }),
  );
  return found.flat();
}

/** Looks at files whose names are bytes that are no text. */
export async function oddNames(root: string, names: readonly Buffer[]): Promise<ReadonlyMap<string, string>> {
  const marks = new Map<string, string>();
  for (const name of names.slice(0, mostEntries)) {
    const found = await lstat(Buffer.concat([Buffer.from(`${root}/`), name])).catch(() => undefined);
    if (found) marks.set(join(root, shownName(name)), markOf(found));
  }
  return marks;
}

export function isText(name: Buffer): boolean {
  return isUtf8(name);
}

/** Shows each byte that is no ASCII. */
function shownName(name: Buffer): string {
  return [...name]
    .map((byte) => (byte < 0x80 ? String.fromCodePoint(byte) : `\\x${byte.toString(16)}`))
    .join('');
}

/** Looks at what git ignores: at files as they are, at folders for what has changed in them since a time. */
export async function ignoredAt(
  paths: readonly string[],
  since?: number,
): Promise<ReadonlyMap<string, string>> {
  const marks = new Map<string, string>();
  const room = { entries: mostEntries };
  for (const path of paths) {
    const found = await lstat(path).catch(() => undefined);
    if (!found) continue;
    if (!found.isDirectory()) marks.set(path, markOf(found));
    else marks.set(path, since === undefined ? unchanged : await lastChange(path, { found, since, room }));
  }
  return marks;
}

/** Those of the files and folders that have changed since a time, apart from known files in them. */
export async function changedSince(
  paths: readonly string[],
  { at: since, isKnown }: { readonly at: number; readonly isKnown: (path: string) => boolean },
): Promise<ReadonlyMap<string, string>> {
  const marks = new Map<string, string>();
  const room = { entries: mostEntries };
  for (const path of paths) {
    const found = await lstat(path).catch(() => undefined);
    const mark = found && (await lastChange(path, { found, since, room, isKnown }));
    if (mark !== undefined && mark !== unchanged) marks.set(path, mark);
  }
  return marks;
}

const unchanged = 'as before';

interface LastChangeOptions {
  readonly found: Stats;
  readonly since: number;
  readonly room: { entries: number };
  /** Changes of these files do not count. */
  readonly isKnown?: (path: string) => boolean;
}

/** Looks at the upper folders first: of a large one it does not see the deepest files. */
async function lastChange(
  path: string,
  { found, since, room, isKnown = () => false }: LastChangeOptions,
): Promise<string> {
  let last = found.ctimeMs;
  const folders = found.isDirectory() ? [path] : [];
  for (let next = folders.shift(); next !== undefined && room.entries > 0; next = folders.shift()) {
    const folder = next;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const seen = entries.slice(0, room.entries).map(({ name }) => join(folder, name));
    room.entries -= seen.length;
    const counted = seen.filter((each) => !isKnown(each));
    const stats = await Promise.all(counted.map((each) => lstat(each).catch(() => undefined)));
    for (const each of stats) last = Math.max(last, each?.ctimeMs ?? 0);
    folders.push(...entries.flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : [])));
  }
  return last < since ? unchanged : String(last);
}

/** So many things are looked at for one comparison. */
const mostEntries = 5_000;
const together = 16;

export interface FolderQuestion {
  readonly root: string;
  /** The folders that were there. */
  readonly known: ReadonlyMap<string, number>;
  /** When that was, in milliseconds. */
  readonly since: number;
  /** Whether these are all folders of such a place. */
  readonly isSeen: (folder: string) => boolean;
}

/**
 * The topmost folder above a file that was not there, or is not there now. Where nobody has looked, its age
 * tells.
 */
export async function changedFolder(
  path: string,
  { root, known, since, isSeen }: FolderQuestion,
): Promise<string | undefined> {
  for (const folder of [...foldersOf(root, [path])].toReversed()) {
    const now = await lstat(folder).catch(() => undefined);
    if (!now) return folder;
    if (!known.has(folder) && (isSeen(folder) || now.birthtimeMs >= since)) return folder;
  }
  return undefined;
}
