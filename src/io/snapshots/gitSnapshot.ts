// A snapshot of a folder in a git repository. Git lists what differs from its index, in a process of its own,
// and has the texts of all other files. A private copy of the index stays as it was while an agent commits.
import { lstat, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { permissionBits } from '../../host/workspace/workspaceSnapshots.ts';
import type { ChangedFiles, FileView, WorkspaceSnapshot } from '../../host/workspace/workspaceSnapshots.ts';
import { readOnly } from '../files/readOnly.ts';
import { repositoryAt } from '../files/repositoryAt.ts';
import { longestIndex } from '../git/nestedRepositories.ts';
import { runGit } from '../git/runGit.ts';
import type { GitEnd } from '../git/runGit.ts';
import { fileAt, largestText, linkView, markOf, textView, unreadable } from './fileView.ts';
import { clockStep, readFiles } from './folderSnapshot.ts';
import type { KnownFile } from './folderSnapshot.ts';
import { changedFolder, changedSince, foldersAt, foldersOf, ignoredAt } from './sideEffects.ts';
import { isText, lostBetween, newSpecialFiles, oddNames } from './sideEffects.ts';
import type { Surroundings } from './sideEffects.ts';

/** More changed files than this are rather a copied repository, whose index has other times. */
const manyFiles = 200;
/** Of more changed files than this, the rest is not looked at. */
const mostFiles = 5_000;
/** Of more files than this, only the permission to execute is known: git keeps no other. */
const mostModes = 50_000;
/** The texts of no more files in the index are kept, for the case that their repository is removed. */
const mostTexts = 500;

interface Differences {
  /** The first files that differ from the index or are not in it, at most `mostFiles`. */
  readonly files: ReadonlyMap<string, Stats | null>;
  /** All paths that are not in the index. */
  readonly untracked: ReadonlySet<string>;
  /** All paths that differ from the index. */
  readonly modified: ReadonlySet<string>;
  /** Folders with repositories of their own. */
  readonly repositories: ReadonlySet<string>;
  /** Whether git could look into every folder. */
  readonly complete: boolean;
  readonly around: Surroundings;
  /** The folders below the root in which something came or went since the start. */
  readonly touched: readonly string[];
}

interface Taken {
  readonly start: Differences;
  /** When it was taken, in milliseconds. */
  readonly at: number;
  /** The last commit; undefined if there is none. */
  readonly commit: string | undefined;
  /** Undefined if the index has too many files. */
  readonly tracked: Tracked | undefined;
  readonly modes: ReadonlyMap<string, number> | undefined;
  readonly files: ReadonlyMap<string, KnownFile>;
}

type Git = (args: readonly string[], input?: string) => Promise<GitEnd>;

export class GitSnapshot implements WorkspaceSnapshot {
  readonly #root: string;
  readonly #folder: string;
  readonly #git: Git;
  readonly #start: Differences;
  readonly #at: number;
  readonly #commit: string | undefined;
  readonly #tracked: Tracked | undefined;
  readonly #trackedPaths: ReadonlySet<string>;
  /** The permissions of the files in the index; undefined if they are too many. */
  readonly #modes: ReadonlyMap<string, number> | undefined;
  /** Files that were as in the index, or not there. */
  readonly #loaded = new Map<string, FileView | null | undefined>();
  /** What a file was that git did not list: not there, or in a folder that nobody could read. */
  readonly #unlisted: null | undefined;
  /** What git ignored, and the repositories inside. */
  readonly #unseen: ReadonlySet<string>;
  readonly files: ReadonlyMap<string, KnownFile>;

  private constructor(
    place: { readonly root: string; readonly folder: string; readonly git: Git },
    { start, at, commit, tracked, modes, files }: Taken,
  ) {
    this.#root = place.root;
    this.#folder = place.folder;
    this.#git = place.git;
    this.#start = start;
    this.#at = at;
    this.#commit = commit;
    this.#tracked = tracked;
    this.#trackedPaths = new Set(tracked?.paths ?? []);
    this.#modes = modes;
    this.files = files;
    this.#unlisted = start.complete ? null : undefined;
    this.#unseen = new Set([...start.around.ignored.keys(), ...this.nested]);
  }

  /** Undefined if git does not know the folder, was stopped, or its configuration could start programs. */
  static async take(
    root: string,
    known: ReadonlyMap<string, KnownFile>,
    signal: AbortSignal,
  ): Promise<GitSnapshot | undefined> {
    const repository = await repositoryAt(root);
    if (!repository || repository.bare || repository.startsPrograms) return undefined;
    const folder = await mkdtemp(join(tmpdir(), 'parley-index-'));
    const copy = join(folder, 'index');
    const at = Date.now() - clockStep;
    const isCopied = await copyIndex(root, copy);
    const hasIndex = await exists(copy);
    const until = (end?: AbortSignal): Git => {
      return async (args, input = '') => {
        const result = await runGit(args, { root, top: repository.folder, index: copy, input, signal: end });
        // A command that empties the folder of temporary files removes it. For git all files would be new.
        return (await exists(copy)) === hasIndex ? result : { ...result, code: -1 };
      };
    };
    const git = until(signal);
    const tracked = isCopied ? await trackedIn(root, git) : undefined;
    const [start, stats, commit] = isCopied
      ? await Promise.all([look({ root, git, tracked }), statsOf(tracked?.paths ?? []), lastCommit(git)])
      : [];
    if (!start || !stats || (repository.folder !== root && (await isIgnored(git, root)) !== false)) {
      await rm(folder, { recursive: true, force: true });
      return undefined;
    }
    const kept = stats.size > mostTexts ? start.files : new Map([...stats, ...start.files]);
    const there = new Map([...kept].flatMap(([path, found]) => (found ? [[path, found]] : [])));
    const files = await readFiles(there, known);
    const modes = tracked && modesOf(stats);
    // A stopped command has changed files, too.
    return new GitSnapshot({ root, folder, git: until() }, { start, at, commit, tracked, modes, files });
  }

  async before(path: string): Promise<FileView | null | undefined> {
    if (this.#start.files.has(path)) return this.files.get(path)?.view ?? null;
    if (this.#isUnknown(path)) return undefined;
    if (this.#loaded.has(path)) return this.#loaded.get(path);
    const isListed = await this.#load([path]);
    if (isListed === undefined) return this.files.get(path)?.view;
    if (isListed) return this.#loaded.get(path);
    return (await isIgnored(this.#git, path)) === false ? this.#unlisted : undefined;
  }

  /** The repositories inside, into which git does not look. */
  get nested(): readonly string[] {
    return [...this.#start.repositories, ...(this.#tracked?.repositories ?? [])];
  }

  async changedFolder(path: string): Promise<string | undefined> {
    const { folders, listed, ignored } = this.#start.around;
    const unseen = new Set([...listed, ...ignored.keys()]);
    return changedFolder(path, {
      root: this.#root,
      known: folders,
      since: this.#at,
      isSeen: (folder) => this.#tracked !== undefined && !isWithin(folder, unseen),
    });
  }

  async changed(): Promise<ChangedFiles> {
    const place = { root: this.#root, git: this.#git, tracked: this.#tracked };
    const earlier = {
      at: this.#at,
      ignored: [...this.#start.around.ignored.keys()],
      isKnown: (path: string) =>
        this.#start.files.has(path) || this.#start.repositories.has(path) || this.#trackedPaths.has(path),
    };
    const [now, allowed, isKept] = await Promise.all([
      look(place, earlier),
      this.#otherModes(),
      this.#hasCommit(),
    ]);
    if (!now)
      return {
        paths: await this.#changedOfKept(),
        lost: [{ path: this.#root, why: noRepository, print: 'gone' }],
      };
    const paths = [...new Set([...this.#start.files.keys(), ...now.files.keys(), ...allowed])].filter(
      (path) =>
        !this.#isAsKept(path, now.files.get(path)) && (this.#start.files.has(path) || !this.#isUnknown(path)),
    );
    const fresh = paths.filter((path) => !this.#start.files.has(path));
    for (const path of fresh) if (now.untracked.has(path)) this.#loaded.set(path, this.#unlisted);
    const tracked = fresh.filter((path) => !now.untracked.has(path));
    for (let at = 0; at < tracked.length; at += loadedTogether)
      await this.#load(tracked.slice(at, at + loadedTogether), now.files);
    const added = [...now.repositories].filter((path) => !this.#start.repositories.has(path));
    for (const path of added) this.#loaded.set(path, this.#unlisted);
    const other = { path: join(this.#root, '.git'), why: otherRepository, print: 'other' };
    const special = await newSpecialFiles([this.#root, ...now.touched], this.#at);
    return {
      paths: [...paths, ...added],
      lost: [...(isKept ? [] : [other]), ...lostBetween(this.#start.around, now.around), ...special],
    };
  }

  /** The texts of files that differed from the index are kept, and in a small repository all texts. */
  async #changedOfKept(): Promise<readonly string[]> {
    const now = await statsOf([...this.#start.files.keys(), ...this.files.keys()]);
    return [...now].flatMap(([path, found]) => (this.#isAsKept(path, found) ? [] : [path]));
  }

  #isAsKept(path: string, found: Stats | null | undefined): boolean {
    const known = this.files.get(path);
    return found !== null && found !== undefined && known?.settled === true && markOf(found) === known.mark;
  }

  /** Whether the repository still has the last commit of the start, on whatever branch. */
  async #hasCommit(): Promise<boolean> {
    return this.#commit === undefined || (await this.#git(['cat-file', '-e', this.#commit])).code === 0;
  }

  /** Whether the file was not looked at. It may have been there, whatever git says of it now. */
  #isUnknown(path: string): boolean {
    const { untracked, modified } = this.#start;
    if (untracked.has(path) || modified.has(path)) return true;
    return isWithin(path, this.#unseen);
  }

  /** The files with other permissions: git sees only some, and none in the second of the last change. */
  async #otherModes(): Promise<readonly string[]> {
    const start = this.#modes ?? new Map<string, number>();
    const now = await statsOf([...start.keys()]);
    return [...start].flatMap(([path, mode]) => {
      const found = now.get(path);
      return found && (found.mode & permissionBits) !== mode ? [path] : [];
    });
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }

  /** Reads files that were as in the index; false if it has none of them, undefined if git cannot say. */
  async #load(paths: readonly string[], now: Differences['files'] = new Map()): Promise<boolean | undefined> {
    const names = paths.map((path) => relative(this.#root, path));
    const listed = await this.#git([
      '--literal-pathspecs',
      'ls-files',
      '-s',
      '--debug',
      '-z',
      '--',
      ...names,
    ]);
    if (listed.code !== 0) return undefined;
    const entries = [...listed.output.toString().matchAll(indexEntry)].flatMap(
      ([, mode = '', id = '', name = '', seconds, nanoseconds, size, flags = '']) => ({
        mode,
        id,
        name,
        modified: Number(seconds) * 1_000 + Number(nanoseconds) / 1_000_000,
        size: Number(size),
        flags: Number.parseInt(flags, 16),
      }),
    );
    const readable = entries.filter(({ mode, size }) => mode !== '160000' && size <= largestText);
    const wanted = readable.map(({ id }) => `${id}\n`).join('');
    const { output } = await this.#git(['cat-file', '--batch'], wanted);
    const blobs = blobsIn(output);
    for (const entry of entries) {
      const path = resolve(this.#root, entry.name);
      const bytes = blobs.get(entry.id);
      // Another repository is in its place and has other texts.
      const view = bytes ? storedView(entry, bytes, this.#modes?.get(path)) : this.files.get(path)?.view;
      this.#loaded.set(path, view?.rough && isTouchedOnly(entry, now.get(path)) ? otherMode : view);
    }
    return entries.length > 0;
  }
}

const noRepository =
  'its repository cannot be read any more, so Parley cannot tell which files have changed.';

const otherRepository = 'it is another repository now, and Parley keeps nothing of the one that was there.';

/** Mode, id, stage, name, time, size and flags of a file in the index. */
const indexEntry =
  /(\d{6}) ([0-9a-f]+) 0\t([^\0]*)\0(?:  [^\n]*\n)*?  mtime: (\d+):(\d+)\n(?:  [^\n]*\n)*?  size: (\d+)\tflags: ([0-9a-f]+)\n/g;

/** Assume-unchanged and skip-worktree: the user told git not to look, so the text may be another. */
const isUnseen = 0x8000 | 0x4000_0000;

interface IndexEntry {
  readonly mode: string;
  readonly id: string;
  readonly name: string;
  /** When the text was written, in milliseconds. */
  readonly modified: number;
  readonly size: number;
  readonly flags: number;
}

/** Git lists the file as changed, but its text was not written: its permissions may be others. */
function isTouchedOnly({ modified, size }: IndexEntry, now: Stats | null | undefined): boolean {
  return now?.size === size && Math.abs(now.mtimeMs - modified) < clockError;
}

/** A number does not hold a time to the nanosecond. */
const clockError = 0.001;

const otherMode = unreadable(
  'its permissions may have changed; in a repository with so many files Parley does not know them.',
  'permissions',
);

/** If git converts a file, the index has other bytes than the disk had; its size tells. */
function storedView(
  { mode, size, flags }: IndexEntry,
  bytes: Buffer,
  permissions: number | undefined,
): FileView | undefined {
  if (bytes.length !== size || (flags & isUnseen) !== 0) return undefined;
  if (mode === '120000') return linkView(bytes.toString());
  if (permissions !== undefined) return { ...textView(bytes), mode: permissions };
  return { ...textView(bytes), mode: (mode === '100755' ? 0o777 : 0o666) & ~umask, rough: true };
}

/** The answer of git to a list of ids: a line with id, type and size, then the bytes and a line end. */
function blobsIn(output: Buffer): ReadonlyMap<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const [id = '', type, size] = output.subarray(at, Math.max(at, end)).toString().split(' ');
    if (end < 0) break;
    const length = type === 'blob' ? Number(size) : -1;
    if (length >= 0) blobs.set(id, output.subarray(end + 1, end + 1 + length));
    at = end + 1 + (length < 0 ? 0 : length + 1);
  }
  return blobs;
}

/** The arguments of one process are limited. */
const loadedTogether = 200;

const umask = process.umask();

/** False if git does not ignore the path, undefined if it cannot say. */
async function isIgnored(git: Git, path: string): Promise<boolean | undefined> {
  const { code } = await git(['check-ignore', '-q', '--no-index', '--', path]);
  if (code === 0) return true;
  return code === 1 ? false : undefined;
}

async function lastCommit(git: Git): Promise<string | undefined> {
  const { code, output } = await git(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}']);
  return code === 0 ? output.toString().trim() : undefined;
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** The time of the index says which of its entries must be compared by content, so the copy keeps it. */
async function copyIndex(root: string, copy: string): Promise<boolean> {
  const found = await runGit(['rev-parse', '--git-path', 'index'], { root });
  if (found.code !== 0) return false;
  const index = resolve(root, found.output.toString().replace(/\n$/, ''));
  const there = await lstat(index).catch(() => undefined);
  // A repository without commits has no index yet.
  if (!there) return true;
  // A pipe in its place would never end, nor would a link to a device.
  if (!there.isFile() || there.size > longestIndex) return false;
  // One may take its place in this moment, so nothing is waited for or followed here, too.
  await writeFile(copy, await readFile(index, { flag: readOnly }));
  await utimes(copy, there.atimeMs / 1_000, Math.floor(there.mtimeMs) / 1_000);
  return true;
}

interface Place {
  readonly root: string;
  readonly git: Git;
  readonly tracked: Tracked | undefined;
}

/** What is in the index. */
interface Tracked {
  readonly paths: readonly string[];
  /** The repositories among them. */
  readonly repositories: readonly string[];
}

/** What git ignored at the start of a turn, and the files that are compared whatever git ignores later. */
interface Earlier {
  readonly at: number;
  readonly ignored: readonly string[];
  readonly isKnown: (path: string) => boolean;
}

/** `earlier` is absent at the start. */
async function look({ root, git, tracked }: Place, earlier?: Earlier): Promise<Differences | undefined> {
  const [changed, others, folders, ignored] = await Promise.all([
    differing(git),
    namesIn(git, listUntracked),
    namesIn(git, [...listUntracked, '--directory']),
    namesIn(git, [...listUntracked, '--directory', '--ignored']),
  ]);
  if (!changed || !others || !folders || !ignored) return undefined;
  const at = (name: string) => resolve(root, name);
  const repositories = new Set(others.names.filter(isFolder).map(at));
  const plain = others.names.filter((name) => !isFolder(name)).map(at);
  const files = await statsOf([...changed.names.map(at), ...plain].slice(0, mostFiles));
  const listed = folders.names.filter(isFolder).map(at);
  const filled = foldersOf(root, plain);
  const touched: string[] = [];
  const see = (path: string, { mtimeMs }: Stats) => {
    if (earlier && mtimeMs >= earlier.at) touched.push(path);
  };
  return {
    files,
    untracked: new Set(others.names.map(at)),
    modified: new Set(changed.names.map(at)),
    repositories,
    complete: others.complete,
    around: {
      folders: await foldersAt([...foldersOf(root, tracked?.paths ?? []), ...filled, ...listed], see),
      empty: new Set(listed.filter((path) => !filled.has(path) && !isWithin(path, repositories))),
      listed: new Set(listed),
      oddNames: await oddNames(root, [...changed.odd, ...others.odd]),
      ignored: await ignoredNow(ignored.names.map(at), earlier),
      unread: new Map(),
    },
    touched,
  };
}

/** An agent may change what git ignores, which changes nothing in the files themselves. */
async function ignoredNow(
  paths: readonly string[],
  earlier: Earlier | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (!earlier) return ignoredAt(paths);
  const { at, ignored, isKnown } = earlier;
  const old = new Set(ignored);
  const fresh = paths.filter((path) => !old.has(path) && !isKnown(path));
  return new Map([...(await ignoredAt(ignored, at)), ...(await changedSince(fresh, earlier))]);
}

function isFolder(name: string): boolean {
  return name.endsWith('/');
}

/** The files in the index; undefined if they are too many. */
async function trackedIn(root: string, git: Git): Promise<Tracked | undefined> {
  const listed = await namesIn(git, ['ls-files', '-s', '-z']);
  if (!listed || listed.names.length > mostModes) return undefined;
  const pathOf = (entry: string) => resolve(root, entry.slice(entry.indexOf('\t') + 1));
  const repositories = listed.names.filter((entry) => entry.startsWith('160000')).map(pathOf);
  return { paths: [...new Set(listed.names.map(pathOf))], repositories };
}

function modesOf(found: ReadonlyMap<string, Stats | null>): ReadonlyMap<string, number> {
  return new Map([...found].flatMap(([path, stats]) => (stats ? [[path, stats.mode & permissionBits]] : [])));
}

async function statsOf(paths: readonly string[]): Promise<Map<string, Stats | null>> {
  const found = new Map<string, Stats | null>();
  const waiting = [...new Set(paths)];
  const step = async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop())
      found.set(path, (await fileAt(path)) ?? null);
  };
  await Promise.all(Array.from({ length: 8 }, step));
  return found;
}

const listUntracked = ['ls-files', '--others', '--exclude-standard', '-z'];

async function differing(git: Git): Promise<Names | undefined> {
  const args = ['diff-files', '--name-only', '-z', '--relative', '--ignore-submodules=all'];
  const first = await namesIn(git, args);
  if (!first || first.names.length < manyFiles) return first;
  // Only the private copy is written.
  await git(['update-index', '-q', '--refresh']);
  return namesIn(git, args);
}

interface Names {
  readonly names: readonly string[];
  /** Those that are no text. */
  readonly odd: readonly Buffer[];
  /** Whether git could look into every folder; it only warns of others. */
  readonly complete: boolean;
}

async function namesIn(git: Git, args: readonly string[]): Promise<Names | undefined> {
  const { code, output, problem } = await git(args);
  if (code !== 0) return undefined;
  const names = new Set<string>();
  const odd: Buffer[] = [];
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0, at);
    const name = output.subarray(at, end < 0 ? output.length : end);
    if (isText(name)) names.add(name.toString());
    else odd.push(name);
    at += name.length + 1;
  }
  return { names: [...names], odd, complete: !problem.includes('could not open directory') };
}

function isWithin(path: string, folders: ReadonlySet<string>): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (folders.has(at)) return true;
    if (at === dirname(at)) return false;
  }
}
