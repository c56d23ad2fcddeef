// The living processes of this machine as Linux lists them; empty where there is no such list.
import { readdir, readFile } from 'node:fs/promises';

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** When it started, in a unit of the kernel; tells two processes with one number apart. */
  readonly started: string;
}

export async function processTable(): Promise<readonly ProcessRow[]> {
  const names = await readdir('/proc').catch(() => []);
  const rows = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(readRow));
  return rows.flatMap((row) => row ?? []);
}

async function readRow(name: string): Promise<ProcessRow | undefined> {
  const line = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
  // The second field is the program's name in brackets and may hold anything, brackets included.
  const [state, parent, , session, ...rest] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  // A dead process stays in the list until its parent has taken notice.
  if (line === '' || state === 'Z' || state === 'X') return undefined;
  return { pid: Number(name), parent: Number(parent), session: Number(session), started: rest[15] ?? '' };
}

/** Adds to a set of processes everything they have started, and what that has started. */
export function withDescendants(table: readonly ProcessRow[], roots: Iterable<number>): readonly number[] {
  const found = new Set(roots);
  for (const known of found) for (const { pid, parent } of table) if (parent === known) found.add(pid);
  return [...found];
}
