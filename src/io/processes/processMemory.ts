// The memory of a process and all that it started, from /proc; unknown on other systems.
import { readFileSync } from 'node:fs';
import { processTable, withDescendants } from './processTable.ts';

/** In bytes. Pages that processes share count for each of them. */
export async function processMemory(pid: number): Promise<number | undefined> {
  const table = await processTable();
  if (!table.some((row) => row.pid === pid)) return undefined;
  return withDescendants(table, [pid]).reduce((sum, each) => sum + residentBytes(each), 0);
}

function residentBytes(pid: number): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1_024;
  } catch {
    // The process has ended meanwhile.
    return 0;
  }
}
