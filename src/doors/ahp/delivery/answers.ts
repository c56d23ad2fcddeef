// Answers that leave in the same step in which they are made, so that nothing published later can come before them.

/** To be awaited like a promise, but called back at once. */
export interface Answering<T> {
  then(done: (result: T) => unknown, failed: (error: unknown) => unknown): void;
}

/**
 * A promise hands its value on a moment after it is there, and a session may publish in that moment. This is handed on at once:
 * `answer` sends, and what happens after the call is news to the client.
 */
export function answered<T>(work: (answer: (result: T) => void) => Promise<void>): Answering<T> {
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- being called back at once is the point
    then(done, failed) {
      work((result) => void done(result)).catch(failed);
    },
  };
}
