// Completes paths that a user types. Reads names only, never file contents.
import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { runGit } from '../git/runGit.ts';
import { files } from './workspace.ts';
import { drawMap } from './repoMap.ts';
import type { MapLimits } from './repoMap.ts';

export interface FoundPath {
  readonly type: 'file' | 'directory';
  readonly path: string;
}

export interface WorkspaceFiles {
  /** The first hundred that fit, the likeliest first; everything where nothing was typed. */
  find(query: string, roots: readonly string[], options?: NameOptions): Promise<readonly FoundPath[]>;
  /** Everything below the folders as one tree, as far as it may be long. */
  map(roots: readonly string[], options?: NameOptions & MapLimits): Promise<string>;
}

export interface NameOptions {
  /** Set where what the repository ignores counts, too. */
  readonly ignored?: true | undefined;
}

/** How long the names of a folder are cached, in milliseconds. */
const freshness = 60_000;
const shown = 100;
/** The most names read from one folder. */
const most = 50_000;
const mostFolders = 32;

export function workspaceFiles(now: () => number = Date.now): WorkspaceFiles {
  const known = new Map<string, { readonly at: number; readonly names: Promise<readonly FoundPath[]> }>();
  const names = (root: string, { ignored }: NameOptions = {}) => {
    const key = `${ignored ? 'all' : ''} ${root}`;
    const found = known.get(key);
    if (found && now() - found.at < freshness) return found.names;
    const fresh = { at: now(), names: namesIn(root, ignored) };
    known.delete(key);
    known.set(key, fresh);
    for (const old of [...known.keys()].slice(0, -mostFolders)) known.delete(old);
    return fresh.names;
  };
  return {
    async find(given, roots, options) {
      const query = given.trim();
      const listed = await listing(query, roots);
      if (listed) return listed.slice(0, shown);
      const all = await Promise.all(roots.map(async (root) => ({ root, names: await names(root, options) })));
      return (query === '' ? all.flatMap((each) => each.names) : matching(all, query.toLowerCase())).slice(
        0,
        shown,
      );
    },
    async map(roots, options) {
      return drawMap(
        await Promise.all(roots.map(async (root) => ({ root, names: await names(root, options) }))),
        options,
      );
    },
  };
}

/** A query that is a path lists the content of that directory. */
async function listing(query: string, roots: readonly string[]): Promise<readonly FoundPath[] | undefined> {
  if (/^(?:~(?:[/\\]|$)|\.{1,2}[/\\])/.test(query) || query.startsWith('/')) {
    const path = query.startsWith('~')
      ? join(homedir(), query.slice(1))
      : resolve(roots[0] ?? homedir(), query);
    return (await entriesOf(path)) ?? (await entriesOf(dirname(path))) ?? [];
  }
  if (!query.includes('/')) return undefined;
  for (const root of roots) {
    const path = resolve(root, query);
    const inside = path.startsWith(root.endsWith(sep) ? root : root + sep);
    const found = inside ? await entriesOf(path) : undefined;
    if (found) return found;
  }
  return undefined;
}

async function entriesOf(directory: string): Promise<readonly FoundPath[] | undefined> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const found = await Promise.all(
      entries.map(async (entry): Promise<FoundPath> => {
        const path = join(directory, entry.name);
        const isDirectory =
          entry.isDirectory() ||
          (entry.isSymbolicLink() && (await stat(path).catch(() => undefined))?.isDirectory() === true);
        return { type: isDirectory ? 'directory' : 'file', path };
      }),
    );
    return found.toSorted(directoriesFirst);
  } catch {
    return undefined;
  }
}

function directoriesFirst(a: FoundPath, b: FoundPath): number {
  if (a.type !== b.type) return a.type === 'directory' ? -1 : 1;
  return a.path < b.path ? -1 : 1;
}

/**
 * Ranks names that start with the query first, then names that contain it, then earlier matches, then shorter
 * paths. Only the path below the root counts.
 */
function matching(
  all: readonly { readonly root: string; readonly names: readonly FoundPath[] }[],
  query: string,
): readonly FoundPath[] {
  const ranked = all.flatMap(({ root, names }) =>
    names.flatMap((found) => {
      const path = found.path.slice(root.length).toLowerCase();
      const name = basename(path);
      const at = path.indexOf(query);
      return at < 0
        ? []
        : [{ found, rank: [name.startsWith(query) ? 0 : 1, name.includes(query) ? 0 : 1, at, path.length] }];
    }),
  );
  const order = (a: readonly number[], b: readonly number[]) =>
    a.map((value, at) => value - (b[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  return ranked.toSorted((a, b) => order(a.rank, b.rank)).map(({ found }) => found);
}

/**
 * Git knows the files of a project; without git, or if ignored files are requested, all files below the
 * folder count.
 */
async function namesIn(root: string, ignored: true | undefined): Promise<readonly FoundPath[]> {
  const tracked = ignored ? undefined : await projectFiles(root);
  if (tracked) return tracked;
  const found: FoundPath[] = [];
  for await (const { type, path } of files().walk(root, {
    depth: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
  })) {
    if (type === 'file' || type === 'directory') found.push({ type, path });
    if (found.length >= most) break;
  }
  return found;
}

/** What a repository holds below a folder and does not ignore; nothing where this is no repository. */
export async function projectFiles(root: string): Promise<readonly FoundPath[] | undefined> {
  const tracked = await gitFiles(root);
  return tracked && withDirectories(root, tracked);
}

/** Cached and untracked files without the ignored ones; nothing where this is no repository. */
async function gitFiles(root: string): Promise<readonly string[] | undefined> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { code, output } = await runGit(args, { root });
  if (code !== 0) return undefined;
  const names = output.toString().split('\0');
  return [...new Set(names.filter((name) => name !== ''))].slice(0, most);
}

function withDirectories(root: string, names: readonly string[]): readonly FoundPath[] {
  const directories = new Set<string>();
  const found = names.toSorted().flatMap((name): readonly FoundPath[] => {
    const above = parentsOf(name).filter((parent) => !directories.has(parent));
    for (const parent of above) directories.add(parent);
    return [
      ...above.map((parent) => ({ type: 'directory', path: join(root, parent) }) as const),
      { type: 'file', path: join(root, name) },
    ];
  });
  return found;
}

function parentsOf(name: string): readonly string[] {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}
