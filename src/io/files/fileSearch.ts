// Searches files with a regular expression. A slow pattern is stopped, because it comes from a model.
import { errorCode } from '../../base/errorText.ts';
import { once } from '../../base/memo.ts';
import { lstat } from 'node:fs/promises';
import { createContext, Script } from 'node:vm';
import { basename, relative } from 'node:path';
import type { FileEntry, FileProblem, SearchMatch, SearchOptions } from '../../host/ports.ts';
import { isFileProblem } from './fileProblem.ts';
import { readText } from './fileText.ts';
import { nothingFound, matchLocation, ripgrep } from './ripgrep.ts';

/** Larger files are not searched. */
const fileLimit = 2_000_000;

/** How long one file may keep the pattern busy, in milliseconds. */
const patience = 200;

export interface SearchPlace {
  /** Internal folders of tools; searches skip them. */
  readonly without: readonly string[];
  readonly walk: () => AsyncIterable<FileEntry>;
  /** The quicker program; undefined where there is none. */
  readonly program: () => Promise<string | undefined>;
}

/** What the quicker program cannot do, or did not end, is done here; nothing is found twice. */
export async function* searchText(
  root: string,
  options: SearchOptions,
  { without, walk, program }: SearchPlace,
): AsyncIterable<SearchMatch | FileProblem> {
  const quick = await program();
  const isDirectory = quick !== undefined && (await lstat(root).catch(() => undefined))?.isDirectory();
  const quickly = { ...options, program: quick ?? '', without, largest: fileLimit };
  const { isWhole, found } = isDirectory ? yield* ripgrep(root, quickly) : nothingFound;
  if (isWhole) return;
  for await (const match of searchSlowly(root, options, walk))
    if (isFileProblem(match) || !found.has(matchLocation(match))) yield match;
}

async function* searchSlowly(
  root: string,
  options: SearchOptions,
  walk: () => AsyncIterable<FileEntry>,
): AsyncIterable<SearchMatch | FileProblem> {
  const { pattern } = options;
  const wanted = compile(pattern);
  const texts = wanted
    ? textsIn(root, options, walk)
    : [badPattern(`${pattern} is not a regular expression.`)];
  for await (const text of texts) {
    const matches = isFileProblem(text) || !wanted ? undefined : within(() => linesOf(text, wanted));
    yield* matches ?? [isFileProblem(text) ? text : slow(pattern)];
    if (!matches) return;
  }
}

interface FileText {
  readonly path: string;
  readonly text: string;
}

/** The files to look into, one after the other; ends with a problem where it could not go on. */
async function* textsIn(
  root: string,
  { include, signal }: SearchOptions,
  walk: () => AsyncIterable<FileEntry>,
): AsyncIterable<FileText | FileProblem> {
  const alone = await readText(root, fileLimit);
  if (!isFileProblem(alone) || alone.problem !== 'not-a-file') {
    yield { path: root, ...alone };
    return;
  }
  const names = include === undefined ? undefined : globPattern(include);
  for await (const { type, path } of walk()) {
    if (signal.aborted) return;
    if (type !== 'file') continue;
    const fits = within(
      () => !names || names.test(include?.includes('/') ? relative(root, path) : basename(path)),
    );
    const found = fits ? await readText(path, fileLimit) : undefined;
    if (fits === undefined) yield slow(include ?? '');
    if (found && !isFileProblem(found)) yield { path, ...found };
  }
}

/** Models write `(?i)` in front of a pattern that ignores case; the language wants a flag instead. */
function compile(pattern: string): RegExp | undefined {
  const bare = pattern.replace(/^\(\?i\)/, '');
  try {
    return new RegExp(bare, bare === pattern ? '' : 'i');
  } catch {
    return undefined;
  }
}

function linesOf({ path, text }: FileText, wanted: RegExp): readonly SearchMatch[] {
  return text.split('\n').flatMap((raw, at) => {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    return wanted.test(line) ? [{ path, line: at + 1, text: line }] : [];
  });
}

const globSigns: { readonly [sign: string]: string | undefined } = {
  '**/': '(?:.*/)?',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
};
const braceSigns: { readonly [sign: string]: string | undefined } = { '{': '(?:', '}': ')', ',': '|' };

/**
 * A pattern of file names. A comma separates only within braces, and braces that do not pair are
 * letters like any other.
 */
export function globPattern(glob: string): RegExp {
  const paired = /^[^{}]*(?:\{[^{}]*\}[^{}]*)*$/.test(glob);
  let inside = false;
  const source = glob.replace(/\*\*\/|\*\*|[*?{},]|[^*?{},]+/g, (part) => {
    if (paired && (part === '{' || part === '}')) inside = part === '{';
    const sign = globSigns[part] ?? (paired && (inside || part !== ',') ? braceSigns[part] : undefined);
    return sign ?? part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  });
  return new RegExp(`^${source}$`);
}

const call = new Script('run()');
/** Made on first use, because it is expensive. */
const room = once((): { run?: () => void } => createContext({ run: () => {} }));

/**
 * Runs a function that must not take long; the engine stops it in the middle of a match, and
 * then there is no result.
 */
function within<T>(run: () => T): T | undefined {
  let result: T | undefined;
  const context = room();
  context.run = () => void (result = run());
  try {
    call.runInContext(context, { timeout: patience });
  } catch (error) {
    if (errorCode(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
  }
  return result;
}

function slow(pattern: string): FileProblem {
  return badPattern(`${pattern} takes too long to match; use a simpler pattern.`);
}

function badPattern(message: string): FileProblem {
  return { problem: 'bad-pattern', message };
}
