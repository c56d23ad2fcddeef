// Whether a path is a symbolic link, or a folder with one below it.
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../base/errorText.ts';

/** More names than these are not looked at. */
const mostNames = 5_000;

/** True where that cannot be found out: in a very large folder, and in one that cannot be read. */
export function holdsLinks(path: string): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isSymbolicLink() === true || (found?.isDirectory() === true && isLinkBelow(path));
  } catch (error) {
    return errorCode(error) !== 'ENOTDIR';
  }
}

function isLinkBelow(folder: string): boolean {
  const folders = [folder];
  let names = 0;
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = readdirSync(next, { withFileTypes: true });
    names += entries.length;
    if (names > mostNames || entries.some((entry) => entry.isSymbolicLink())) return true;
    for (const entry of entries) if (entry.isDirectory()) folders.push(join(next, entry.name));
  }
  return false;
}
