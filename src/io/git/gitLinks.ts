// Finds links in a git directory that lead out of it. An archive can have them, and git writes through them:
// the message of a commit, or a line of a log.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { contains } from '../../base/paths.ts';
import { canonical } from '../files/canonical.ts';

/** Whether there is one that git writes through. Links between the given directories lead nowhere else. */
export function hasLinksOut(directories: readonly string[]): boolean {
  const inside = directories.map(canonical);
  const leadsOut = (folder: string): boolean =>
    readdirSync(folder, { withFileTypes: true }).some((entry) => {
      const path = join(folder, entry.name);
      if (onlyRead.test(path)) return false;
      if (entry.isSymbolicLink()) return !inside.some((directory) => contains(directory, canonical(path)));
      return entry.isDirectory() && !isObjects.test(path) && leadsOut(path);
    });
  return directories.some(leadsOut);
}

/** Git reads these, and others keep their links here. */
const onlyRead = /[/\\](?:hooks|info[/\\](?:exclude|attributes))$/;

/** Whoever writes here makes a new file for each object, and takes none that is there. */
const isObjects = /[/\\](?:objects[/\\][0-9a-f]{2}|lfs|annex)$/;
