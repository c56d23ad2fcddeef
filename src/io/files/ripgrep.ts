// Searches with ripgrep, which is much faster than our own search. Callers fall back if it is missing
// or rejects the pattern.
import { onAbort } from '../../base/waiting.ts';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
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

/** The matches below a directory in the order of their paths. */
export async function* ripgrep(
  directory: string,
  search: RipgrepSearch,
): AsyncGenerator<SearchMatch, SearchEnd> {
  const held = await holdDirectory(directory);
  if (isFileProblem(held)) return nothingFound;
  const child = start(
    process.platform === 'linux' ? held.at.replace('/proc/self/', `/proc/${process.pid}/`) : directory,
    search,
  );
  const leave = onAbort(search.signal, () => void child.kill('SIGKILL'));
  const stopWatch = endIfStuck(child);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  try {
    const lines = child.stdout ? createInterface({ input: child.stdout, crlfDelay: Infinity }) : [];
    const { isWhole, found } = yield* foundAgain(lines, directory, search);
    await ended;
    return { isWhole: isWhole || search.signal.aborted, found };
  } finally {
    stopWatch();
    leave();
    child.kill('SIGKILL');
    await held.close();
  }
}

/** It opens files such as .gitignore without a look at what they are, and would wait for a pipe for ever. */
function endIfStuck(child: ChildProcess): () => void {
  let [last, times] = ['', 0];
  const timer = setInterval(() => {
    const now = workOf(child.pid);
    times = now === last && now.startsWith('S') ? times + 1 : 0;
    last = now;
    if (times * interval > longestWait) child.kill('SIGKILL');
  }, interval);
  return () => clearInterval(timer);
}

const interval = 500;
const longestWait = 3_000;

/** Whether a process sleeps, and how long it has worked; only Linux tells. */
function workOf(pid: number | undefined): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return [fields[0], fields[11], fields[12]].join(' ');
  } catch {
    return '';
  }
}

function start(cwd: string, { program, pattern, include, without, largest }: RipgrepSearch): ChildProcess {
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
    '--sort',
    'path',
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
    isWhole ||= /^\{"type":"summary"|"type":"summary"\}$/.test(line);
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
