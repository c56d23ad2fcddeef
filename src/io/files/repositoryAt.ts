// Finds the repository that git would use in a directory, without starting git.
import { lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Repository } from '../../host/policy/safeGit.ts';
import { nestedRepositories } from '../git/nestedRepositories.ts';
import { readUserFile } from './folderFile.ts';

/** The first one on the way up. A folder counts as a bare repository as soon as it might be one. */
export function repositoryAt(directory: string): Repository | undefined {
  try {
    for (let folder = directory; ; folder = dirname(folder)) {
      if (exists(join(folder, '.git')))
        return { folder, bare: false, startsPrograms: startsPrograms(folder) };
      if (exists(join(folder, 'HEAD'))) return { folder, bare: true, startsPrograms: true };
      if (dirname(folder) === folder) return undefined;
    }
  } catch {
    // What we cannot look at may be anything.
    return { folder: directory, bare: true, startsPrograms: true };
  }
}

const keys = [
  ...[
    'external',
    'command',
    'cmd',
    'textconv',
    'driver',
    'clean',
    'smudge',
    'process',
    'program',
    'sshCommand',
    'gitProxy',
  ],
  ...['packObjectsHook', 'askPass', 'helper', 'path', 'worktree', 'vcs', 'uploadpack', 'receivepack'],
];

/** Keys whose values are programs or lead to more settings, and aliases that are command lines. */
const programKey = new RegExp(String.raw`(?:^|[\s\]])(?:${keys.join('|')})\s*=|=\s*"?!`, 'im');

/** Also if a repository inside does it, which git enters by itself. */
function startsPrograms(folder: string, depth = 0): boolean {
  const git = gitDirectory(folder);
  const common = resolve(git, exists(join(git, 'commondir')) ? read(join(git, 'commondir')).trim() : '.');
  const configs = [join(common, 'config'), join(common, 'config.worktree'), join(git, 'config.worktree')];
  const texts = configs.filter(exists).map(read);
  // A repository inside another one usually names its own folder.
  const own = depth > 0 ? texts.map((text) => withoutWorkTree(text, { git, folder })) : texts;
  if (own.some((text) => programKey.test(text))) return true;
  const inside = texts.some((text) => /sha256/i.test(text)) ? undefined : nestedRepositories(folder, git);
  if (!inside || depth > deepest) return true;
  return inside.some((nested) => startsPrograms(nested, depth + 1));
}

/** Repositories inside repositories are not followed further. */
const deepest = 5;

function withoutWorkTree(
  text: string,
  { git, folder }: { readonly git: string; readonly folder: string },
): string {
  return text.replace(/^[ \t]*worktree[ \t]*=[ \t]*(\S+)[ \t]*$/im, (line, path: string) =>
    resolve(git, path) === resolve(folder) ? '' : line,
  );
}

/** A linked work tree has a file in place of the directory, and the file says where that is. */
function gitDirectory(folder: string): string {
  const git = join(folder, '.git');
  return lstatSync(git).isDirectory() ? git : resolve(folder, /^gitdir: (.*)$/m.exec(read(git))?.[1] ?? '\0');
}

/** No file that git keeps for itself here is larger. */
const longest = 1_000_000;

function read(path: string): string {
  if (!lstatSync(path).isFile()) throw new Error(`${path} is not a regular file.`);
  return readUserFile(path, longest);
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
