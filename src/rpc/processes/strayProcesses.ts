// Finds processes that left the group and session of their call, by a variable in their environment.
// Linux only.

import { randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../../base/errorText.ts';
import { SharedLook } from './sharedLook.ts';

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
  const marked = await looks.next();
  return marked.flatMap(({ pid, marks }) => (marks.includes(mark) ? [pid] : []));
}

interface Marked {
  readonly pid: number;
  readonly marks: readonly string[];
}

/** Calls that end together share a look, since it takes milliseconds. */
const looks = new SharedLook(lookAtProcesses);

/** The processes that have no mark, with the numbers of their folders, which no later process has. */
let unmarked: ReadonlyMap<string, number> = new Map();

async function lookAtProcesses(): Promise<readonly Marked[]> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const marked: Marked[] = [];
  const others = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    if (at % portion === portion - 1) await setImmediate();
    const folder = folderOf(name);
    if (folder === undefined) continue;
    const marks = unmarked.get(name) === folder ? [] : marksOf(name);
    if (marks === undefined) continue;
    if (marks.length > 0) marked.push({ pid: Number(name), marks });
    else others.set(name, folder);
  }
  unmarked = others;
  return marked;
}

/** Undefined if the process has ended, or belongs to somebody else, whose environment cannot be read. */
function folderOf(name: string): number | undefined {
  try {
    const { ino, uid } = statSync(`/proc/${name}`);
    const user = process.geteuid?.();
    return user === 0 || uid === user ? ino : undefined;
  } catch {
    return undefined;
  }
}

const marksIn = new RegExp(`${callVariable}=([^\\0]*)\\0`, 'g');

/** Undefined if that is not known: a process that starts another program has no environment for a moment. */
function marksOf(name: string): readonly string[] | undefined {
  try {
    const environment = readFileSync(`/proc/${name}/environ`, 'latin1');
    if (environment === '') return undefined;
    return [...environment.matchAll(marksIn)].map(([, mark = '']) => mark);
  } catch (error) {
    // Threads of the kernel have none.
    return errorCode(error) === 'ESRCH' ? [] : undefined;
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
