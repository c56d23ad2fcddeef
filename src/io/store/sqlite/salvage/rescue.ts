// Reads all readable rows of a table and skips damaged pages. Knows no tables.
import { query } from '../database.ts';
import type { Database, Query, Row } from '../database.ts';

export interface Table {
  readonly table: string;
  /** The integer that orders the rows. */
  readonly key: string;
  readonly columns: string;
}

const mostRows = 500;
/** Where the last row cannot be found, this many keys after the first failure are tried. */
const beyond = 4096;
/** Enough to walk around many bad pages. */
const patience = 20_000;

export function rescueRows(
  database: Database,
  { table, key, columns }: Table,
  save: (row: Row) => void,
): void {
  let select: Query;
  let last: Query;
  try {
    select = query(
      database,
      `SELECT ${key}, ${columns} FROM ${table} WHERE ${key} BETWEEN ? AND ? ORDER BY ${key} LIMIT ?`,
    );
    last = query(database, `SELECT max(${key}) FROM ${table}`);
  } catch {
    return;
  }
  const first = readForward(select, [0, Number.MAX_SAFE_INTEGER], save);
  if (first === undefined) return;
  // Wide ranges come first: what lies beyond a bad page is found before every key on it is tried.
  const ranges: Range[] = halves([first, lastKey(last) ?? first + beyond]);
  for (let tried = 0; tried < ranges.length && tried < patience; tried += 1) {
    const range = ranges[tried];
    const failed = range && readForward(select, range, save);
    if (failed !== undefined) ranges.push(...halves([failed, range?.[1] ?? failed]));
  }
}

type Range = readonly [from: number, to: number];

/** Saves rows until one cannot be reached and returns the key from which on it cannot. */
function readForward(select: Query, [start, to]: Range, save: (row: Row) => void): number | undefined {
  let from = start;
  let limit = mostRows;
  while (from <= to) {
    let rows: readonly Row[];
    try {
      rows = select(from, to, limit);
    } catch {
      if (limit === 1) return from;
      // Row by row, everything before the bad page is still found.
      limit = 1;
      continue;
    }
    for (const [, ...row] of rows) save(row);
    if (rows.length < limit) return undefined;
    from = Number(rows.at(-1)?.[0]) + 1;
    limit = Math.min(mostRows, limit * 4);
  }
  return undefined;
}

function halves([from, to]: Range): Range[] {
  if (from >= to) return [];
  const middle = Math.floor((from + to) / 2);
  return [
    [middle + 1, to],
    [from, middle],
  ];
}

function lastKey(last: Query): number | undefined {
  try {
    const key = last()[0]?.[0];
    return typeof key === 'number' ? key : undefined;
  } catch {
    return undefined;
  }
}
