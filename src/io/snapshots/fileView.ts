// Reads one file: its text, or a fingerprint if it is not text. Follows no link.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { permissionBits } from '../../host/workspace/workspaceSnapshots.ts';
import type { FileView } from '../../host/workspace/workspaceSnapshots.ts';
import { bytesOf, openedPath } from '../files/fileText.ts';
import type { Extent } from '../files/fileText.ts';
import { readOnly } from '../files/readOnly.ts';

/** The texts of larger files are not kept. */
export const largestText = 10_000_000;

export async function viewFile(path: string, limit = largestText): Promise<FileView | null> {
  const found = await fileAt(path);
  // If a link has replaced a folder on the way, the file is gone: the path now leads to another file.
  if (!found || (await realpath(dirname(path)).catch(() => undefined)) !== dirname(path)) return null;
  const view = await viewOf(path, found, limit);
  // It may have gone while it was read.
  return view.why === unreadableFile && !(await lstat(path).catch(() => undefined)) ? null : view;
}

/** A folder in the place of a file is no file, unless it has a repository of its own. */
export async function fileAt(path: string): Promise<Stats | undefined> {
  const found = await lstat(path).catch(() => undefined);
  const isPlainFolder = found?.isDirectory() && !(await lstat(join(path, '.git')).catch(() => undefined));
  return isPlainFolder ? undefined : found;
}

const unreadableFile = 'it cannot be read.';

/** Differs if the file has changed, unless it changed again at the same time. */
export function markOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mode, mtimeMs, ctimeMs].join(' ');
}

export async function viewOf(path: string, found: Stats, limit: number): Promise<FileView> {
  if (found.isSymbolicLink()) return linkView(await readlink(path).catch(() => ''));
  if (found.isDirectory()) return unreadable('it is a folder with a repository of its own.', 'folder');
  const mode = found.mode & permissionBits;
  if (!found.isFile()) return { ...unreadable('it is not a regular file.', markOf(found)), mode };
  if (found.size > limit)
    return { ...unreadable(`it is larger than ${limit / 1_000_000} MB.`, markOf(found)), mode };
  try {
    return { ...textView(await bytesAt(path, { size: found.size, limit })), mode };
  } catch {
    return { ...unreadable(unreadableFile, markOf(found)), mode };
  }
}

/**
 * Throws if the file turns out to lie elsewhere, or to be larger. One that somebody has just replaced is
 * still this one.
 */
async function bytesAt(path: string, extent: Extent): Promise<Buffer> {
  const file = await open(path, readOnly);
  try {
    const place = await openedPath(file, path);
    if (place !== path && place !== `${path} (deleted)`) throw new Error(`${path} lies behind a link.`);
    const bytes = await bytesOf(file, path, extent);
    if ('problem' in bytes) throw new Error(bytes.message);
    return bytes;
  } finally {
    await file.close();
  }
}

export function textView(bytes: Buffer): FileView {
  if (isUtf8(bytes) && !bytes.includes(0)) return { text: bytes.toString('utf8') };
  return unreadable('it is not UTF-8 text.', createHash('sha256').update(bytes).digest('hex'));
}

export function linkView(target: string): FileView {
  return unreadable('it is a link.', `to ${target}`);
}

export function unreadable(why: string, print: string): FileView {
  return { text: undefined, why, print };
}
