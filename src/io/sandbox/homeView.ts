// The home directory as a program sees it that runs for long: only what was there at its start, without what
// is hidden. A cover over a file is gone as soon as somebody replaces the file; here nothing needs a cover.
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { contains } from '../../base/paths.ts';

export type HomeEntry =
  /** A folder of the view itself, with the entries that follow. */
  | { readonly kind: 'new'; readonly path: string }
  | { readonly kind: 'same'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** More entries than this take bubblewrap too long. */
const mostEntries = 500;

/** Undefined if there is no such folder, or it has too much in it. */
export function homeView(home: string, hidden: readonly string[]): readonly HomeEntry[] | undefined {
  try {
    const entries = entriesOf(home, hidden);
    return entries.length > mostEntries ? undefined : entries;
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string, hidden: readonly string[]): readonly HomeEntry[] {
  const found = readdirSync(folder, { withFileTypes: true }).flatMap((entry): readonly HomeEntry[] => {
    const path = join(folder, entry.name);
    if (hidden.includes(path)) return [];
    if (entry.isSymbolicLink()) return [{ kind: 'link', path, target: readlinkSync(path) }];
    if (entry.isFile()) return [{ kind: 'same', path }];
    if (!entry.isDirectory()) return [];
    return hidden.some((each) => contains(path, each)) ? entriesOf(path, hidden) : [{ kind: 'same', path }];
  });
  return [{ kind: 'new', path: folder }, ...found];
}
