// Ends a request whose stream has gone silent. Counts from the last byte, because providers send
// keep-alive bytes between parts.
import { onAbort } from '../../../../../base/waiting.ts';
import type { Clock } from '../../../../../host/ports.ts';
import { IdleTimeout } from '../../errors/failures.ts';
import type { ModelFetch } from '../wire.ts';

export interface IdleTimeoutFetch {
  readonly fetch: ModelFetch;
  /** The reader of the answer calls this for every read. */
  readonly hear: () => void;
  /** Aborts with the caller's signal, or after the silence. */
  readonly signal: AbortSignal;
  /** Stops the timer and releases the connection. */
  end(): void;
}

export interface IdleTimeoutOptions {
  readonly fetch: ModelFetch;
  readonly clock: Clock;
  /** The longest silence in milliseconds. */
  readonly idle: number;
  readonly signal: AbortSignal;
}

/** Made once, because an error notes where it was made. */
const released = new Error('The answer is not read any more.');

export function withIdleTimeout({ fetch, clock, idle, signal }: IdleTimeoutOptions): IdleTimeoutFetch {
  const controller = new AbortController();
  let lastByte = clock.elapsed();
  const hear = () => void (lastByte = clock.elapsed());
  const check = () => {
    const left = lastByte + idle - clock.elapsed();
    if (left <= 0) controller.abort(new IdleTimeout());
    else cancelTimer = clock.after(left, check);
  };
  let cancelTimer = clock.after(idle, check);
  const stopListening = onAbort(signal, () => controller.abort(signal.reason));
  return {
    signal: controller.signal,
    hear,
    fetch: async (url, request) => {
      const response = await fetch(url, request);
      hear();
      return response;
    },
    end() {
      cancelTimer();
      stopListening();
      controller.abort(released);
    },
  };
}
