// Waiting in tests: who waits in vain says for what, shortly before the test is out of time
// and ends without a word.
import { TestRunner } from 'vitest';
import { pause } from './living.ts';

/** Before the end of a test, in milliseconds: enough to report on a busy machine. */
const margin = 2_000;
/** Where no test runs, as in a hook. */
const otherwise = 110_000;

/** Gives what `work` gives. Rejects with what is missing if the running test has no time left. */
export async function inTime<T>(work: Promise<T>, missing: () => string): Promise<T> {
  const test = TestRunner.getCurrentTest();
  const end = test ? (test.result?.startTime ?? Date.now()) + test.timeout - margin : Date.now() + otherwise;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // A test may leave without what it once waited for.
      if (TestRunner.getCurrentTest() === test) reject(new Error(`waited in vain for ${missing()}`));
    }, end - Date.now());
    timer.unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

type Falsy = false | undefined;

/** Looks again and again until there is something to see, and gives it; `what` says what that should be. */
export async function eventually<T>(
  look: () => T | Falsy | Promise<T | Falsy>,
  what: string | (() => string),
): Promise<T> {
  let over = false;
  const repeat = async (): Promise<T> => {
    for (;;) {
      const found = await look();
      if ((found !== undefined && found !== false) || over) return found as T;
      await pause(10);
    }
  };
  try {
    return await inTime(repeat(), typeof what === 'string' ? () => what : what);
  } finally {
    over = true;
  }
}
