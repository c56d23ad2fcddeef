// Finds the repositories inside a work tree that git enters by itself: those whose commit its index names.
// Reads the index without starting git, because git would run what such a repository configures.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFolderBytes } from '../files/folderFile.ts';
import { repositoriesInIndex } from './gitIndex.ts';

/** Their folders, given a work tree and its git directory. Undefined if the index cannot tell. */
export function nestedRepositories(folder: string, git: string): readonly string[] | undefined {
  const found = namedRepositories(git)?.filter((name) => isRepository(folder, name));
  if (!found) return undefined;
  const texts = found.map((name) => name.toString());
  const isText = found.every((name, at) => Buffer.from(texts[at] ?? '').equals(name));
  return isText ? texts.map((name) => join(folder, name)) : undefined;
}

/** The names in the index of a git directory, and in those that it refers to. Undefined if it cannot tell. */
export function namedRepositories(git: string): readonly Buffer[] | undefined {
  const shared = readdirSync(git).filter((name) => name.startsWith('sharedindex.'));
  const names = ['index', ...shared].map((name) => namesIn(join(git, name)));
  return names.includes(undefined) ? undefined : names.flatMap((some) => some ?? []);
}

/** Names are bytes, which need not be text. */
function isRepository(folder: string, name: Buffer): boolean {
  const path = Buffer.concat([Buffer.from(`${folder}/`), name, Buffer.from('/.git')]);
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** In bytes; more than a million files. */
export const longestIndex = 256_000_000;

/** Says that folders with all that is in them are one entry. */
const wholeFolders = Buffer.from('sdir\0\0\0\0');

function namesIn(path: string): readonly Buffer[] | undefined {
  const index = read(path);
  if (index === 'missing') return [];
  return !index || index.includes(wholeFolders) ? undefined : repositoriesInIndex(index);
}

/** Only a regular file, opened without waiting for anybody. */
function read(path: string): Buffer | 'missing' | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return 'missing';
  const file = found.isFile() ? readFolderBytes(path, { largest: longestIndex }) : undefined;
  return file && 'bytes' in file ? file.bytes : undefined;
}
