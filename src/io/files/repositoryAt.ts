// Finds the repository that git would use in a directory, without starting git.
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import { wordSet } from '../../host/policy/commandLine.ts';
import type { Repository } from '../../host/policy/safeGit.ts';
import { gitSettings } from '../git/gitSettings.ts';
import type { GitSetting } from '../git/gitSettings.ts';
import { hasLinksOut } from '../git/gitLinks.ts';
import { namedRepositories, nestedRepositories } from '../git/nestedRepositories.ts';
import { canonical } from './canonical.ts';
import { readUserFile } from './folderFile.ts';

/** The first one on the way up. A folder counts as a bare repository as soon as it might be one. */
export function repositoryAt(directory: string): Repository | undefined {
  try {
    for (let folder = directory; ; folder = dirname(folder)) {
      if (hasOtherStore(folder)) return { folder, ...unknown };
      if (exists(join(folder, '.git'))) return { folder, bare: false, ...effectsOf(folder) };
      if (exists(join(folder, 'HEAD'))) return { folder, ...unknown };
      if (dirname(folder) === folder) return undefined;
    }
  } catch {
    // What we cannot look at may be anything.
    return { folder: directory, ...unknown };
  }
}

/** Whether jj uses another repository than git does in this folder. Its settings name programs, too. */
function hasOtherStore(folder: string): boolean {
  const store = join(folder, '.jj/repo/store');
  const target = join(store, 'git_target');
  if (!exists(target)) return false;
  const path = read(target);
  return canonical(isAbsolute(path) ? path : `${store}/${path}`) !== canonical(join(folder, '.git'));
}

/** Whether a repository inside a work tree starts programs when git enters it. */
export function insideStartsPrograms(folder: string): boolean {
  try {
    return effectsOf(folder, 1).startsPrograms;
  } catch {
    return true;
  }
}

const unknown = { bare: true, startsPrograms: true, hasLocalRemote: true };

/** Keys whose values are programs or lead to more settings. */
const programKeys = wordSet(`
  external textconv driver clean smudge process difffilter gitproxy askpass helper path worktree vcs uploadpack
  receivepack instructionformat gitdir`);
/** Keys whose values are files that git writes. */
const writtenKeys = wordSet('cookiefile outputdirectory');
const programSuffix = /(?:command|cmd|program|hook)$/;

/**
 * An alias may also be a command of git that is not allowed by its own name. Git completes a strategy that is
 * a path to the path of a program.
 */
function startsProgram({ section, key, value }: GitSetting): boolean {
  const isPath = /^(?:twohead|octopus|mergeoptions)$/.test(key) && value.includes('/');
  return (
    section === 'alias' ||
    programKeys.has(key) ||
    writtenKeys.has(key) ||
    programSuffix.test(key) ||
    value.startsWith('!') ||
    isPath
  );
}

/** Whether it names a repository on this machine; its hooks run when something is pushed to it. */
function isLocalRemote({ section, subsection, key, value }: GitSetting): boolean {
  const address = section === 'url' ? subsection : value;
  if (section !== 'url' && key !== 'url' && key !== 'pushurl') return false;
  return /^file:/i.test(address) || !/^[^/]*:/.test(address);
}

/** What the settings lead to, also those of a repository inside, which git enters by itself. */
function effectsOf(folder: string, depth = 0): Pick<Repository, 'startsPrograms' | 'hasLocalRemote'> {
  const git = gitDirectory(folder);
  const common = resolve(git, exists(join(git, 'commondir')) ? readPath(join(git, 'commondir')) : '.');
  const all = settingsOf(
    join(common, 'config'),
    join(common, 'config.worktree'),
    join(git, 'config.worktree'),
  );
  if (!all) return { startsPrograms: true, hasLocalRemote: true };
  const hasLocalRemote = all.some(isLocalRemote);
  // A repository inside another one usually names its own folder.
  const isOwnFolder = ({ key, value }: GitSetting) =>
    depth > 0 && key === 'worktree' && resolve(git, value) === resolve(folder);
  if (
    all.some((setting) => startsProgram(setting) && !isOwnFolder(setting)) ||
    // A linked work tree keeps its own.
    [common, git].some((place) => keptRepositoryStartsProgram(join(place, 'modules'))) ||
    isLeftWithPrograms(git) ||
    hasLinksOut([common, git])
  )
    return { startsPrograms: true, hasLocalRemote };
  const isOther = all.some(({ key, value }) => key === 'objectformat' && value.toLowerCase() !== 'sha1');
  const inside = isOther ? undefined : nestedRepositories(folder, git);
  const startsPrograms =
    !inside || depth > deepest || inside.some((nested) => effectsOf(nested, depth + 1).startsPrograms);
  return { startsPrograms, hasLocalRemote };
}

/** Undefined if git would refuse one of the files. */
function settingsOf(...paths: readonly string[]): readonly GitSetting[] | undefined {
  const settings = paths.filter(exists).map((path) => gitSettings(read(path)));
  return settings.includes(undefined) ? undefined : settings.flatMap((some) => some ?? []);
}

/** Whether the kept repository of a submodule does it: git checks it out anew, with its settings. */
function keptRepositoryStartsProgram(folder: string): boolean {
  if (!exists(folder)) return false;
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const inside = join(folder, entry.name);
    if (!entry.isDirectory()) return entry.isSymbolicLink();
    // A name with slashes has folders of its own.
    if (!exists(join(inside, 'HEAD'))) return keptRepositoryStartsProgram(inside);
    const settings = settingsOf(join(inside, 'config'), join(inside, 'config.worktree'));
    // Git sets the folder itself.
    const starts = settings?.some((each) => startsProgram(each) && each.key !== 'worktree') ?? true;
    // Git never makes the first, which leads to other settings.
    const isOdd = exists(join(inside, 'commondir')) || !namedRepositories(inside) || hasLinksOut([inside]);
    return starts || isOdd || keptRepositoryStartsProgram(join(inside, 'modules'));
  });
}

/**
 * Whether what was not finished goes on with command lines, with a strategy that is a path (git runs the file
 * whose path it completes), or with a file outside the work tree, which git would copy.
 */
function isLeftWithPrograms(git: string): boolean {
  const left = (name: string) => (exists(join(git, name)) ? read(join(git, name)) : '');
  const strategies = left('rebase-merge/strategy') + left('sequencer/opts');
  return (
    /^[ \t]*(?:x|exec)\b/m.test(left('rebase-merge/git-rebase-todo')) ||
    strategies.includes('/') ||
    /[\t/]\.\.\/|\t\//.test(left('MERGE_RR'))
  );
}

/** Repositories inside repositories are not followed further. */
const deepest = 5;

/** A linked work tree has a file in place of the directory, and the file says where that is. */
function gitDirectory(folder: string): string {
  const git = join(folder, '.git');
  if (lstatSync(git).isDirectory()) return git;
  return resolve(folder, /^gitdir: ([^]+)$/.exec(readPath(git))?.[1] ?? '\0');
}

/** Only the line ends behind a path do not belong to it. */
function readPath(path: string): string {
  const text = read(path);
  if (text.includes('\uFFFD')) throw new Error(`${path} is not text.`);
  return text.replace(/[\r\n]+$/, '');
}

/** No file that git keeps for itself here is larger. */
const longest = 1_000_000;

function read(path: string): string {
  if (!lstatSync(path).isFile()) throw new Error(`${path} is not a regular file.`);
  return readUserFile(path, longest);
}

/** Nothing is below a file. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}
