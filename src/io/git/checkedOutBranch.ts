// Finds the branch that is checked out in a folder from git's files, without running git.
import { dirname, join, resolve } from 'node:path';
import { isFolderProblem, readFolderFile } from '../files/folderFile.ts';

/** The branch of the repository around a folder; undefined without one, and for a commit without a branch. */
export function checkedOutBranch(folder: string): string | undefined {
  const git = join(folder, '.git');
  const link = lineIn(git) ?? '';
  // In a linked worktree `.git` is a file that names the real directory.
  const [, linked] = /^gitdir: (.+)/.exec(link) ?? [];
  const directory = linked === undefined ? git : resolve(folder, linked);
  const head = lineIn(join(directory, 'HEAD'));
  if (head !== undefined) return /^ref: refs\/heads\/(.+)/.exec(head)?.[1];
  const parent = dirname(folder);
  return parent === folder ? undefined : checkedOutBranch(parent);
}

/** These files of git are as untrusted as the rest of the folder. */
function lineIn(file: string): string | undefined {
  const read = readFolderFile(file, { largest: 10_000 });
  return isFolderProblem(read) ? undefined : read.text;
}
