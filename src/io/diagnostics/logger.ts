// The diagnostic log: one JSON object per line, to a file of bounded size or to stderr. Never throws.
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import { privateFile } from '../files/privateFiles.ts';
import { redact } from './redact.ts';

export type Level = 'debug' | 'info' | 'warn' | 'error';

/** The fields of a line. */
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
  /** Defaults to stderr. */
  readonly file?: string;
  /** A file that would grow beyond this is renamed to end in `.1` and replaces the previous one. */
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
    return `${JSON.stringify({ level, message: 'This log entry could not be serialised.', cause: String(error) })}\n`;
  }
}

function stderrSink(): Sink {
  return { write: (text) => attempt(() => writeSync(2, text)), close: () => {} };
}

/** Writes synchronously, so that the last lines before a crash are in the file. */
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

/** A full disk or a closed pipe must not disturb the caller. */
function attempt(run: () => void): void {
  try {
    run();
  } catch {
    // There is nowhere left to report it.
  }
}
