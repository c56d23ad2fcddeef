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

/** All the time that a loaded machine may need to end a process, in milliseconds. */
const patience = 60_000;

export async function untilGone(pid: number): Promise<void> {
  if ((await survivors([pid])).length > 0) throw new Error(`process ${pid} still lives: ${describe(pid)}`);
}

/** Those of a list that still live after that time. */
export async function survivors(pids: readonly number[]): Promise<readonly number[]> {
  const until = Date.now() + patience;
  while (pids.some(alive) && Date.now() < until) await pause(10);
  return pids.filter(alive);
}

function describe(pid: number): string {
  try {
    const state = /^State:.*$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[0];
    return `${state}, ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`;
  } catch {
    return 'it has ended meanwhile';
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
