// The living processes of this machine as Linux lists them; empty where there is no such list.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** When it started, in a unit of the kernel; tells two processes with one number apart. */
  readonly started: string;
}

/** How many are looked at in one go, which takes a few milliseconds. */
const portion = 64;

export async function processTable(): Promise<readonly ProcessRow[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const rows: ProcessRow[] = [];
  for (const [at, name] of names.entries()) {
    // Reading these small files is quicker than asking for them to be read, but there may be many.
    if (at % portion === portion - 1) await setImmediate();
    const row = readRow(name);
    if (row) rows.push(row);
  }
  return rows;
}

function readRow(name: string): ProcessRow | undefined {
  const line = readStat(name);
  // The second field is the program's name in brackets and may hold anything, brackets included.
  const [state, parent, , session, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  // A dead process stays in the list until its parent has taken notice.
  if (line === '' || state === 'Z' || state === 'X') return undefined;
  return { pid: Number(name), parent: Number(parent), session: Number(session), started: rest[15] ?? '' };
}

function readStat(name: string): string {
  try {
    return readFileSync(`/proc/${name}/stat`, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

/** Adds to a set of processes everything they have started, and what that has started. */
export function withDescendants(table: readonly ProcessRow[], roots: Iterable<number>): readonly number[] {
  const found = new Set(roots);
  for (const known of found) for (const { pid, parent } of table) if (parent === known) found.add(pid);
  return [...found];
}
