// Log lines for people who look for the cause of something: one JSON object a line, to a file of bounded size or to stderr. Never throws.
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { privateFile } from '../files/privateFiles.ts';
import { redact } from './redact.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** What a line is about; a session and its sequence number where there are any. */
export interface Details {
  readonly session?: string;
  readonly seq?: number;
  readonly [name: string]: unknown;
}

export interface Logger {
  debug(message: string, details?: Details): void;
  info(message: string, details?: Details): void;
  warn(message: string, details?: Details): void;
  error(message: string, details?: Details): void;
  close(): void;
}

export interface LoggerOptions {
  readonly level: Level;
  /** Where lines go; stderr where there is no file. */
  readonly file?: string;
  /** A file that would grow beyond this is renamed to end in `.1`, and that one is forgotten. */
  readonly maxBytes?: number;
  readonly now?: () => number;
}

const order: readonly Level[] = ['debug', 'info', 'warn', 'error'];

export function openLogger({ level, file, maxBytes = 10_000_000, now = Date.now }: LoggerOptions): Logger {
  const sink = file === undefined ? stderrSink() : fileSink(file, maxBytes);
  const write =
    (at: Level) =>
    (message: string, details: Details = {}) => {
      if (order.indexOf(at) >= order.indexOf(level)) sink.write(line(now(), at, { message, ...details }));
    };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    close: () => sink.close(),
  };
}

interface Sink {
  write(line: string): void;
  close(): void;
}

function line(at: number, level: Level, details: object): string {
  try {
    return `${JSON.stringify({ at: new Date(at).toISOString(), level, ...redact(details) })}\n`;
  } catch (error) {
    return `${JSON.stringify({ level, message: 'This line could not be written.', cause: String(error) })}\n`;
  }
}

function stderrSink(): Sink {
  return { write: (text) => attempt(() => writeSync(2, text)), close: () => {} };
}

/** Lines are in the kernel when the call returns, so the last words of a dying host are there. */
function fileSink(path: string, maxBytes: number): Sink {
  let file: number | undefined;
  let size = 0;
  const close = () =>
    attempt(() => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    });
  const open = () => {
    privateFile(path);
    file = openSync(path, 'a');
    size = fstatSync(file).size;
    return file;
  };
  return {
    close,
    write: (text) =>
      attempt(() => {
        const bytes = Buffer.from(text);
        let to = file ?? open();
        if (size > 0 && size + bytes.length > maxBytes) {
          close();
          renameSync(path, `${path}.1`);
          to = open();
        }
        size += writeSync(to, bytes);
      }),
  };
}

/** A full disk or a closed pipe must not stop what the line is about. */
function attempt(run: () => void): void {
  try {
    run();
  } catch {
    // There is nowhere left to say so.
  }
}
