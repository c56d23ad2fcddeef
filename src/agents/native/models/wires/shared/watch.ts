// Gives up a request that has gone silent: counts from the last byte, not from the last word, since providers send signs of life in between.
import type { Clock } from '../../../../../host/ports.ts';
import { Silence } from '../../errors/problem.ts';
import type { Fetch } from '../wire.ts';

export interface Watched {
  readonly fetch: Fetch;
  /** Whoever reads the answer says so at every byte. */
  readonly hear: () => void;
  /** Aborts when the caller's signal does, or after the silence. */
  readonly signal: AbortSignal;
  /** Ends the watch and lets the connection go. */
  end(): void;
}

export interface WatchOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** How many milliseconds of silence are too many. */
  readonly idle: number;
  readonly signal: AbortSignal;
}

export function watch({ fetch, clock, idle, signal }: WatchOptions): Watched {
  const stop = new AbortController();
  let heard = clock.now();
  const hear = () => void (heard = clock.now());
  const look = () => {
    const left = heard + idle - clock.now();
    if (left <= 0) stop.abort(new Silence());
    else recall = clock.after(left, look);
  };
  let recall = clock.after(idle, look);
  const stopped = () => stop.abort(signal.reason);
  if (signal.aborted) stopped();
  else signal.addEventListener('abort', stopped, { once: true });
  return {
    signal: stop.signal,
    hear,
    fetch: async (input, init) => {
      // Whoever is sent elsewhere would take the key along.
      const response = await fetch(input, { ...init, signal: stop.signal, redirect: 'manual' });
      hear();
      return response;
    },
    end() {
      recall();
      signal.removeEventListener('abort', stopped);
      stop.abort();
    },
  };
}
