// Finds what a sandbox has to guard in a workspace: protected paths that exist, those that must not be
// created, and the parts of a repository that decide what git runs.
import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { contains } from '../../base/paths.ts';
import { isProtected } from '../../host/policy/protectedPaths.ts';
import { guardedDeeper, guardedHomeNames, guardedNames, writtenByBuilds } from './places.ts';

/** One step of making a view of the file system; later ones lie over earlier ones. */
export type Guard =
  /** Writable, and cannot be renamed or removed. */
  | { readonly kind: 'write'; readonly path: string }
  | { readonly kind: 'read'; readonly path: string }
  /** Must not be created: an empty folder lies there for as long as the program runs. */
  | { readonly kind: 'absent'; readonly path: string }
  /** The same for the file that would lead git to another repository; this content leads nowhere. */
  | { readonly kind: 'absent-link'; readonly path: string };

export function workspaceGuards(root: string, home: string): readonly Guard[] {
  const isHome = contains(root, home);
  const missing = [...guardedNames, ...(isHome ? guardedHomeNames : [])]
    .map((name) => join(root, name))
    .filter((path) => !exists(path) && lstat(dirname(path))?.isDirectory())
    .map((path) => ({ kind: 'absent', path }) as const);
  return [...repositoryGuards(root, home), ...existing(root), ...missing];
}

function existing(root: string): readonly Guard[] {
  const names = entries(root).filter(
    (name) =>
      name !== '.git' && !writtenByBuilds.has(name) && isProtected(join(root, name), { roots: [root] }),
  );
  // A link cannot be covered; what it points to outside the workspace is read-only anyway.
  return [...names, ...guardedDeeper]
    .map((name) => join(root, name))
    .filter((path) => isPlain(lstat(path)))
    .map((path) => ({ kind: 'read', path }));
}

/**
 * The repository may also be that of a folder above, but not that of the home directory; its data may be
 * elsewhere.
 */
function repositoryGuards(root: string, home: string): readonly Guard[] {
  const own = exists(join(root, '.git'));
  const none: readonly Guard[] = own ? [] : [{ kind: 'absent', path: join(root, '.git') }];
  for (let folder = root; folder === root || !contains(folder, home); folder = dirname(folder)) {
    const git = join(folder, '.git');
    const found = lstat(git);
    if (found?.isDirectory()) return [...none, ...gitGuards(git)];
    if (found?.isFile()) return [...none, ...linkedGuards(git, own)];
    if (dirname(folder) === folder) break;
  }
  return none;
}

/** Commits are possible; hooks, configuration and the way to other repositories stay as they are. */
function gitGuards(git: string): readonly Guard[] {
  const settings = ['config', 'config.worktree', 'hooks', 'modules', 'worktrees', 'commondir'];
  const present = settings.map((name) => join(git, name)).filter((path) => isPlain(lstat(path)));
  return [
    { kind: 'write', path: git },
    ...present.map((path) => ({ kind: 'read', path }) as const),
    ...(exists(join(git, 'hooks')) ? [] : [{ kind: 'absent', path: join(git, 'hooks') } as const]),
    ...(exists(join(git, 'commondir'))
      ? []
      : [{ kind: 'absent-link', path: join(git, 'commondir') } as const]),
  ];
}

/** A linked work tree: its file names its part of the repository, which must name the work tree in turn. */
function linkedGuards(link: string, isInside: boolean): readonly Guard[] {
  const itself: readonly Guard[] = isInside ? [{ kind: 'read', path: link }] : [];
  try {
    const own = real(resolve(dirname(link), /^gitdir: (.*)$/m.exec(text(link))?.[1]?.trim() ?? '\0'));
    const back = real(resolve(own, text(join(own, 'gitdir')).trim()));
    const whole = real(resolve(own, text(join(own, 'commondir')).trim()));
    if (back !== real(link) || !contains(join(whole, 'worktrees'), own)) return itself;
    const facts = ['commondir', 'gitdir', 'config.worktree'].map((name) => join(own, name));
    return [
      ...itself,
      ...gitGuards(whole),
      { kind: 'write', path: own },
      ...facts.filter((path) => isPlain(lstat(path))).map((path) => ({ kind: 'read', path }) as const),
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

function text(path: string): string {
  return readFileSync(path, 'utf8');
}

function real(path: string): string {
  return realpathSync(path);
}
