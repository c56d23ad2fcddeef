// Prints the host's log, and with --verbose every message of one connection, to standard error,
// where ECA clients show it.
import { closeSync, openSync, readSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Level } from '../../io/diagnostics/logger.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { privateDirectory } from '../../io/files/privateFiles.ts';
import { hideSecrets } from '../../io/diagnostics/trace.ts';
import { didYouMean } from '../../base/nearest.ts';
import { UsageError } from '../say.ts';
import { printError } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

/** What is printed for one connection. */
export interface LogView {
  /** Present with --verbose: prints the messages of both directions, one per line, without secrets. */
  readonly messages?: {
    readonly incoming: (text: string) => void;
    readonly outgoing: (text: string) => void;
  };
  /** Prints the last lines and stops. */
  close(): void;
}

export function openView({
  level = 'info',
  verbose,
}: {
  readonly level?: unknown;
  readonly verbose: boolean;
}): LogView {
  const known = levels.find((candidate) => candidate === level);
  if (known === undefined)
    throw new UsageError(
      `--log-level must be one of ${levels.join(', ')}.${didYouMean(String(level), levels)}`,
    );
  const messages = {
    incoming: (text: string) => showMessage('in', text),
    outgoing: (text: string) => showMessage('out', text),
  };
  return { close: showLog(known), ...(verbose ? { messages } : {}) };
}

const levels: readonly Level[] = ['error', 'warn', 'info', 'debug'];

/** Prints lines of at least this level that are logged from now on. */
function showLog(level: Level): () => void {
  const { log, directory } = dataPaths(process.env);
  privateDirectory(directory);
  let offset = sizeOf(log);
  const printNew = () => {
    const { text, end } = linesAfter(log, offset);
    offset = end;
    for (const line of text.split('\n')) if (isAtLeast(line, level)) printError(`${line}\n`);
  };
  const watcher = watch(dirname(log), (_, name) => {
    if (name === basename(log)) printNew();
  });
  watcher.on('error', () => watcher.close());
  watcher.unref();
  return () => {
    watcher.close();
    printNew();
  };
}

function showMessage(direction: 'in' | 'out', text: string): void {
  printError(`${jsonText({ at: new Date().toISOString(), direction, message: hideSecrets(text) })}\n`);
}

function isAtLeast(line: string, level: Level): boolean {
  const name = /"level":"(\w+)"/.exec(line)?.[1];
  const index = levels.findIndex((candidate) => candidate === name);
  return index >= 0 && index <= levels.indexOf(level);
}

/** Complete lines only. A file that was replaced by a shorter one is read from its beginning. */
function linesAfter(path: string, from: number): { readonly text: string; readonly end: number } {
  const size = sizeOf(path);
  const start = size < from ? 0 : from;
  if (size === start) return { text: '', end: size };
  const bytes = Buffer.alloc(size - start);
  const file = openSync(path, 'r');
  try {
    const whole = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
    const end = whole.lastIndexOf('\n') + 1;
    return { text: whole.toString('utf8', 0, end), end: start + end };
  } finally {
    closeSync(file);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
