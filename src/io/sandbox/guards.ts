// Finds what a sandbox has to guard in a workspace: protected paths that exist, those that must not be
// created, and the parts of a repository that decide what git runs.
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { below, contains } from '../../base/paths.ts';
import { isProtected } from '../../host/policy/protectedPaths.ts';
import { readFolderFile } from '../files/folderFile.ts';
import { guardedDeeper, guardedHomeNames, guardedNames, writtenByBuilds } from './places.ts';

/** One step of making a view of the file system; later ones lie over earlier ones. */
export type Guard =
  /** Writable, and cannot be renamed or removed. */
  | { readonly kind: 'write'; readonly path: string }
  | { readonly kind: 'read'; readonly path: string }
  /** Must not be created: an empty folder lies there for as long as the program runs. */
  | { readonly kind: 'absent'; readonly path: string }
  /** The same with a folder that only root can enter, so that programs outside do not take it for one. */
  | { readonly kind: 'absent-closed'; readonly path: string }
  /** The same for the file that would lead git to another repository; this content leads nowhere. */
  | { readonly kind: 'absent-link'; readonly path: string }
  /** The same for a file of settings; an empty one sets nothing. */
  | { readonly kind: 'absent-empty'; readonly path: string };

/** What lies there for another program alone, as `isOurs` says, counts as missing: it goes with that one. */
export function workspaceGuards(
  root: string,
  { home, isOurs = () => false, program = [] }: Partial<Surroundings> & Pick<Surroundings, 'home'>,
): readonly Guard[] {
  const isHome = contains(root, home);
  const missing = [...guardedNames, ...(isHome ? guardedHomeNames : [])]
    .map((name) => join(root, name))
    .filter((path) => isOurs(path) || !exists(path))
    .filter((path) => dirname(path) === root || lstat(dirname(path))?.isDirectory())
    .map((path) => ({ kind: 'absent', path }) as const);
  const present = existing(root, isOurs);
  const guards = [...repositoryGuards(root, { home, isOurs }), ...present, ...missing];
  const ours = program
    .filter((path) => path !== root && contains(root, path))
    .map((path) => ({ kind: 'read', path }) as const);
  const all = [...guards, ...namedGuards(root, home, guards), ...ours];
  return [...foldersAbove(root, all), ...all];
}

/** A folder with a guarded path in it must not be renamed, or another one could take its place. */
function foldersAbove(root: string, guards: readonly Guard[]): readonly Guard[] {
  const isGuarded = (path: string) => guards.some((guard) => contains(guard.path, path));
  const above = foldersBetween(
    root,
    guards.map(({ path }) => path),
  );
  return above.filter((path) => !isGuarded(path)).map((path) => ({ kind: 'write', path }));
}

/** The folders below a root that lie above paths in it, those nearer to the root first. */
export function foldersBetween(root: string, paths: readonly string[]): readonly string[] {
  const found = paths.flatMap((path) => {
    const names = below(root, path)?.split('/').slice(0, -1) ?? [];
    return names.map((_, at) => join(root, ...names.slice(0, at + 1)));
  });
  return [...new Set(found)].toSorted((a, b) => a.length - b.length);
}

/**
 * What the configuration of git names inside the workspace: a folder with hooks, and files with more
 * settings. That of the user counts, too: a relative folder of hooks is one in each repository.
 */
function namedGuards(root: string, home: string, guards: readonly Guard[]): readonly Guard[] {
  const own = guards.flatMap(({ kind, path }) => (kind === 'read' && isConfig(path) ? [path] : []));
  const users = [join(home, '.gitconfig'), join(home, '.config/git/config'), '/etc/gitconfig'];
  return namedIn([...own, ...users], root, home)
    .filter((path) => path !== root && contains(root, path))
    .map((path) => firstMissing(path, root))
    .filter((path) => !guards.some((other) => other.kind !== 'write' && contains(other.path, path)))
    .map((path) => ({ kind: isPlain(lstat(path)) ? 'read' : 'absent', path }));
}

function isConfig(path: string): boolean {
  return /\/config(?:\.worktree)?$/.test(path);
}

