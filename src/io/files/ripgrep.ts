// Searches with ripgrep, which is much faster than our own search. Callers fall back if it is missing
// or rejects the pattern.
import { onAbort } from '../../base/waiting.ts';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize, sep } from 'node:path';
import { createInterface } from 'node:readline';
import type { SearchMatch, SearchOptions } from '../../host/ports.ts';
import { once } from '../../base/memo.ts';
import { isFileProblem } from './fileProblem.ts';
import { holdDirectory, readText } from './fileText.ts';
import { sealedStdio } from '../processes/sealedPipes.ts';

/** The program that belongs to this platform; undefined where none was installed. */
export const ripgrepPath = once((): Promise<string | undefined> =>
  import('@vscode/ripgrep').then(
    ({ rgPath }) => rgPath,
    () => undefined,
  ),
);

export interface RipgrepSearch extends SearchOptions {
  readonly program: string;
  /** Names that are never looked into. */
  readonly without: readonly string[];
  /** Larger files are left out, in bytes. */
  readonly largest: number;
}

export interface SearchEnd {
  /** Otherwise ripgrep did not come to its end, and another search must do the rest. */
  readonly isWhole: boolean;
  /** The places of all matches. */
  readonly found: ReadonlySet<string>;
}

export const nothingFound: SearchEnd = { isWhole: false, found: new Set() };

export function matchLocation({ path, line }: SearchMatch): string {
  return `${line} ${path}`;
}

/**
 * The matches below a directory in the order of their paths. Ripgrep knows that order only with a single
 * thread, so it is first asked for any order, and we sort what is not too much to keep.
 */
export async function* ripgrep(
  directory: string,
  search: RipgrepSearch,
): AsyncGenerator<SearchMatch, SearchEnd> {
  const held = await holdDirectory(directory);
  if (isFileProblem(held)) return nothingFound;
  const cwd =
    process.platform === 'linux' ? held.at.replace('/proc/self/', `/proc/${process.pid}/`) : directory;
  try {
    const few = await sortedLines(outputOf(cwd, search), directory);
    const lines = few ?? outputOf(cwd, search, ['--sort', 'path']);
    const { isWhole, found } = yield* foundAgain(lines, directory, search);
    return { isWhole: isWhole || search.signal.aborted, found };
  } finally {
    await held.close();
  }
}

/** The lines that ripgrep writes. It is ended when nobody reads them any more. */
async function* outputOf(
  cwd: string,
  search: RipgrepSearch,
  more: readonly string[] = [],
): AsyncGenerator<string, void> {
  const child = start(cwd, search, more);
  const leave = onAbort(search.signal, () => void child.kill('SIGKILL'));
  const stopWatch = endIfStuck(child);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  try {
    if (child.stdout) yield* createInterface({ input: child.stdout, crlfDelay: Infinity });
    await ended;
  } finally {
    stopWatch();
    leave();
    child.kill('SIGKILL');
  }
}

/** As many matches as the tool shows, and as many characters of their lines, are kept to be sorted. */
const mostKept = { matches: 1_000, characters: 4_000_000 };

/** In the order in which ripgrep sorts: by the bytes of the names. Undefined where it is too much to keep. */
async function sortedLines(
  output: AsyncIterable<string>,
  directory: string,
): Promise<readonly string[] | undefined> {
  const kept: { readonly key: Buffer; readonly line: string }[] = [];
  const summary: string[] = [];
  let characters = 0;
  for await (const line of output) {
    if (isSummary(line)) summary.push(line);
    const [match] = matchIn(line, directory);
    if (!match) continue;
    kept.push({ key: Buffer.from(match.path.replaceAll(sep, '\0')), line });
    characters += line.length;
    if (kept.length > mostKept.matches || characters > mostKept.characters) return undefined;
  }
  return [...kept.toSorted((a, b) => a.key.compare(b.key)).map(({ line }) => line), ...summary];
}

