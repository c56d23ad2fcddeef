// Finds the repository that git would use in a directory, without starting git.
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Repository } from '../host/safeGit.ts';

/** The first one on the way up. A folder counts as a bare repository as soon as it might be one. */
export function repositoryAt(directory: string): Repository | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const git = join(folder, '.git');
    if (sizeOf(git) !== undefined)
      return { folder, bare: false, startsPrograms: configs(git).some(namesProgram) };
    if (sizeOf(join(folder, 'HEAD')) !== undefined) return { folder, bare: true, startsPrograms: true };
    if (dirname(folder) === folder) return undefined;
  }
}

const keys =
  `external command textconv driver clean smudge process program sshCommand gitProxy packObjectsHook askPass
  helper path worktree vcs uploadpack receivepack`.split(/\s+/);

/** Keys whose values are programs or lead to more settings, and aliases that are command lines. */
const programKey = new RegExp(String.raw`(?:^|[\s\]])(?:${keys.join('|')})\s*=|=\s*"?!`, 'im');

/** No configuration that people keep is larger. */
const longest = 1_000_000;

function namesProgram(config: string): boolean {
  const size = sizeOf(config);
  return size !== undefined && (size > longest || programKey.test(readFileSync(config, 'utf8')));
}

/** A linked work tree has a file in place of the directory, and its settings lie elsewhere. */
function configs(git: string): readonly string[] {
  return lstatSync(git).isDirectory() ? [join(git, 'config'), join(git, 'config.worktree')] : [];
}

function sizeOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.size;
}
