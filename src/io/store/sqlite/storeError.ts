// Storage errors: a few stable codes, with the driver's error as the cause.
import { errorText } from '../../../base/errorText.ts';
import type { leaseLost } from '../../../host/session/logStore.ts';

export type StoreProblem =
  | 'full'
  | 'io'
  | 'busy'
  | 'damaged'
  | 'newer'
  | 'foreign'
  | 'closed'
  | 'conflict'
  | 'unavailable'
  | typeof leaseLost
  | 'unknown';

export class StoreError extends Error {
  readonly code: StoreProblem;
  constructor(code: StoreProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** Converts a driver error; `doing` names the failed operation. */
export function storeError(cause: unknown, doing: string): StoreError {
  if (cause instanceof StoreError) return cause;
  const code = problemOf(cause);
  const said = errorText(cause, String(cause));
  return new StoreError(code, `${doing} failed: ${explained[code] ?? said}`, { cause });
}

export function problemOf(error: unknown): StoreProblem {
  if (error instanceof StoreError) return error.code;
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR')) return 'unknown';
  // The low byte is SQLite's primary result code, the rest only refines it.
  if ('errcode' in error) return problems[Number(error.errcode) & 0xff] ?? 'unknown';
  return problems[numberOf(error.message)] ?? 'unknown';
}

/**
 * If a query fails midway, the package returns SQLite's message without the code; these messages are
 * constants of SQLite.
 */
function numberOf(words: string): number {
  return words.startsWith('malformed database schema') ? 11 : (numbers[words] ?? 0);
}

const numbers: { readonly [words: string]: number } = {
  'database is locked': 5,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'file is not a database': 26,
};

const problems: { readonly [primaryCode: number]: StoreProblem } = {
  3: 'io',
  5: 'busy',
  6: 'busy',
  8: 'io',
  10: 'io',
  11: 'damaged',
  13: 'full',
  14: 'io',
  19: 'conflict',
  26: 'damaged',
};

const explained: Partial<Record<StoreProblem, string>> = {
  full: 'the disk is full',
  busy: 'another program holds the database',
  damaged: 'the database is damaged',
};
