// Reads every row of a table that still can be read, around the pages that cannot. Knows no table of ours.
import { query } from './database.ts';
import type { Database, Row } from './database.ts';

export interface Table {
  readonly table: string;
  /** The integer that orders the rows. */
  readonly key: string;
  readonly columns: string;
}

const mostRows = 500;
/** No key of ours comes near it. */
const lastKey = 2 ** 52;
/** Enough to walk around many bad pages; a table whose root is gone uses it up in seconds. */
const patience = 100_000;

export function rescueRows(database: Database, { table, key, columns }: Table, save: (row: Row) => void): void {
  let select;
  try {
    select = query(database, `SELECT ${key}, ${columns} FROM ${table} WHERE ${key} BETWEEN ? AND ? ORDER BY ${key} LIMIT ?`);
  } catch {
    return;
  }
  const ranges: [from: number, to: number][] = [[0, lastKey]];
  let failures = 0;
  for (let range = ranges.pop(); range && failures < patience; range = ranges.pop()) {
    const [start, to] = range;
    let from = start;
    let limit = mostRows;
    while (from <= to) {
      let rows: readonly Row[];
      try {
        rows = select(from, to, limit);
      } catch {
        failures += 1;
        if (limit > 1) {
          // Row by row, everything before the bad page is still found.
          limit = 1;
          continue;
        }
        // The next row cannot be reached from here; perhaps a later one can be reached directly.
        const middle = Math.floor((from + to) / 2);
        if (from < to) ranges.push([middle + 1, to], [from, middle]);
        break;
      }
      for (const [, ...row] of rows) save(row);
      if (rows.length < limit) break;
      from = Number(rows.at(-1)?.[0]) + 1;
      limit = Math.min(mostRows, limit * 4);
    }
  }
}