/** What files of settings name, also those that they include. */
function namedIn(configs: readonly string[], root: string, home: string): readonly string[] {
  const read = new Set<string>();
  const named = new Set<string>();
  const visit = (config: string) => {
    if (read.has(config) || read.size >= mostConfigs) return;
    read.add(config);
    for (const { isFile, value } of valuesIn(config)) {
      const base = isFile ? dirname(config) : root;
      const path = value.startsWith('~/') ? join(home, value.slice(2)) : resolve(base, value);
      named.add(path);
      if (isFile) visit(path);
    }
  };
  for (const config of configs) visit(config);
  return [...named];
}

/** More files of settings than this are not looked at. */
const mostConfigs = 50;

function valuesIn(config: string): readonly { readonly isFile: boolean; readonly value: string }[] {
  const read = readFolderFile(config, { largest: longestFile });
  const found = 'text' in read ? [...read.text.matchAll(namingKey)] : [];
  return found.map(([, key = '', value = '']) => ({ isFile: /^path$/i.test(key), value: unquoted(value) }));
}

const namingKey = /(?:^|\])[ \t]*(hooksPath|path)[ \t]*=[ \t]*(.*)$/gim;

/** A value without its quotes, or without what stands behind it as a comment. */
function unquoted(value: string): string {
  return (/^"([^"]*)"/.exec(value)?.[1] ?? value.replace(/\s*[#;].*$/, '')).trim();
}

/** The first part of the way to a path that is missing, or the path. */
function firstMissing(path: string, root: string): string {
  const above = dirname(path);
  return above === root || exists(above) ? path : firstMissing(above, root);
}

function existing(root: string, isOurs: Surroundings['isOurs']): readonly Guard[] {
  const names = entries(root).filter((name) => name !== '.git' && !writtenByBuilds.has(name));
  const guarded = names
    .map((name) => join(root, name))
    .filter((path) => !isOurs(path) && isProtected(path, { roots: [root] }));
  const deeper = guardedDeeper.filter((name) => names.includes(name.slice(0, name.indexOf('/'))));
  // A link cannot be covered; what it points to outside the workspace is read-only anyway.
  return [...guarded, ...deeper.map((name) => join(root, name)).filter((path) => !isOurs(path))]
    .filter((path) => isPlain(lstat(path)))
    .map((path) => ({ kind: 'read', path }));
}

/**
 * The repository may also be that of a folder above, but not that of the home directory; its data may be
 * elsewhere.
 */
function repositoryGuards(
  root: string,
  { home, isOurs }: Pick<Surroundings, 'home' | 'isOurs'>,
): readonly Guard[] {
  const own = exists(join(root, '.git')) && !isOurs(join(root, '.git'));
  const none: readonly Guard[] = own ? [] : [{ kind: 'absent', path: join(root, '.git') }];
  for (let folder = root; folder === root || !contains(folder, home); folder = dirname(folder)) {
    const git = join(folder, '.git');
    const found = isOurs(git) ? undefined : lstat(git);
    if (found?.isDirectory()) return [...none, ...gitGuards(git, isOurs), ...partGuards(root, true, isOurs)];
    if (found?.isFile())
      return [
        ...none,
        ...linkedGuards(git, own ? root : undefined, isOurs),
        ...partGuards(root, true, isOurs),
      ];
    if (dirname(folder) === folder) break;
  }
  return [...none, ...partGuards(root, false, isOurs)];
}

interface Surroundings {
  readonly home: string;
  readonly isOurs: (path: string) => boolean;
  /** What runs us, which a program in the sandbox must not change. */
  readonly program: readonly string[];
}

/**
 * A folder is itself a repository as soon as it has a `HEAD` and two folders, if its `.git` is missing or
 * spoiled: then git runs what its `config` names. One missing part makes it none. In a repository git would
 * not know any more whether `HEAD` is that file, so there it is another part.
 */
