// Ends a child with everything it started: its process group, and on Linux also descendants that left the group.
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
  // What was started after the first look is a child of something in it.
  for (const known of [pid, ...strays]) for (const late of await descendants(known)) strays.add(late);
  signal(pid, strays, 'SIGKILL');
}

/** Kills what is left in the group of a child. Its number stays taken while anything is left in the group, so nobody else is hit. */
export function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined && process.platform !== 'win32') signal(pid, new Set(), 'SIGKILL');
}

function signal(group: number, strays: ReadonlySet<number>, name: 'SIGTERM' | 'SIGKILL'): void {
  for (const target of [-group, ...strays]) {
    try {
      process.kill(target, name);
    } catch {
      // It has ended by itself.
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

/** Every living process below one; empty where the system offers no such list. */
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
