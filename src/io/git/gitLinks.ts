// Finds links in a git directory that lead out of it. An archive can have them, and git writes through them:
// the message of a commit, or a line of a log.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { contains } from '../../base/paths.ts';
import { canonical } from '../files/canonical.ts';

/**
 * Whether there is one that git writes through. Links between the given directories lead nowhere else. The
 * kept repositories of submodules are not looked at.
 */
export function hasLinksOut(directories: readonly string[]): boolean {
  const inside = directories.map(canonical);
  const leadsOut = (folder: string, below = ''): boolean =>
    readdirSync(folder, { withFileTypes: true }).some((entry) => {
      const [path, name] = [join(folder, entry.name), `${below}${entry.name}`];
      if (isOnlyRead.test(name)) return false;
      if (entry.isSymbolicLink()) return !inside.some((directory) => contains(directory, canonical(path)));
      return entry.isDirectory() && !isOther.test(name) && leadsOut(path, `${name}/`);
    });
  return directories.some((directory) => leadsOut(directory));
}

/** Git reads these, and others keep their links here. A branch may have such a name, further below. */
const isOnlyRead = /^(?:hooks|info\/(?:exclude|attributes))$/;

/** Whoever writes objects makes a new file for each one, and takes none that is there. */
const isOther = /^(?:objects\/[0-9a-f]{2}|lfs|annex|modules)$/;
