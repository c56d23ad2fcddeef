// Finds the main work tree of a linked git work tree from git's files, without running git.
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readUserFile } from './folderFile.ts';

/** In bytes. Both files hold one path. */
const longest = 10_000;

/** A linked work tree has a file `.git` that names its part of the repository, which names the whole. */
export function mainTree(root: string): string {
  try {
    const link = join(root, '.git');
    if (!statSync(link).isFile()) return root;
    const own = resolve(root, /^gitdir: (.*)$/m.exec(readUserFile(link, longest))?.[1]?.trim() ?? '');
    const whole = resolve(own, readUserFile(join(own, 'commondir'), longest).trim());
    return basename(whole) === '.git' ? dirname(whole) : root;
  } catch {
    return root;
  }
}
