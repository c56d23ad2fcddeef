// Finds the main work tree of a linked git work tree from git's files, without running git.
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A linked work tree has a file `.git` that names its part of the repository, which names the whole. */
export function mainTree(root: string): string {
  try {
    const link = join(root, '.git');
    if (!statSync(link).isFile()) return root;
    const own = resolve(root, /^gitdir: (.*)$/m.exec(readFileSync(link, 'utf8'))?.[1]?.trim() ?? '');
    const whole = resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim());
    return basename(whole) === '.git' ? dirname(whole) : root;
  } catch {
    return root;
  }
}
