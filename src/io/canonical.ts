// Follows a path as the operating system would, link by link, also where its end does not exist yet.
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { isAbsolute, parse, resolve, sep } from 'node:path';

/** More links than this in a row is a loop; such a path leads nowhere. */
const linkLimit = 40;

/** No file can be called so, and no folder holds it. */
const nowhere = '\0';

/** The real path. The dots behind a link lead out of where the link leads, not back to where it lies. */
export function canonical(path: string): string {
  if (path.includes('\0')) return nowhere;
  try {
    // The common case, in one call to the operating system.
    if (!path.includes('..')) return realpathSync.native(path);
  } catch {
    // Something on the way is missing.
  }
  const { root } = parse(resolve(path));
  return walk(root, namesOf(isAbsolute(path) ? path.slice(parse(path).root.length) : resolve(path).slice(root.length)), 0);
}

function walk(from: string, names: readonly string[], links: number): string {
  let at = from;
  for (const [index, name] of names.entries()) {
    const next = name === '..' ? resolve(at, '..') : join(at, name);
    const target = name === '..' ? undefined : linkAt(next);
    if (target !== undefined) {
      if (links >= linkLimit) return nowhere;
      const start = isAbsolute(target) ? parse(target).root : at;
      return walk(start, [...namesOf(isAbsolute(target) ? target.slice(start.length) : target), ...names.slice(index + 1)], links + 1);
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

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
