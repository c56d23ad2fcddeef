// Looks for repositories in a work tree whose configuration starts programs, also where no index names them.
import { constants } from 'node:fs';
import type { Dirent } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../base/errorText.ts';
import { insideStartsPrograms } from '../files/repositoryAt.ts';

/** Whether one of them does; true if there are too many folders, or one that cannot be listed. */
export async function startsProgramsBelow(folder: string, signal: AbortSignal): Promise<boolean> {
  const waiting = [folder];
  let count = 0;
  while (waiting.length > 0) {
    const some = waiting.splice(-atOnce);
    count += some.length;
    if (count > mostFolders || signal.aborted) return true;
    const lists = await Promise.all(some.map(listed));
    for (const [at, list] of lists.entries()) {
      const place = some[at] ?? folder;
      if (!list || (place !== folder && list.some(isGit) && (await insideStartsPrograms(place)))) return true;
      // Git does not follow links.
      const inside = list.filter((entry) => entry.isDirectory() && !isGit(entry));
      // A name that is not text leads nowhere.
      if (inside.some(({ name }) => name.includes('\uFFFD'))) return true;
      for (const { name } of inside) waiting.push(join(place, name));
    }
  }
  return false;
}

const mostFolders = 100_000;
const atOnce = 16;

function isGit({ name }: Dirent): boolean {
  return name.toLowerCase() === '.git';
}

/** Undefined if git may know more of the folder than we do. */
async function listed(folder: string): Promise<readonly Dirent[] | undefined> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const isGone = ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
    return isGone || !(await isOpen(folder)) ? [] : undefined;
  }
}

/** Whether files in it can be opened, though nobody may list them. */
async function isOpen(folder: string): Promise<boolean> {
  return access(folder, constants.X_OK).then(
    () => true,
    () => false,
  );
}
