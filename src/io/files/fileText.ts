// Reads and writes whole text files. Holds the directory open, so that a link cannot redirect
// the access meanwhile.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { Dirent } from 'node:fs';
import {
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rmdir,
  unlink,
} from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import type { FileProblem, Files } from '../../host/ports.ts';
import { permissionBits } from '../../host/workspace/workspaceSnapshots.ts';
import { fileProblem, isFileProblem } from './fileProblem.ts';
import { readOnly } from './readOnly.ts';

export async function readText(
  path: string,
  limit: number,
): Promise<{ readonly text: string } | FileProblem> {
  return withFile(path, path, (file, size) => textOf(file, path, { size, limit }));
}

export async function writeText(
  path: string,
  text: string,
  expected: string | null,
): Promise<FileProblem | undefined> {
  const held = await makeDirectory(dirname(path));
  if (isFileProblem(held)) return held;
  try {
    return await replace({ path, at: held.at, text, expected });
  } catch (error) {
    return fileProblem(error, path);
  } finally {
    await held.close();
  }
}

export async function readBytes(path: string, limit: number): Promise<Uint8Array | FileProblem> {
  return withFile(path, path, (file, size) => bytesOf(file, path, { size, limit }));
}

/** What lies between is read and forgotten; a line longer than this is no line of a text. */
const longestLine = 1_000_000;

export async function readLines(
  path: string,
  { skip, count, signal }: Parameters<Files['readLines']>[1],
): ReturnType<Files['readLines']> {
  return withFile(path, path, async (file) => {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const buffer = Buffer.allocUnsafe(256 * 1024);
    const lines: string[] = [];
    let [seen, begun] = [0, ''];
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
      if (signal.aborted) return { problem: 'failed', message: 'It was stopped.' };
      if (buffer.subarray(0, bytesRead).includes(0)) return notText(path);
      try {
        begun += decoder.decode(buffer.subarray(0, bytesRead), { stream: bytesRead > 0 });
      } catch {
        return notText(path);
      }
      const ended = begun.split('\n');
      begun = ended.pop() ?? '';
      if (bytesRead === 0 && begun !== '') ended.push(begun);
      for (const line of ended) {
        if (seen >= skip + count) return { lines, more: true };
        if (seen >= skip) lines.push(line);
        seen += 1;
      }
      if (bytesRead === 0) return { lines, more: false };
      if (begun.length > longestLine)
        return { problem: 'not-text', message: `${path} has a line of more than ${longestLine} characters.` };
    }
  });
}

export function removeText(path: string, expected: string): Promise<FileProblem | undefined> {
  return inDirectoryOf(path, async (place) => (await differs(place, path, expected)) ?? unlink(place));
}

export async function removeEmptyFolder(path: string): Promise<FileProblem | undefined> {
  const folders = await emptyFolders(path);
  if (isFileProblem(folders)) return folders;
  for (const folder of folders) {
    const problem = await inDirectoryOf(folder, (place) => rmdir(place));
    if (problem) return problem;
  }
  return undefined;
}

/** A folder and all folders inside, the deepest first; a problem if one of them contains a file. */
async function emptyFolders(path: string): Promise<readonly string[] | FileProblem> {
  const entries = await entriesOf(path);
  if (isFileProblem(entries)) return entries;
  if (entries.some((entry) => !entry.isDirectory())) return isFolder(path);
  const found: string[] = [];
  for (const { name } of entries) {
    const below = await emptyFolders(join(path, name));
    if (isFileProblem(below)) return below;
    found.push(...below);
  }
  return [...found, path];
}

/** The entries of a directory. A link to a directory is not followed. */
export async function entriesOf(path: string): Promise<readonly Dirent[] | FileProblem> {
  const held = await holdDirectory(path);
  if (isFileProblem(held)) return held;
  try {
    return await readdir(held.at, { withFileTypes: true });
  } catch (error) {
    return fileProblem(error, path);
  } finally {
    await held.close();
  }
}

/** Acts on a path while its directory is held open. */
async function inDirectoryOf(
  path: string,
  act: (place: string) => Promise<FileProblem | undefined | void>,
): Promise<FileProblem | undefined> {
  const held = await holdDirectory(dirname(path));
  if (isFileProblem(held)) return held;
  try {
    return (await act(join(held.at, basename(path)))) ?? undefined;
  } catch (error) {
    return fileProblem(error, path);
  } finally {
    await held.close();
  }
}

export async function setMode(
  path: string,
  mode: number,
  expected?: number,
): Promise<FileProblem | undefined> {
  const problem = await withFile(path, path, async (file) => {
    const now = (await file.stat()).mode & permissionBits;
    if (expected !== undefined && now !== expected && now !== mode)
      return { problem: 'stale', message: `${path} has other permissions since.` } as const;
    await file.chmod(mode & permissionBits);
    return undefined;
  });
  return problem;
}

type HeldDirectory = { readonly at: string; close(): Promise<void> };

/** Holds a directory, and makes it where it is missing; no link on the way is followed. */
export async function makeDirectory(path: string): Promise<HeldDirectory | FileProblem> {
  const held = await holdDirectory(path);
  if (!isFileProblem(held) || held.problem !== 'not-found' || dirname(path) === path) return held;
  const above = await makeDirectory(dirname(path));
  if (isFileProblem(above)) return above;
  try {
    await mkdir(join(above.at, basename(path)));
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (errorCode(error) !== 'EEXIST') return fileProblem(error, path);
  } finally {
    await above.close();
  }
  return holdDirectory(path);
}

