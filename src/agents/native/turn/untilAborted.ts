// Listening to a source that may not notice that nobody listens any more.

/** The values of a source until the signal aborts, also when the source does not notice. */
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
    // Nobody waits for a source that may hang; what it says when it is let go is of no interest.
    iterator.return?.().catch(() => {});
  }
}
