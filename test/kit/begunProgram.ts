// Runs a confined program for a test. Its sandbox is made again if it could not be made, as in the product: a
// test beside this one may have closed a socket that it covers.
import { hasNotBegun, mostAttempts } from '../../src/rpc/processes/beginning.ts';
import type { NotPossible } from '../../src/host/ports.ts';
import type { Confined } from '../../src/io/sandbox/sandbox.ts';

type Start = Pick<Confined, 'hasBegun' | 'release'>;

/** What `run` says of a program that has not begun is forgotten, also an error. */
export async function begunProgram<S extends Start, T>(
  begin: () => S | NotPossible,
  run: (confined: S) => T | Promise<T>,
  attempts = mostAttempts,
): Promise<T> {
  const confined = begin();
  if ('refused' in confined) throw new Error(confined.refused);
  const result = await Promise.resolve(confined)
    .then(run)
    .then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
  confined.release();
  return attempts > 1 && hasNotBegun(confined) ? begunProgram(begin, run, attempts - 1) : result();
}
