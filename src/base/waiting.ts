// Waiting that ends when a signal aborts, whether or not the source notices the signal.

/**
 * Calls `stop` once when the signal aborts, immediately if it already has. Returns a function
 * that stops listening.
 */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  if (signal.aborted) {
    stop();
    return () => {};
  }
  signal.addEventListener('abort', stop, { once: true });
  return () => signal.removeEventListener('abort', stop);
}

/** The promise's value, or `undefined` as soon as the signal aborts. */
export function untilDone<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let leave = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    leave = onAbort(signal, () => resolve(undefined));
  });
  return Promise.race([aborted, promise]).finally(leave);
}

/** Resolves after the time in milliseconds, or when the signal aborts. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** A sleep function on a given clock, so that tests control the time. */
export function sleepOn(clock: { after(milliseconds: number, run: () => void): () => void }): Sleep {
  return (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        recall();
        leave();
        resolve();
      };
      const recall = clock.after(milliseconds, done);
      const leave = onAbort(signal, done);
    });
}

/** The values of the source until the signal aborts. The source is closed in either case. */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let abort = () => {};
  const listener = () => abort();
  signal.addEventListener('abort', listener, { once: true });
  try {
    while (!signal.aborted) {
      const next = await new Promise<IteratorResult<T, unknown> | undefined>((resolve, reject) => {
        abort = () => resolve(undefined);
        iterator.next().then(resolve, reject);
      });
      if (!next || next.done || signal.aborted) return;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', listener);
    // A source may hang when it is closed, so nobody waits for it, and its last error is dropped.
    iterator.return?.().catch(() => {});
  }
}