/** A directory that cannot be exchanged for another while it is held; `at` names it for as long. */
export async function holdDirectory(path: string): Promise<HeldDirectory | FileProblem> {
  try {
    if (process.platform === 'win32')
      return (await realpath(path)) === path ? { at: path, close: () => Promise.resolve() } : moved(path);
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    const found = await openedPath(handle, path).catch(() => undefined);
    if (found === path)
      return {
        at: process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path,
        close: () => handle.close(),
      };
    await handle.close();
    return moved(path);
  } catch (error) {
    return fileProblem(error, path);
  }
}

interface Replacement {
  readonly path: string;
  /** The held directory. */
  readonly at: string;
  readonly text: string;
  readonly expected: string | null;
}

async function replace({ path, at, text, expected }: Replacement): Promise<FileProblem | undefined> {
  const target = join(at, basename(path));
  const mode = await permissions(target);
  const stale = await differs(target, path, expected);
  if (stale) return stale;
  const draft = join(at, `.parley-${randomBytes(8).toString('hex')}`);
  try {
    await writeDraft(draft, text, mode);
    await (expected === null ? settle(draft, target) : rename(draft, target));
    return undefined;
  } catch (error) {
    await unlink(draft).catch(() => {});
    return errorCode(error) === 'EEXIST' ? staleProblem(path) : fileProblem(error, path);
  }
}

async function writeDraft(draft: string, text: string, mode: number | undefined): Promise<void> {
  const file = await open(draft, 'wx', 0o666);
  try {
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Creates a file without overwriting one that another process created first. */
async function settle(draft: string, target: string): Promise<void> {
  try {
    await link(draft, target);
  } catch (error) {
    // Some file systems know no second name for a file.
    if (errorCode(error) === 'EEXIST') throw error;
    return rename(draft, target);
  }
  await unlink(draft);
}

async function permissions(target: string): Promise<number | undefined> {
  const found = await lstat(target).catch(() => undefined);
  return found && found.mode & 0o777;
}

/** The reason why the current file cannot be overwritten, or undefined. */
async function differs(
  target: string,
  path: string,
  expected: string | null,
): Promise<FileProblem | undefined> {
  const limit = expected === null ? 0 : Buffer.byteLength(expected);
  const found = await withFile(target, path, (file, size) => textOf(file, path, { size, limit }));
  if (!isFileProblem(found)) return found.text === expected ? undefined : staleProblem(path);
  if (found.problem === 'not-found') return expected === null ? undefined : staleProblem(path);
  return found.problem === 'too-large' || found.problem === 'not-text' ? staleProblem(path) : found;
}

/**
 * Opens a regular file without following links and without waiting for a pipe; `path` is where
 * it must turn out to be.
 */
async function withFile<T>(
  name: string,
  path: string,
  use: (file: FileHandle, size: number) => Promise<T | FileProblem>,
): Promise<T | FileProblem> {
  let file: FileHandle | undefined;
  try {
    const found = await lstat(name);
    if (found.isSymbolicLink()) return moved(path);
    if (!found.isFile())
      return found.isDirectory()
        ? isFolder(path)
        : { problem: 'not-a-file', message: `${path} is a special file, not a file.` };
    file = await open(name, readOnly);
    const [opened, place] = await Promise.all([file.stat(), openedPath(file, name)]);
    if (!opened.isFile() || place !== path) return moved(path);
    return await use(file, opened.size);
  } catch (error) {
    return fileProblem(error, path);
  } finally {
    await file?.close();
  }
}

export interface Extent {
  /** When it was opened. */
  readonly size: number;
  readonly limit: number;
}

async function textOf(
  file: FileHandle,
  path: string,
  extent: Extent,
): Promise<{ readonly text: string } | FileProblem> {
  const bytes = await bytesOf(file, path, extent);
  if ('problem' in bytes) return bytes;
  if (bytes.includes(0)) return notText(path);
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return notText(path);
  }
}

export async function bytesOf(
  file: FileHandle,
  path: string,
  { size, limit }: Extent,
): Promise<Buffer | FileProblem> {
  const buffer = Buffer.allocUnsafe(Math.min(limit, size) + 1);
  const parts: Buffer[] = [];
  for (let got = 0; ;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    got += bytesRead;
    if (got > limit) return { problem: 'too-large', message: `${path} is larger than ${limit} bytes.` };
    parts.push(Buffer.from(buffer.subarray(0, bytesRead)));
    // There was room for one more byte than the file has.
    if (bytesRead === 0 || (got === size && bytesRead < buffer.length)) return Buffer.concat(parts);
  }
}

/**
 * Where an open file really is. Linux knows it of the open file itself; elsewhere the path
 * is resolved once more.
 */
export async function openedPath(handle: FileHandle, path: string): Promise<string> {
  return process.platform === 'linux' ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(path);
}

function isFolder(path: string): FileProblem {
  return { problem: 'not-a-file', message: `${path} is a directory, not a file.` };
}

function moved(path: string): FileProblem {
  return { problem: 'moved', message: `${path} now leads through a link.` };
}

function notText(path: string): FileProblem {
  return { problem: 'not-text', message: `${path} is not UTF-8 text.` };
}

function staleProblem(path: string): FileProblem {
  return { problem: 'stale', message: `${path} has changed since it was read; read it again.` };
}
