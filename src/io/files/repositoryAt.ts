// Finds the repository that git would use in a directory, without starting git.
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import { wordSet } from '../../host/policy/commandLine.ts';
import { unknownRepository } from '../../host/policy/safeGit.ts';
import type { Repository } from '../../host/policy/safeGit.ts';
import { gitSettings } from '../git/gitSettings.ts';
import type { GitSetting } from '../git/gitSettings.ts';
import { hasLinksOut } from '../git/gitLinks.ts';
import { namedRepositories, nestedRepositories } from '../git/nestedRepositories.ts';
import { canonical } from './canonical.ts';
import { readUserFile } from './folderFile.ts';

/** One for each directory. Many may lie in the same repository, which is read once. */
export async function repositoriesAt(
  directories: readonly string[],
): Promise<ReadonlyMap<string, Repository | undefined>> {
  const known: KnownRepositories = new Map();
  const found = new Map<string, Repository | undefined>();
  for (const directory of directories) found.set(directory, await repositoryAt(directory, known));
  return found;
}

/** Repositories that were read, by their folders. */
type KnownRepositories = Map<string, Promise<Repository>>;

/** The first one on the way up. A folder counts as a bare repository as soon as it might be one. */
export async function repositoryAt(
  directory: string,
  known: KnownRepositories = new Map(),
): Promise<Repository | undefined> {
  try {
    for (let folder = directory; ; folder = dirname(folder)) {
      if (hasOtherStore(folder)) return { folder, ...unknownRepository };
      if (exists(join(folder, '.git'))) {
        const repository = known.get(folder) ?? ordinaryRepository(folder);
        known.set(folder, repository);
        return await repository;
      }
      if (exists(join(folder, 'HEAD'))) return { folder, ...unknownRepository };
      if (dirname(folder) === folder) return undefined;
    }
  } catch {
    // What we cannot look at may be anything.
    return { folder: directory, ...unknownRepository };
  }
}

async function ordinaryRepository(folder: string): Promise<Repository> {
  return { folder, bare: false, ...(await effectsOf(folder)) };
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
export async function insideStartsPrograms(folder: string): Promise<boolean> {
  try {
    return (await effectsOf(folder, 1)).startsPrograms;
  } catch {
    return true;
  }
}

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
async function effectsOf(
  folder: string,
  depth = 0,
): Promise<Pick<Repository, 'startsPrograms' | 'hasLocalRemote'>> {
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
    (await keptRepositoryStartsProgram(join(common, 'modules'))) ||
    (await keptRepositoryStartsProgram(join(git, 'modules'))) ||
    isLeftWithPrograms(git) ||
    hasLinksOut([common, git])
  )
    return { startsPrograms: true, hasLocalRemote };
  const isOther = all.some(({ key, value }) => key === 'objectformat' && value.toLowerCase() !== 'sha1');
  const inside = isOther ? undefined : await nestedRepositories(folder, git);
  if (!inside || depth > deepest) return { startsPrograms: true, hasLocalRemote };
  for (const nested of inside) {
    const { startsPrograms } = await effectsOf(nested, depth + 1);
    if (startsPrograms) return { startsPrograms, hasLocalRemote };
  }
  return { startsPrograms: false, hasLocalRemote };
}

/** Undefined if git would refuse one of the files. */
function settingsOf(...paths: readonly string[]): readonly GitSetting[] | undefined {
  const settings = paths.filter(exists).map((path) => gitSettings(read(path)));
  return settings.includes(undefined) ? undefined : settings.flatMap((some) => some ?? []);
}

/** Whether the kept repository of a submodule does it: git checks it out anew, with its settings. */
async function keptRepositoryStartsProgram(folder: string): Promise<boolean> {
  if (!exists(folder)) return false;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() ? await keptStartsProgram(join(folder, entry.name)) : entry.isSymbolicLink())
      return true;
  }
  return false;
}

async function keptStartsProgram(folder: string): Promise<boolean> {
  // A name with slashes has folders of its own.
  if (!exists(join(folder, 'HEAD'))) return keptRepositoryStartsProgram(folder);
  const settings = settingsOf(join(folder, 'config'), join(folder, 'config.worktree'));
  // Git sets the folder itself.
  const starts = settings?.some((each) => startsProgram(each) && each.key !== 'worktree') ?? true;
  // Git never makes the file, which leads to other settings.
  if (starts || exists(join(folder, 'commondir')) || hasLinksOut([folder])) return true;
  return !(await namedRepositories(folder)) || keptRepositoryStartsProgram(join(folder, 'modules'));
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
