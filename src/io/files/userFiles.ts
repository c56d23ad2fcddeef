// Files that the user names, such as the target of an export. Existing files are never overwritten.
import { errorCode, errorText } from '../../base/errorText.ts';
import { present } from '../../base/present.ts';
import { constants } from 'node:fs';
import { mkdir, open, readdir, stat, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { checkedOutBranch } from '../git/checkedOutBranch.ts';

export interface NamedFile {
  readonly name: string;
  readonly text: string;
}

/** Larger files are not what a user means. */
const limit = 64 * 1024 * 1024;

export async function readNamed(
  path: string,
  roots: readonly string[],
): Promise<{ readonly path: string; readonly text: string } | { readonly refused: string }> {
  const file = placeOf(path, roots);
  try {
    const opened = await openNamed(file, limit);
    if ('refused' in opened) return opened;
    return { path: file, text: (await contentOf(opened)).toString('utf8') };
  } catch (error) {
    return { refused: `${file} cannot be read: ${reasonOf(error)}` };
  }
}

/** The lines of a file, read piece by piece. Iterating throws if it cannot be read to its end. */
export async function linesOfNamed(
  path: string,
  roots: readonly string[],
): Promise<{ readonly path: string; readonly lines: AsyncIterable<string> } | { readonly refused: string }> {
  const file = placeOf(path, roots);
  try {
    const opened = await openNamed(file, limit);
    if ('refused' in opened) return opened;
    return { path: file, lines: linesIn(opened.createReadStream({ encoding: 'utf8' })) };
  } catch (error) {
    return { refused: `${file} cannot be read: ${reasonOf(error)}` };
  }
}

/** Opens regular files only, and waits for nobody: a pipe may never have a writer, a device has no end. */
async function openNamed(file: string, largest: number): Promise<FileHandle | { readonly refused: string }> {
  const opened = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const found = await opened.stat();
  if (found.isFile() && found.size <= largest) return opened;
  await opened.close();
  return { refused: found.isFile() ? `${file} is too large.` : `${file} is not a regular file.` };
}

async function contentOf(opened: FileHandle): Promise<Buffer> {
  try {
    return await opened.readFile();
  } finally {
    await opened.close();
  }
}

/** Only line feeds end a line: JSON has other separators of Unicode in its texts. */
async function* linesIn(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const pictures: { readonly [ending: string]: string | undefined } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** No provider takes more. */
const largestPicture = 20 * 1024 * 1024;

export async function readImage(
  path: string,
): Promise<{ readonly mediaType: string; readonly base64: string } | undefined> {
  const mediaType = pictures[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''];
  if (mediaType === undefined) return undefined;
  try {
    const opened = await openNamed(path, largestPicture);
    if ('refused' in opened) return undefined;
    return { mediaType, base64: (await contentOf(opened)).toString('base64') };
  } catch {
    return undefined;
  }
}

/** A directory gets a file with the given name. */
export async function writeNamed(
  path: string,
  { name, text }: NamedFile,
  roots: readonly string[],
): Promise<{ readonly path: string } | { readonly refused: string }> {
  const wanted = placeOf(path, roots);
  const isDirectory = await stat(wanted).then(
    (found) => found.isDirectory(),
    () => path.endsWith('/'),
  );
  const file = isDirectory ? join(wanted, name) : wanted;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
    return { path: file };
  } catch (error) {
    const exists = errorCode(error) === 'EEXIST';
    return { refused: exists ? `${file} already exists.` : `${file} cannot be written: ${reasonOf(error)}` };
  }
}

/** The maximum number of folders in a listing. */
const mostFolders = 500;

/** The folders in a folder, without hidden ones; no name means the user's own. */
export async function listFolders(path: string): Promise<Folders | { readonly refused: string }> {
  const folder = placeOf(path === '' ? '~' : path, []);
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .toSorted((a, b) => a.localeCompare(b));
    return {
      folder,
      parent: dirname(folder),
      folders: names.slice(0, mostFolders).map((name) => ({ name, path: join(folder, name) })),
      ...present({ branch: checkedOutBranch(folder) }),
    };
  } catch (error) {
    return {
      refused: isMissing(error) ? noFolder(folder) : `${folder} cannot be listed: ${reasonOf(error)}`,
    };
  }
}

function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function noFolder(path: string): string {
  return `There is no folder ${path}.`;
}

export interface Folders {
  readonly folder: string;
  readonly parent: string;
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  /** The git branch that is checked out there. */
  readonly branch?: string;
}

function placeOf(path: string, roots: readonly string[]): string {
  if (path === '~' || path.startsWith('~/')) return join(homedir(), path.slice(1));
  return resolve(roots[0] ?? homedir(), path);
}

function reasonOf(error: unknown): string {
  return errorText(error, 'unknown cause.');
}
