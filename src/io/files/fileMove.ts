// Moves a file or directory without overwriting anything. Holds both directories open, so that links
// cannot redirect the move.
import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import type { FileProblem } from '../../host/ports.ts';
import { fileProblem, isFileProblem } from './fileProblem.ts';
import { holdDirectory } from './fileText.ts';

export async function movePath(from: string, to: string): Promise<FileProblem | undefined> {
  try {
    await mkdir(dirname(to), { recursive: true });
  } catch (error) {
    return fileProblem(error, dirname(to));
  }
  const source = await holdDirectory(dirname(from));
  if (isFileProblem(source)) return source;
  const target = await holdDirectory(dirname(to));
  try {
    return isFileProblem(target)
      ? target
      : await moveWithin(
          { from: join(source.at, basename(from)), to: join(target.at, basename(to)) },
          { from, to },
        );
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return taken(to);
    return errorCode(error) === 'EINVAL' ? inside(from, to) : fileProblem(error, from);
  } finally {
    await source.close();
    if (!isFileProblem(target)) await target.close();
  }
}

interface Ends {
  readonly from: string;
  readonly to: string;
}

async function moveWithin(held: Ends, named: Ends): Promise<FileProblem | undefined> {
  const found = await lstat(held.from);
  if (await lstat(held.to).catch(() => undefined)) return taken(named.to);
  if (found.isDirectory()) await rename(held.from, held.to);
  else if (found.isFile()) await moveOrdinary(held);
  else
    return {
      problem: 'not-a-file',
      message: `${named.from} is a link or a special file; only files and directories are moved.`,
    };
  return undefined;
}

/** A hard link never overwrites the target, unlike a rename. */
async function moveOrdinary({ from, to }: Ends): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    // Another disk, or a file system without hard links.
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
  await unlink(from);
}

function taken(path: string): FileProblem {
  return { problem: 'stale', message: `${path} already exists.` };
}

function inside(from: string, to: string): FileProblem {
  return { problem: 'not-a-directory', message: `${from} cannot be moved to ${to}, which is inside it.` };
}
