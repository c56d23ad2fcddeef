// Finds the repositories inside a work tree that git enters by itself: those whose commit its index names.
// Reads the index without starting git, because git would run what such a repository configures.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readFolderBytes } from '../files/folderFile.ts';

/** Their folders, given a work tree and its git directory. Undefined if the index cannot tell. */
export function nestedRepositories(folder: string, git: string): readonly string[] | undefined {
  const shared = readdirSync(git).filter((name) => name.startsWith('sharedindex.'));
  const names = ['index', ...shared].map((name) => namesIn(join(git, name)));
  if (names.includes(undefined)) return undefined;
  const found = names.flatMap((some) => some ?? []).filter((name) => isRepository(folder, name));
  const texts = found.map((name) => name.toString());
  const isText = found.every((name, at) => Buffer.from(texts[at] ?? '').equals(name));
  return isText ? texts.map((name) => join(folder, name)) : undefined;
}

/** Names are bytes, which need not be text. */
function isRepository(folder: string, name: Buffer): boolean {
  const path = Buffer.concat([Buffer.from(`${folder}/`), name, Buffer.from('/.git')]);
  return name.length > 0 && lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** In bytes; more than a million files. */
export const longestIndex = 256_000_000;

/** The mode of an entry that is a repository. */
const repositoryMode = Buffer.from([0x00, 0x00, 0xe0, 0x00]);
/** From the mode to the flags, and to the name: owner, group, size, and an id of 20 bytes lie between. */
const flagsAfter = 36;
const nameAfter = 38;
const extended = 0x4000;

/** Says that folders with all that is in them are one entry. */
const wholeFolders = Buffer.from('sdir\0\0\0\0');

function namesIn(path: string): readonly Buffer[] | undefined {
  const index = read(path);
  if (index === 'missing') return [];
  if (!index || index.includes(wholeFolders)) return undefined;
  const first = index.indexOf(repositoryMode);
  // The newest format shortens names.
  const isReadable = index.toString('latin1', 0, 4) === 'DIRC' && index.readUInt32BE(4) <= 3;
  if (!isReadable) return first < 0 ? [] : undefined;
  const names: Buffer[] = [];
  // The same bytes may mean something else, such as the size of a file; nothing has the name behind it then.
  for (let at = first; at >= 0 && at + nameAfter < index.length; at = index.indexOf(repositoryMode, at + 1)) {
    const start = at + nameAfter + (index.readUInt16BE(at + flagsAfter) & extended ? 2 : 0);
    const end = index.indexOf(0, start);
    if (end > start) names.push(index.subarray(start, end));
  }
  return names;
}

/** Only a regular file, opened without waiting for anybody. */
function read(path: string): Buffer | 'missing' | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return 'missing';
  const file = found.isFile() ? readFolderBytes(path, { largest: longestIndex }) : undefined;
  return file && 'bytes' in file ? file.bytes : undefined;
}
