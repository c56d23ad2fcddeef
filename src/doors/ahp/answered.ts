// Answers that leave in the same step in which they are made, so that nothing published later can come before them.

/**
 * A promise hands its value on a moment after it is there, and a session may publish in that moment. This is handed on at once:
 * `answer` sends, and what happens after the call is news to the client.
 */
export function answered<T>(work: (answer: (result: T) => void) => Promise<void>): PromiseLike<T> {
  const running: { answer?: (result: T) => void; fail?: (error: unknown) => void } = {};
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- being called back at once is the point
    then(done, failed) {
      return new Promise((resolve, reject) => {
        running.answer = (result) => resolve(done ? done(result) : (result as never));
        running.fail = (error) => (failed ? resolve(failed(error)) : reject(error as Error));
        work((result) => running.answer?.(result)).catch((error: unknown) => running.fail?.(error));
      });
    },
  };
}
