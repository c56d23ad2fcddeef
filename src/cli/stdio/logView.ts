// Shows on standard error, where ECA clients have their view of the log, what the host logs and what passes over one connection. Only where the user asks for it.
import { closeSync, openSync, readSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Level } from '../../io/diagnostics/logger.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { privateDirectory } from '../../io/files/privateFiles.ts';
import { hideSecrets } from '../../io/diagnostics/trace.ts';
import { contentLength } from '../../rpc/framing/contentLength.ts';
import { defaultLimits } from '../../rpc/transports/transport.ts';
import { jsonText, printError } from '../output.ts';
import { UsageError } from '../say.ts';

/** What is shown of one connection. */
export interface View {
  /** Present where messages are shown, too: both ways, one a line and without secrets. */
  readonly ear?: { readonly incoming: (text: string) => void; readonly outgoing: (text: string) => void };
  /** The same for whoever has bytes only. */
  readonly bytes?: { readonly incoming: (chunk: Buffer) => void; readonly outgoing: (chunk: Buffer) => void };
  /** Shows the last lines and ends it. */
  close(): void;
}

export function openView({
  level = 'info',
  verbose,
}: {
  readonly level?: unknown;
  readonly verbose: boolean;
}): View {
  const wanted = levels.find((each) => each === level);
  if (wanted === undefined) throw new UsageError(`--log-level is one of ${levels.join(', ')}.`);
  const ear = {
    incoming: (text: string) => showMessage('in', text),
    outgoing: (text: string) => showMessage('out', text),
  };
  return { close: showLog(wanted), ...(verbose ? { ear, bytes: taken(ear) } : {}) };
}

const levels: readonly Level[] = ['error', 'warn', 'info', 'debug'];

/** Lines of at least this level that are logged from now on. */
function showLog(level: Level): () => void {
  const { log, directory } = dataPaths(process.env);
  privateDirectory(directory);
  let at = sizeOf(log);
  const look = () => {
    const { text, end } = linesAfter(log, at);
    at = end;
    for (const line of text.split('\n')) if (isAtLeast(line, level)) printError(`${line}\n`);
  };
  const watcher = watch(dirname(log), (_, name) => {
    if (name === basename(log)) look();
  });
  watcher.on('error', () => watcher.close());
  watcher.unref();
  return () => {
    watcher.close();
    look();
  };
}

/** Takes messages out of bytes. */
function taken({ incoming, outgoing }: NonNullable<View['ear']>): NonNullable<View['bytes']> {
  const decoder = (message: (text: string) => void) =>
    contentLength.decoder({ message, problem: () => {} }, defaultLimits.maxMessageBytes);
  const [input, output] = [decoder(incoming), decoder(outgoing)];
  return { incoming: (chunk) => input.push(chunk), outgoing: (chunk) => output.push(chunk) };
}

function showMessage(direction: 'in' | 'out', text: string): void {
  printError(`${jsonText({ at: new Date().toISOString(), direction, message: hideSecrets(text) })}\n`);
}

function isAtLeast(line: string, level: Level): boolean {
  const found = /"level":"(\w+)"/.exec(line)?.[1];
  const place = levels.findIndex((each) => each === found);
  return place >= 0 && place <= levels.indexOf(level);
}

/** Whole lines only; a file that began anew is read from its beginning. */
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
