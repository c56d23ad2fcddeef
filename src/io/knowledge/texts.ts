// Reads small text files for knowledge, each again only after it has changed. Never throws: what cannot
// be read is not there.
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isSecretFile } from '../../host/policy/secretFiles.ts';
import { isFolderProblem, listFolder, readFolderFile } from '../files/folderFile.ts';
import type { FolderText } from '../files/folderFile.ts';

/** A file or folder to look at. */
export interface KnowledgeSource {
  readonly path: string;
  /** The folder that it must not lead out of; absent for what is the user's own. */
  readonly inside?: string | undefined;
  /** Set where that folder is not trusted. */
  readonly untrusted?: true | undefined;
}

/** The mark of what was read from there. */
export function untrustedMark({ untrusted }: KnowledgeSource): { readonly untrusted?: true } {
  return untrusted ? { untrusted } : {};
}

export interface Texts {
  /** The text of a file, or nothing. */
  read(source: KnowledgeSource): Promise<string | undefined>;
  /** What a folder holds, by name. */
  list(source: KnowledgeSource): readonly string[];
  /** The Markdown files below a folder, by path. */
  below(source: KnowledgeSource): readonly KnowledgeSource[];
  /** Where a path leads, or nothing. */
  real(path: string): string | undefined;
}

/** Longer texts are not meant for models. */
const longest = 256 * 1024;

/** Folders with more names or files, or deeper ones, are no collections of texts. */
const mostNames = 500;
const deepest = 4;

/** So many characters are remembered. */
const mostRemembered = 32 * 1024 * 1024;

export function texts(): Texts {
  const known = new Map<string, FolderText>();
  let remembered = 0;
  const read = async ({ path, inside }: KnowledgeSource): Promise<string | undefined> => {
    // Many texts are read one after the other; others have their turn in between.
    await setImmediate();
    if (inside !== undefined && isSecretIn(inside, path)) return undefined;
    const key = `${inside ?? ''}\0${path}`;
    const last = known.get(key);
    const found = readFolderFile(path, { inside, largest: longest, last });
    if (isFolderProblem(found)) return undefined;
    if (found === last) return found.text;
    if (remembered > mostRemembered) {
      known.clear();
      remembered = 0;
    }
    remembered += found.text.length;
    known.set(key, found);
    return found.text;
  };
  return {
    read,
    list: ({ path, inside }) =>
      listFolder(path, inside)
        .slice(0, mostNames)
        .map(({ name }) => name),
    below: (source) => markdownBelow(source, { left: mostNames }),
    real: realOf,
  };
}

/** A folder may name secrets of its user, or lead to them. What is read here goes to a model unasked. */
function isSecretIn(folder: string, path: string): boolean {
  const real = realOf(path);
  return real !== undefined && isSecretFile(real, [realOf(folder) ?? folder]);
}

/** Most places that are looked at do not exist, and to learn that from an error takes longer. */
function realOf(path: string): string | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false }) && realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** `room` counts over all the folders below, so that a tree cannot be made to hold more than a folder. */
function markdownBelow(
  { path: folder, inside, untrusted }: KnowledgeSource,
  room: { left: number },
  depth = 0,
): readonly KnowledgeSource[] {
  return listFolder(folder, inside)
    .slice(0, mostNames)
    .flatMap((entry): readonly KnowledgeSource[] => {
      const path = join(folder, entry.name);
      if (room.left <= 0) return [];
      room.left -= 1;
      if (entry.isDirectory())
        return depth < deepest ? markdownBelow({ path, inside, untrusted }, room, depth + 1) : [];
      return /\.(?:md|mdc|markdown)$/i.test(entry.name) ? [{ path, inside, untrusted }] : [];
    });
}
