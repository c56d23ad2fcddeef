// Searches with ripgrep, which is much faster than our own search. Callers fall back if it is missing
// or rejects the pattern.
import { onAbort } from '../../base/waiting.ts';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join, normalize } from 'node:path';
import { createInterface } from 'node:readline';
import type { SearchMatch, SearchOptions } from '../../host/ports.ts';
import { once } from '../../base/memo.ts';
import { isFileProblem } from './fileProblem.ts';
import { holdDirectory, readText } from './fileText.ts';
import { withoutHidden } from '../processes/sealedPipes.ts';

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

/**
 * The matches below a directory in the order of their paths; false if ripgrep is unusable and another search
 * must run.
 */
export async function* ripgrep(
  directory: string,
  search: RipgrepSearch,
): AsyncGenerator<SearchMatch, boolean> {
  const held = await holdDirectory(directory);
  if (isFileProblem(held)) return false;
  const child = start(
    process.platform === 'linux' ? held.at.replace('/proc/self/', `/proc/${process.pid}/`) : directory,
    search,
  );
  const leave = onAbort(search.signal, () => void child.kill('SIGKILL'));
  let exit: number | null | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', (code) => {
      exit = code;
      resolve();
    });
  });
  try {
    if (child.stdout)
      yield* foundAgain(createInterface({ input: child.stdout, crlfDelay: Infinity }), directory, search);
    await ended;
    // Exit code 1 means no matches.
    return exit === 0 || exit === 1 || search.signal.aborted;
  } finally {
    leave();
    child.kill('SIGKILL');
    await held.close();
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
    stdio: withoutHidden(['ignore', 'pipe', 'ignore']),
  });
}

/**
 * It opens files by their paths, and a confined program can put a link in the place of a folder meanwhile. So
 * only what our own reader finds in the file counts, which follows no link.
 */
async function* foundAgain(
  output: AsyncIterable<string>,
  directory: string,
  { largest }: RipgrepSearch,
): AsyncGenerator<SearchMatch> {
  let [at, lines]: [string, readonly string[]] = ['', []];
  for await (const line of output)
    for (const match of matchIn(line, directory)) {
      // All matches of one file come together.
      if (at !== match.path) [at, lines] = [match.path, await linesAt(match.path, largest)];
      if (lines[match.line - 1] === match.text) yield match;
    }
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
