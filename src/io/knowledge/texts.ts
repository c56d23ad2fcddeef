// Reads small text files for knowledge, each again only after it has changed. Never throws: what cannot be read is not there.
import { open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';

export interface Texts {
  /** The text of a file, or nothing. */
  read(path: string): Promise<string | undefined>;
  /** What a folder holds, by name. */
  list(folder: string): Promise<readonly string[]>;
  /** The Markdown files below a folder, by path. */
  below(folder: string): Promise<readonly string[]>;
  real(path: string): Promise<string | undefined>;
}

/** Longer texts are not meant for models. */
const longest = 256 * 1024;

/** Folders with more files, or deeper ones, are no collections of texts. */
const mostNames = 500;
const deepest = 4;

/** So many texts are remembered. */
const mostTexts = 2_000;

export function texts(): Texts {
  const known = new Map<string, { readonly mark: string; readonly text: string }>();
  const read = async (path: string): Promise<string | undefined> => {
    const file = await open(path, 'r').catch(() => undefined);
    if (!file) return undefined;
    try {
      const found = await file.stat();
      if (!found.isFile() || found.size > longest) return undefined;
      const mark = `${found.size} ${found.mtimeMs} ${found.ino}`;
      const old = known.get(path);
      if (old?.mark === mark) return old.text;
      const text = await file.readFile('utf8');
      if (known.size >= mostTexts) known.clear();
      known.set(path, { mark, text });
      return text;
    } catch {
      return undefined;
    } finally {
      await file.close().catch(() => {});
    }
  };
  const list = async (folder: string) =>
    (await readdir(folder).catch(() => [])).slice(0, mostNames).toSorted();
  const below = async (folder: string, depth = 0): Promise<readonly string[]> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const inner = await Promise.all(
      entries
        .slice(0, mostNames)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(async (entry) => {
          if (entry.isDirectory()) return depth < deepest ? below(join(folder, entry.name), depth + 1) : [];
          return /\.(?:md|mdc|markdown)$/i.test(entry.name) ? [join(folder, entry.name)] : [];
        }),
    );
    return inner.flat();
  };
  return {
    read,
    list,
    below: (folder) => below(folder),
    real: (path) => realpath(path).catch(() => undefined),
  };
}
