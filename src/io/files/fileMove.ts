// Gives a file or a directory another place, never over something that is there. Works on the very directories that were looked at.
import { constants } from 'node:fs';
import { copyFile, link, lstat, mkdir, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileProblem } from '../../host/ports.ts';
import { fileProblem, isProblem } from './fileProblem.ts';
import { holdDirectory } from './fileText.ts';

export async function moveFile(from: string, to: string): Promise<FileProblem | undefined> {
  try {
    await mkdir(dirname(to), { recursive: true });
  } catch (error) {
    return fileProblem(error, dirname(to));
  }
  const source = await holdDirectory(dirname(from));
  if (isProblem(source)) return source;
  const target = await holdDirectory(dirname(to));
  try {
    return isProblem(target)
      ? target
      : await moveWithin(
          { from: join(source.at, basename(from)), to: join(target.at, basename(to)) },
          { from, to },
        );
  } catch (error) {
    if (code(error) === 'EEXIST') return taken(to);
    return code(error) === 'EINVAL' ? inside(from, to) : fileProblem(error, from);
  } finally {
    await source.close();
    if (!isProblem(target)) await target.close();
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
      message: `${named.from} is a link or something special; only files and directories are moved.`,
    };
  return undefined;
}

/** A second name is never given over a first one, which a rename would do. */
async function moveOrdinary({ from, to }: Ends): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (code(error) === 'EEXIST') throw error;
    // Another disk, or a file system that knows no second name for a file.
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
  await unlink(from);
}

function taken(path: string): FileProblem {
  return { problem: 'stale', message: `There is something at ${path} already.` };
}

function inside(from: string, to: string): FileProblem {
  return { problem: 'not-a-directory', message: `${from} cannot be moved to ${to}, which is inside of it.` };
}

function code(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
