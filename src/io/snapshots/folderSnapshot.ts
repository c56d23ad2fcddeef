// A snapshot of a folder without git: looks at a bounded number of files in small steps, and reads again only
// those that have changed since the last snapshot of the folder.
import { lstat, readdir } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { readdir as readdirBytes } from 'node:fs/promises';
import { join } from 'node:path';
import { permissionBits } from '../../host/workspace/workspaceSnapshots.ts';
import type { ChangedFiles, FileView, WorkspaceSnapshot } from '../../host/workspace/workspaceSnapshots.ts';
import { markOf, unreadable, viewOf } from './fileView.ts';
import { foldersOf, isText, lostBetween, changedFolder, oddNames } from './sideEffects.ts';
import type { Surroundings } from './sideEffects.ts';

/** The changes of the rest are known only from tool calls. */
const mostFiles = 5_000;
const mostText = 32_000_000;
const largestFile = 1_000_000;
const together = 24;

/** Internal folders of tools. */
const skipped: ReadonlySet<string> = new Set(['.git', '.hg', '.svn', 'node_modules', '.DS_Store']);

/** The clock of a file system may be late by so many milliseconds. */
export const clockStep = 20;

/** Some file systems know times only in steps of two seconds; in milliseconds. */
const coarsestTime = 2_500;

export interface KnownFile {
  readonly mark: string;
  /** False if it had changed so lately that the next change might have the same time. */
  readonly settled: boolean;
  readonly view: FileView;
}

interface FoundFiles {
  readonly files: ReadonlyMap<string, Stats>;
  /** Whether these are all. */
  readonly complete: boolean;
  readonly around: Surroundings;
}

export class FolderSnapshot implements WorkspaceSnapshot {
  readonly #root: string;
  readonly #complete: boolean;
  readonly #around: Surroundings;
  readonly #at: number;
  readonly files: ReadonlyMap<string, KnownFile>;
  /** Repositories inside are folders as others. */
  readonly nested: readonly string[] = [];

  private constructor(
    root: string,
    files: ReadonlyMap<string, KnownFile>,
    { complete, around, at }: Omit<FoundFiles, 'files'> & { readonly at: number },
  ) {
    this.#root = root;
    this.files = files;
    this.#complete = complete;
    this.#around = around;
    this.#at = at;
  }

  static async take(
    root: string,
    known: ReadonlyMap<string, KnownFile>,
    signal: AbortSignal,
  ): Promise<FolderSnapshot> {
    const at = Date.now() - clockStep;
    const { files, ...found } = await find(root, signal);
    return new FolderSnapshot(root, await readFiles(files, known), { ...found, at });
  }

  before(path: string): Promise<FileView | null | undefined> {
    const known = this.files.get(path)?.view;
    return Promise.resolve(known ?? (this.#isSeen(path) ? null : undefined));
  }

  changedFolder(path: string): Promise<string | undefined> {
    return changedFolder(path, {
      root: this.#root,
      known: this.#around.folders,
      since: this.#at,
      isSeen: (folder) => this.#isSeen(folder),
    });
  }

  #isSeen(path: string): boolean {
    const parts = path.slice(this.#root.length).split('/');
    return this.#complete && !parts.some((part) => skipped.has(part));
  }

  async changed(signal: AbortSignal): Promise<ChangedFiles> {
    const { files, complete, around } = await find(this.#root, signal);
    const other = [...this.files].filter(([path, { mark, settled }]) => {
      const now = files.get(path);
      return now ? !settled || markOf(now) !== mark : complete;
    });
    const added = this.#complete ? [...files.keys()].filter((path) => !this.files.has(path)) : [];
    const lost = this.#complete && complete ? lostBetween(this.#around, around) : [];
    return { paths: [...other.map(([path]) => path), ...added], lost };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** What is kept of files, as far as there is room. */
export async function readFiles(
  files: ReadonlyMap<string, Stats>,
  known: ReadonlyMap<string, KnownFile>,
): Promise<ReadonlyMap<string, KnownFile>> {
  const views = new Map<string, KnownFile>();
  const waiting = [...files];
  let room = mostText;
  const read = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [path, found] = next;
      const mark = markOf(found);
      const old = known.get(path);
      room -= Math.min(found.size, largestFile);
      const fits = room >= 0;
      const view =
        fits && old?.settled && old.mark === mark ? old.view : await lookAt(path, found, { fits, mark });
      views.set(path, { mark, settled: Date.now() - found.ctimeMs > coarsestTime, view });
    }
  };
  await Promise.all(Array.from({ length: together }, read));
  return views;
}

function lookAt(
  path: string,
  found: Stats,
  { fits, mark }: { readonly fits: boolean; readonly mark: string },
): Promise<FileView> {
  if (fits) return viewOf(path, found, largestFile);
  const view = unreadable('the workspace has more text than Parley keeps.', mark);
  return Promise.resolve({ ...view, mode: found.mode & permissionBits });
}

/** The files and links below a folder. Steps are small, because the host does other things meanwhile. */
async function find(root: string, signal: AbortSignal): Promise<FoundFiles> {
  const files = new Map<string, Stats>();
  const modes = new Map<string, number>();
  const odd = new Map<string, string>();
  const unread = new Map<string, string>();
  const folders = [root];
  const names: string[] = [];
  let complete = true;
  const list = (folder: string, entries: readonly Dirent[]): void => {
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (!skipped.has(entry.name)) (entry.isDirectory() ? folders : names).push(path);
      else if (entry.isDirectory()) unread.set(path, 'there');
    }
  };
  const step = async (): Promise<boolean> => {
    const name = names.pop();
    if (name !== undefined) {
      const found = await lookedAt(name);
      if (found) files.set(name, found);
      return true;
    }
    const folder = folders.pop();
    if (folder === undefined) return false;
    const [entries, found] = await Promise.all([entriesOf(folder), lookedAt(folder)]);
    if (!entries) complete = false;
    if (found && folder !== root) modes.set(folder, found.mode & permissionBits);
    const named = (entries ?? []).filter((entry) => !entry.name.includes(noText));
    if (named.length < (entries?.length ?? 0))
      for (const each of await oddNames(folder, await namesIn(folder))) odd.set(...each);
    list(folder, named);
    return true;
  };
  for (let isMore = true; isMore;) {
    if (signal.aborted || files.size + names.length > mostFiles) {
      complete = false;
      folders.length = 0;
      names.length = Math.max(0, Math.min(names.length, mostFiles - files.size));
    }
    isMore = (await Promise.all(Array.from({ length: together }, step))).includes(true);
  }
  const filled = foldersOf(root, files.keys());
  const empty = new Set([...modes.keys()].filter((folder) => !filled.has(folder)));
  const none = new Map<string, string>();
  return {
    files,
    complete,
    around: { folders: modes, empty, listed: new Set(), oddNames: odd, ignored: none, unread },
  };
}

/** What stands for bytes that are no text. */
const noText = '\uFFFD';

/** The names in a folder that are no text. */
async function namesIn(folder: string): Promise<readonly Buffer[]> {
  const names = await readdirBytes(folder, { encoding: 'buffer' }).catch(() => []);
  return names.filter((name) => !isText(name));
}

function lookedAt(path: string): Promise<Stats | undefined> {
  return new Promise((resolve) => {
    lstat(path, (error, found) => resolve(error ? undefined : found));
  });
}

function entriesOf(path: string): Promise<readonly Dirent[] | undefined> {
  return new Promise((resolve) => {
    readdir(path, { withFileTypes: true }, (error, entries) => resolve(error ? undefined : entries));
  });
}
