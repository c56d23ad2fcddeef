// Ends a child process and its descendants: its process group, and on Linux also those that left the group.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { processTable, withDescendants } from './processTable.ts';

/** Asks the tree to end, waits at most `grace` milliseconds for it, then kills what is left. */
export async function endTree(child: ChildProcess, grace: number): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (process.platform === 'win32') return taskkill(pid);
  const strays = new Set(await descendants(pid));
  signal(pid, strays, 'SIGTERM');
  await gone(child, grace);
  // Processes started meanwhile are descendants of those found first.
  for (const known of [pid, ...strays]) for (const late of await descendants(known)) strays.add(late);
  signal(pid, strays, 'SIGKILL');
}

/**
 * Kills what is left of a child's process group. The id is not reused while the group exists, so no
 * other process is hit.
 */
export function endProcessTree({ pid }: ChildProcess): void {
  if (pid !== undefined && process.platform !== 'win32') signal(pid, new Set(), 'SIGKILL');
}

function signal(group: number, strays: ReadonlySet<number>, name: 'SIGTERM' | 'SIGKILL'): void {
  for (const target of [-group, ...strays]) {
    try {
      process.kill(target, name);
    } catch {
      // The process has already ended.
    }
  }
}

function gone(child: ChildProcess, grace: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, grace);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** All running descendants; empty where the system has no process table. */
async function descendants(root: number): Promise<readonly number[]> {
  return withDescendants(await processTable(), [root]).slice(1);
}

function taskkill(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const killer = spawn('taskkill', ['/pid', String(pid), '/t', '/f'], {
      stdio: 'ignore',
      windowsHide: true,
    });
    killer.once('error', () => resolve());
    killer.once('exit', () => resolve());
  });
}
