// Finds processes that left the group and session of their call, by a variable in their environment.
// Linux only.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';

/** Every process that a call starts inherits it, unless it clears or overwrites its environment. */
export const callVariable = 'PARLEY_CALL';

/** The value of the variable for one call. */
export function newCallMark(): string {
  return randomUUID();
}

/** Kills what a call has left behind. */
export async function endStrays(mark: string): Promise<void> {
  // A process may have started another one just before it was killed, so look several times.
  for (let round = 0; round < rounds; round += 1) {
    const found = await straysOf(mark);
    if (found.length === 0) return;
    found.forEach(kill);
    await delay(round);
  }
}

const rounds = 50;

/** How many processes are read before other work gets a chance. */
const portion = 64;

async function straysOf(mark: string): Promise<readonly number[]> {
  const text = `${callVariable}=${mark}\0`;
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found: number[] = [];
  for (const [at, name] of names.entries()) {
    if (at % portion === portion - 1) await setImmediate();
    if (environmentOf(name).includes(text)) found.push(Number(name));
  }
  return found;
}

function environmentOf(name: string): string {
  try {
    return readFileSync(`/proc/${name}/environ`, 'latin1');
  } catch {
    // The process has ended, or belongs to somebody else.
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/** Shell text that kills the strays of the call in `$mark`, for watchers that outlive us. */
const findStrays = `grep -laF "${callVariable}=$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3`;
export const endStraysScript = `kill -s KILL $(${findStrays})`;