function partGuards(root: string, hasRepository: boolean, isOurs: Surroundings['isOurs']): readonly Guard[] {
  const isThere = (path: string) => exists(path) && !isOurs(path);
  const [head = '', ...folders] = ['HEAD', 'refs', 'objects'].map((name) => join(root, name));
  if (!hasRepository && !isThere(head)) return [{ kind: 'absent', path: head }];
  const missing = folders.find((path) => !isThere(path));
  if (missing !== undefined) return [{ kind: 'absent-closed', path: missing }];
  return isThere(head) ? gitGuards(root, isOurs).filter(({ path }) => path !== root) : [];
}

/** Commits are possible; hooks, configuration and the way to other repositories stay as they are. */
function gitGuards(git: string, isOurs: Surroundings['isOurs']): readonly Guard[] {
  const settings = ['config', 'config.worktree', 'modules', 'worktrees', 'commondir', ...neverCreated];
  const isThere = (path: string) => exists(path) && !isOurs(path);
  const present = settings.map((name) => join(git, name)).filter((path) => isPlain(lstat(path)));
  return [
    { kind: 'write', path: git },
    ...present.filter(isThere).map((path) => ({ kind: 'read', path }) as const),
    ...(isThere(join(git, 'config')) ? [] : [{ kind: 'absent-empty', path: join(git, 'config') } as const]),
    ...emptyConfig(git, isThere),
    ...neverCreated
      .map((name) => join(git, name))
      .filter((path) => !isThere(path))
      .map((path) => ({ kind: 'absent', path }) as const),
    ...(isThere(join(git, 'commondir'))
      ? []
      : [{ kind: 'absent-link', path: join(git, 'commondir') } as const]),
  ];
}

/** Hooks, and the two old places of remotes: a push to a repository in the workspace runs its hooks. */
const neverCreated = ['hooks', 'remotes', 'branches'];

/**
 * The settings of one work tree. They count only where the repository says so, but a later command of the
 * user, such as `git sparse-checkout`, makes it say so.
 */
function emptyConfig(folder: string, isThere: (path: string) => boolean): readonly Guard[] {
  const path = join(folder, 'config.worktree');
  return isThere(path) ? [] : [{ kind: 'absent-empty', path }];
}

/**
 * A linked work tree: its file names its part of the repository, which must name the work tree in turn, or a
 * whole repository in the workspace. The root is that of the workspace, if the file is in it.
 */
function linkedGuards(
  link: string,
  root: string | undefined,
  isOurs: Surroundings['isOurs'],
): readonly Guard[] {
  const itself: readonly Guard[] = root === undefined ? [] : [{ kind: 'read', path: link }];
  const isThere = (path: string) => isPlain(lstat(path)) && !isOurs(path);
  try {
    const own = real(resolve(dirname(link), /^gitdir: (.*)$/m.exec(text(link))?.[1]?.trim() ?? '\0'));
    if (root !== undefined && contains(root, own) && !isThere(join(own, 'commondir')))
      return [...itself, ...gitGuards(own, isOurs).filter(({ path }) => path !== root)];
    const back = real(resolve(own, text(join(own, 'gitdir')).trim()));
    const whole = real(resolve(own, text(join(own, 'commondir')).trim()));
    if (back !== real(link) || !contains(join(whole, 'worktrees'), own)) return itself;
    const facts = ['commondir', 'gitdir', 'config.worktree'].map((name) => join(own, name));
    return [
      ...itself,
      ...gitGuards(whole, isOurs),
      { kind: 'write', path: own },
      ...facts.filter(isThere).map((path) => ({ kind: 'read', path }) as const),
      ...emptyConfig(own, isThere),
    ];
  } catch {
    // What does not fit together stays read-only.
    return itself;
  }
}

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function lstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  return lstat(path) !== undefined;
}

function isPlain(found: Stats | undefined): boolean {
  return found?.isFile() === true || found?.isDirectory() === true;
}

/** In bytes. */
const longestFile = 1_000_000;

/** What is no small regular file throws: a pipe would never end. */
function text(path: string): string {
  const read = readFolderFile(path, { largest: longestFile });
  if ('problem' in read) throw new Error(`${path} ${read.message}`);
  return read.text;
}

function real(path: string): string {
  return realpathSync(path);
}
