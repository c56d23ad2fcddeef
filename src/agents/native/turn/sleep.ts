// A sleep function on a given clock, so that tests control the time.
import type { Clock } from '../../../host/ports.ts';

/** Resolves after the time in milliseconds, or when the signal aborts. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

export function sleepOn(clock: Clock): Sleep {
  return (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        recall();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const recall = clock.after(milliseconds, done);
      signal.addEventListener('abort', done, { once: true });
    });
}
