// Whether a process lives, as a test sees it: one that only waits to be reaped is dead.
import { readFileSync } from 'node:fs';

export function alive(pid: number): boolean {
  if (!(pid > 1)) throw new Error(`${pid} is no process`);
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

export async function untilGone(pid: number): Promise<void> {
  while (alive(pid)) await pause(10);
}

/** Those of a list that still live after all the time a loaded machine may need to end them. */
export async function survivors(pids: readonly number[]): Promise<readonly number[]> {
  const patience = Date.now() + 60_000;
  while (pids.some(alive) && Date.now() < patience) await pause(10);
  return pids.filter(alive);
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
