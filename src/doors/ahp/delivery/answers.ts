// Answers that leave in the same step in which they are made, so that nothing published later
// can come before them.

/** Awaitable like a promise, but it calls back synchronously. */
export interface SynchronousAnswer<T> {
  then(done: (result: T) => unknown, failed: (error: unknown) => unknown): void;
}

/**
 * A promise delivers its value later, and a session may publish in between. This delivers synchronously:
 * `answer` sends, and everything after the call is news to the client.
 */
export function answerSynchronously<T>(
  work: (answer: (result: T) => void) => Promise<void>,
): SynchronousAnswer<T> {
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- the synchronous callback is the purpose
    then(done, failed) {
      work((result) => void done(result)).catch(failed);
    },
  };
}
