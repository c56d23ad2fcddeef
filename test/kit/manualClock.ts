// A clock that stands still until a test moves it.
import type { Clock } from '../../src/host/ports.ts';

export interface ManualClock extends Clock {
  /** Lets so many milliseconds pass and runs what falls due, in order. */
  advance(milliseconds: number): void;
  /** In how many milliseconds each waiting function is due. */
  readonly waiting: readonly number[];
}

export function manualClock(start = 1_000_000): ManualClock {
  let now = start;
  const due = new Map<object, { readonly at: number; readonly run: () => void }>();
  return {
    now: () => now,
    elapsed: () => now,
    defer: (run) => queueMicrotask(run),
    after(milliseconds, run) {
      const key = {};
      due.set(key, { at: now + milliseconds, run });
      return () => void due.delete(key);
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const [key, next] =
          [...due].filter(([, { at }]) => at <= end).toSorted(([, a], [, b]) => a.at - b.at)[0] ?? [];
        if (!key || !next) break;
        due.delete(key);
        now = Math.max(now, next.at);
        next.run();
      }
      now = end;
    },
    get waiting() {
      return [...due.values()].map(({ at }) => at - now);
    },
  };
}
