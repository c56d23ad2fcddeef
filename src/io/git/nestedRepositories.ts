// Finds the repositories inside a work tree that git enters by itself: those whose commit its index names.
// Reads the index without starting git, because git would run what such a repository configures.
import { lstatSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { readOnly } from '../files/readOnly.ts';
import { repositoriesInIndex } from './gitIndex.ts';

/** Their folders, given a work tree and its git directory. Undefined if the index cannot tell. */
export async function nestedRepositories(
  folder: string,
  git: string,
): Promise<readonly string[] | undefined> {
  const found = (await namedRepositories(git))?.filter((name) => isRepository(folder, name));
  if (!found) return undefined;
  const texts = found.map((name) => name.toString());
  const isText = found.every((name, at) => Buffer.from(texts[at] ?? '').equals(name));
  return isText ? texts.map((name) => join(folder, name)) : undefined;
}

/** The names in the index of a git directory, and in those that it refers to. Undefined if it cannot tell. */
export async function namedRepositories(git: string): Promise<readonly Buffer[] | undefined> {
  const shared = readdirSync(git).filter((name) => name.startsWith('sharedindex.'));
  const all: Buffer[] = [];
  for (const name of ['index', ...shared]) {
    const names = await namesIn(join(git, name));
    if (!names) return undefined;
    for (const each of names) all.push(each);
  }
  return all;
}

/** Names are bytes, which need not be text. */
function isRepository(folder: string, name: Buffer): boolean {
  const path = Buffer.concat([Buffer.from(`${folder}/`), name, Buffer.from('/.git')]);
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** In bytes; more than a million files. */
export const longestIndex = 256_000_000;

/** Only of a regular file, opened without waiting for anybody. */
async function namesIn(path: string): Promise<readonly Buffer[] | undefined> {
  // A device is not even opened.
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there) return [];
  if (!there.isFile()) return undefined;
  const file = await open(path, readOnly);
  try {
    const found = await file.stat();
    if (!found.isFile() || found.size > longestIndex) return undefined;
    const index = Buffer.allocUnsafe(found.size);
    const { bytesRead } = await file.read(index, 0, index.length, 0);
    return await repositoriesInIndex(index.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
