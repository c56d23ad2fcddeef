// Whether a process lives, as a test sees it: one that only waits to be reaped is dead.
import { readdirSync, readFileSync } from 'node:fs';

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

/** Kills processes of one tree. With its parent a child may end, and be gone, before its turn comes. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (alive(pid)) throw error;
    }
}

/** All processes below one. */
export function descendantsOf(pid: number): readonly number[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        return [{ pid: Number(name), parent: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) }];
      } catch {
        // It ended while we looked.
        return [];
      }
    });
  const below = (of: number): readonly number[] =>
    all.filter(({ parent }) => parent === of).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(pid);
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
