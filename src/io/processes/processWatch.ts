// Tells when another process is gone, for a server that must not outlive its editor. Nothing tells us of foreign processes, so they are looked at now and then.
import { readFileSync } from 'node:fs';

const pause = 500;

/** Calls back once when the process has ended, soon if it is not there at all; the returned function ends the watch. */
export function watchProcess(pid: number, ended: () => void): () => void {
  const born = birthOf(pid);
  const look = () => {
    const now = birthOf(pid);
    if (isAlive(pid) && now === born && now !== 'dead') return;
    clearInterval(timer);
    ended();
  };
  const timer = setInterval(look, pause);
  timer.unref();
  const first = setImmediate(look);
  return () => {
    clearImmediate(first);
    clearInterval(timer);
  };
}

/** A process of somebody else cannot be signalled, but it is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When the process began, where the system tells: a number that is given out anew is another process. */
function birthOf(pid: number): string | undefined {
  try {
    const [, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [state, ...rest] = fields.join(') ').split(' ');
    return state === 'Z' ? 'dead' : rest[18];
  } catch {
    return undefined;
  }
}
