// The running processes of this machine from /proc; empty on other systems.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Start time in kernel units; tells processes apart that had the same id. */
  readonly started: string;
}

/** How many processes are read before other work gets a chance. */
const portion = 64;

export async function processTable(): Promise<readonly ProcessRow[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const rows: ProcessRow[] = [];
  for (const [at, name] of names.entries()) {
    // Reading these small files synchronously is faster, but there may be many.
    if (at % portion === portion - 1) await setImmediate();
    const row = readRow(name);
    if (row) rows.push(row);
  }
  return rows;
}

function readRow(name: string): ProcessRow | undefined {
  const line = readStat(name);
  // The second field is the program's name in brackets and may itself contain brackets.
  const [state, parent, , session, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  // A dead process stays listed until its parent has waited for it.
  if (line === '' || state === 'Z' || state === 'X') return undefined;
  return { pid: Number(name), parent: Number(parent), session: Number(session), started: rest[15] ?? '' };
}

function readStat(name: string): string {
  try {
    return readFileSync(`/proc/${name}/stat`, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return '';
  }
}

/** The given processes and all their descendants. */
export function withDescendants(table: readonly ProcessRow[], roots: Iterable<number>): readonly number[] {
  const found = new Set(roots);
  for (const known of found) for (const { pid, parent } of table) if (parent === known) found.add(pid);
  return [...found];
}
