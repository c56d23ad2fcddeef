// What can go wrong with storage, as a few stable codes with the raw cause attached; knows SQLite's numbers, not its messages.
import { errorText } from '../../../base/errorText.ts';

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
  | 'unknown';

export class StoreError extends Error {
  readonly code: StoreProblem;
  constructor(code: StoreProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoreError';
    this.code = code;
  }
}

/** The driver's error in our words; `doing` says what could not be done. */
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

/** Where a query fails midway the package gives SQLite's own words without the number; they are constants of its library. */
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
