// Moves a file or directory without overwriting anything. Holds both directories open, so that links
// cannot redirect the move.
import { link, lstat, open, rename, unlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import type { FileProblem } from '../../host/ports.ts';
import { permissionBits } from '../../host/workspace/workspaceSnapshots.ts';
import { fileProblem, isFileProblem } from './fileProblem.ts';
import { holdDirectory, makeDirectory } from './fileText.ts';
import { readOnly } from './readOnly.ts';

export async function movePath(from: string, to: string): Promise<FileProblem | undefined> {
  const target = await makeDirectory(dirname(to));
  if (isFileProblem(target)) return target;
  const source = await holdDirectory(dirname(from));
  try {
    return isFileProblem(source)
      ? source
      : await moveWithin(
          { from: join(source.at, basename(from)), to: join(target.at, basename(to)) },
          { from, to },
        );
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return taken(to);
    return errorCode(error) === 'EINVAL' ? inside(from, to) : fileProblem(error, from);
  } finally {
    await target.close();
    if (!isFileProblem(source)) await source.close();
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
    await copyOrdinary({ from, to });
  }
  await unlink(from);
}

/** Copies a regular file. A link or pipe that has taken its place meanwhile is not followed or waited for. */
async function copyOrdinary({ from, to }: Ends): Promise<void> {
  const source = await open(from, readOnly);
  try {
    const found = await source.stat();
    if (!found.isFile()) throw new Error(`${basename(from)} is no longer a regular file.`);
    const mode = found.mode & permissionBits;
    const target = await open(to, 'wx', mode);
    try {
      // Some network shares do not let permissions be set.
      await target.chmod(mode).catch(unlessNotPossible);
      await writeFile(target, source.createReadStream({ autoClose: false }));
    } catch (error) {
      await unlink(to);
      throw error;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function unlessNotPossible(error: unknown): void {
  if (errorCode(error) !== 'EPERM') throw error;
}

function taken(path: string): FileProblem {
  return { problem: 'stale', message: `${path} already exists.` };
}

function inside(from: string, to: string): FileProblem {
  return { problem: 'not-a-directory', message: `${from} cannot be moved to ${to}, which is inside it.` };
}
