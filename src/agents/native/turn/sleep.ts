// Waiting as a function that is handed in, so that tests need not wait.
import type { Clock } from '../../../host/ports.ts';

/** Resolves after that many milliseconds, or as soon as the signal aborts. */
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
