// The process groups that we started. They get signals as a group, and end with this
// process, however it ends.

import { startOrphanCleaner } from './orphanCleaner.ts';
import type { OrphanCleaner } from './orphanCleaner.ts';

/** The leaders, with the marks of their calls. */
const live = new Map<number, string>();
let cleaner: OrphanCleaner | undefined;

/** Ensures that the group ends with this process, and with a mark also what leaves the group. */
export function adoptGroup(leader: number, mark = ''): void {
  if (live.size === 0) process.on('exit', killAll);
  live.set(leader, mark);
  if (cleaner) cleaner.watch(leader, mark);
  else startCleaner();
}

/** A killed cleaner is replaced. */
function startCleaner(): void {
  cleaner = startOrphanCleaner(startCleaner);
  for (const [leader, mark] of live) cleaner.watch(leader, mark);
}

export function releaseGroup(leader: number): void {
  cleaner?.forget(leader, live.get(leader));
  live.delete(leader);
  if (live.size > 0) return;
  process.off('exit', killAll);
  cleaner?.stop();
  cleaner = undefined;
}

/** False if the group has no members. */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    // Windows has no process groups, so only the leader gets the signal.
    return process.kill(process.platform === 'win32' ? leader : -leader, signal);
  } catch {
    return false;
  }
}

/**
 * Ends the whole group with SIGTERM, and with SIGKILL after the grace period. Does not wait for members
 * that cannot be reaped.
 */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM')) return;
  await groupGone(leader, graceMs);
  if (signalGroup(leader, 'SIGKILL')) await groupGone(leader, graceMs);
}

const pollMs = 10;

async function groupGone(leader: number, withinMs: number): Promise<void> {
  for (let waited = 0; waited < withinMs && signalGroup(leader, 0); waited += pollMs) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function killAll(): void {
  for (const leader of live.keys()) signalGroup(leader, 'SIGKILL');
}
