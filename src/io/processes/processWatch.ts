// Detects the end of another process by polling, for a server that must not outlive its editor.
import { readFileSync } from 'node:fs';
import { errorCode } from '../../base/errorText.ts';

const pause = 500;

/** Calls back once when the process has ended or does not exist; the returned function stops the watch. */
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

/** Another user's process cannot be signalled, but it exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** The start time, where the system has one: a reused id is another process. */
function birthOf(pid: number): string | undefined {
  try {
    const [, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const [state, ...rest] = fields.join(') ').split(' ');
    return state === 'Z' ? 'dead' : rest[18];
  } catch {
    return undefined;
  }
}