/** It opens files such as .gitignore without a look at what they are, and would wait for a pipe for ever. */
function endIfStuck(child: ChildProcess): () => void {
  let [last, times]: [Activity | undefined, number] = [undefined, 0];
  const timer = setInterval(() => {
    const now = activityOf(child.pid);
    times = isStuck(last, now) ? times + 1 : 0;
    last = now;
    if (times * interval > longestWait) child.kill('SIGKILL');
  }, interval);
  return () => clearInterval(timer);
}

const interval = 500;
const longestWait = 3_000;

interface Activity {
  /** How often the process has read. */
  readonly reads: string | undefined;
  readonly awake: readonly string[];
}

/** A thread without work wakes up all the time to look for some, but is hardly seen awake twice. */
function isStuck(last: Activity | undefined, now: Activity | undefined): boolean {
  if (!last || !now) return false;
  return last.reads === now.reads && !now.awake.some((thread) => last.awake.includes(thread));
}

/** Only Linux tells. */
function activityOf(pid: number | undefined): Activity | undefined {
  const of = `/proc/${pid}`;
  try {
    const reads = /^syscr: (\d+)$/m.exec(readFileSync(`${of}/io`, 'utf8'))?.[1];
    const awake = readdirSync(`${of}/task`).filter(
      (thread) => !/\) S [^)]*$/.test(readFileSync(`${of}/task/${thread}/stat`, 'utf8')),
    );
    return { reads, awake };
  } catch {
    return undefined;
  }
}

function start(
  cwd: string,
  { program, pattern, include, without, largest }: RipgrepSearch,
  more: readonly string[],
): ChildProcess {
  const names = [...(include === undefined ? [] : [include]), ...without.map((name) => `!${name}`)].flatMap(
    (glob) => ['--glob', glob],
  );
  const args = [
    '--json',
    '--no-config',
    '--no-messages',
    '--hidden',
    '--no-require-git',
    '--no-ignore-parent',
    ...more,
    '--max-filesize',
    String(largest),
    ...names,
    '-e',
    pattern,
    '--',
    '.',
  ];
  return spawn(program, args, {
    cwd,
    env: {},
    windowsHide: true,
    stdio: sealedStdio(['ignore', 'pipe', 'ignore']),
  });
}

/**
 * It opens files by their paths, and a confined program can put a link in the place of a folder meanwhile. So
 * only what our own reader finds in the file counts, which follows no link. The summary is the last thing
 * that it says; its exit code may also be about a single file that it could not read.
 */
async function* foundAgain(
  output: AsyncIterable<string> | Iterable<string>,
  directory: string,
  { largest }: RipgrepSearch,
): AsyncGenerator<SearchMatch, SearchEnd> {
  const found = new Set<string>();
  let [at, lines]: [string, readonly string[]] = ['', []];
  let isWhole = false;
  for await (const line of output) {
    isWhole ||= isSummary(line);
    for (const match of matchIn(line, directory)) {
      // All matches of one file come together.
      if (at !== match.path) [at, lines] = [match.path, await linesAt(match.path, largest)];
      if (lines[match.line - 1] !== match.text) continue;
      found.add(matchLocation(match));
      yield match;
    }
  }
  return { isWhole, found };
}

function isSummary(line: string): boolean {
  return /^\{"type":"summary"|"type":"summary"\}$/.test(line);
}

/** As it counts and shows them: without the mark at the beginning of some files. */
async function linesAt(path: string, largest: number): Promise<readonly string[]> {
  const read = await readText(path, largest);
  return isFileProblem(read) ? [] : read.text.replace(/^\uFEFF/, '').split(/\r?\n/);
}

/** Names and lines that are no text come in another form and are left out. */
function matchIn(line: string, directory: string): readonly SearchMatch[] {
  if (!line.startsWith('{"type":"match"')) return [];
  const told: unknown = JSON.parse(line);
  const [path, text, number] = [
    textAt(told, 'data', 'path', 'text'),
    textAt(told, 'data', 'lines', 'text'),
    textAt(told, 'data', 'line_number'),
  ];
  if (typeof path !== 'string' || typeof text !== 'string' || typeof number !== 'number') return [];
  return [{ path: join(directory, normalize(path)), line: number, text: text.replace(/\r?\n$/, '') }];
}

function textAt(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, name)?.value : undefined,
    value,
  );
}
