// Follows a path as the operating system would, link by link, also where its end does not exist yet.
import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, parse, resolve, sep } from 'node:path';
import { errorCode } from '../../base/errorText.ts';

/** More links than this in a row is a loop; such a path leads nowhere. */
const linkLimit = 40;

/** No file can be called so, and no folder holds it. */
export const impossiblePath = '\0';

/** The real path. `..` after a link refers to the target of the link, not to the link's own folder. */
export function canonical(path: string): string {
  if (path.includes('\0')) return impossiblePath;
  try {
    // The common case, in one call to the operating system.
    if (!path.includes('..')) return realpathSync.native(path);
  } catch {
    // Something on the way is missing.
  }
  const { root } = parse(resolve(path));
  return walk(
    root,
    namesOf(isAbsolute(path) ? path.slice(parse(path).root.length) : resolve(path).slice(root.length)),
    0,
  );
}

/** Whether there is such a file. What cannot be looked at counts as one, but nothing is below a file. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch (error) {
    return !path.includes('\0') && errorCode(error) !== 'ENOTDIR';
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

function walk(from: string, names: readonly string[], links: number): string {
  let at = from;
  for (const [index, name] of names.entries()) {
    const next = name === '..' ? resolve(at, '..') : join(at, name);
    const found = name === '..' ? 'something' : lookAt(next);
    // Nothing exists below a missing path, and a hostile path may be very long.
    if (found === 'nothing') return resolve(next, ...names.slice(index + 1));
    if (found !== 'something') {
      if (links >= linkLimit) return impossiblePath;
      const start = isAbsolute(found.link) ? parse(found.link).root : at;
      return walk(
        start,
        [
          ...namesOf(isAbsolute(found.link) ? found.link.slice(start.length) : found.link),
          ...names.slice(index + 1),
        ],
        links + 1,
      );
    }
    at = next;
  }
  return at;
}

function namesOf(path: string): readonly string[] {
  return path.split(sep === '\\' ? /[/\\]/ : '/').filter((name) => name !== '' && name !== '.');
}

function join(at: string, name: string): string {
  return at.endsWith(sep) ? at + name : at + sep + name;
}

function lookAt(path: string): 'nothing' | 'something' | { readonly link: string } {
  try {
    return lstatSync(path).isSymbolicLink() ? { link: readlinkSync(path) } : 'something';
  } catch {
    return 'nothing';
  }
}
