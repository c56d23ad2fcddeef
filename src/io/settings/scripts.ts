// The files of a folder that its settings run: what the user trusts is what they do, not
// only how they are called.
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { join, resolve } from 'node:path';
import { contains } from '../../base/paths.ts';
import { readFolderBytes } from '../files/folderFile.ts';

export interface Script {
  readonly path: string;
  readonly hash: string;
  /** Changes with every change of the file. */
  readonly mark: string;
}

/** The scripts of a folder, and places that are named like one where there is none yet. */
export interface Scripts {
  readonly found: readonly Script[];
  readonly missing: readonly string[];
}

/** Sections whose texts are command lines or parts of them. */
const running = ['hooks', 'mcpServers', 'customTools', 'customTool', 'agents'];

/**
 * Limits of the script check: the number of words that may name a script, and the size of a script in bytes.
 */
const mostWords = 500;
const largest = 16_000_000;
/** A command may go to so many folders before it runs a script. */
const mostFolders = 10;

/**
 * Every word that names a file inside of the folder, from its top, from beside the settings, or from a folder
 * that another word names. A variable before the path may be that folder.
 */
export function scriptsIn(
  root: string,
  settings: readonly { readonly [section: string]: unknown }[],
): Scripts {
  const texts = settings.flatMap((values) => running.flatMap((section) => textsIn(values[section])));
  const looksLikePath = (word: string) => (/[./]/.test(word) ? 0 : 1);
  const words = [...new Set(texts.flatMap((text) => [text, ...text.split(/[\s"'`;|&<>()=,]+/)]))]
    .map((word) => word.replace(/^\$(?:\w+|\{\w+\})\//, ''))
    .filter((word) => word !== '' && word.length < 1_000)
    .toSorted((a, b) => looksLikePath(a) - looksLikePath(b))
    .slice(0, mostWords);
  const folders = words.map((word) => resolve(root, word)).filter((path) => isFolderIn(root, path));
  const bases = [root, join(root, '.parley'), join(root, '.eca'), ...folders.slice(0, mostFolders)];
  const paths = new Set(
    words
      .flatMap((word) => bases.map((base) => resolve(base, word)))
      .filter((path) => path !== root && contains(root, path)),
  );
  const found = [...paths].toSorted().flatMap((path): Script[] => {
    const mark = markOf(path);
    if (mark === undefined) return [];
    const read = readFolderBytes(path, { inside: root, largest });
    return [
      { path, mark, hash: 'bytes' in read ? createHash('sha256').update(read.bytes).digest('hex') : mark },
    ];
  });
  const missing = [...paths].filter((path) => /[./]/.test(path.slice(root.length + 1)));
  return { found, missing: missing.filter((path) => !found.some((script) => script.path === path)) };
}

export function areChanged({ found, missing }: Scripts): boolean {
  return (
    found.some(({ path, mark }) => markOf(path) !== mark) ||
    missing.some((path) => markOf(path) !== undefined)
  );
}

function isFolderIn(root: string, path: string): boolean {
  return path !== root && contains(root, path) && (statOf(path)?.isDirectory() ?? false);
}

/** Of regular files and what leads to them. */
function markOf(path: string): string | undefined {
  const found = statOf(path);
  return found?.isFile() ? `${found.size} ${found.mtimeMs} ${found.ctimeMs} ${found.ino}` : undefined;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
