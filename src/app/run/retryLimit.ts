// Watches how long a run waits for a provider that keeps failing: nobody is there to stop it.
import type { EventOf, Problem } from '../../model/event.ts';

/** All waits for one answer that we choose ourselves, in milliseconds. */
const longest = 120_000;

export class RetryLimit {
  readonly #waited = new Map<string, number>();

  /** Why the run must stop now; undefined if it may go on. What a provider asks for is waited for. */
  exceededBy({ turn, retry }: EventOf<'notice.added'>): Problem | undefined {
    if (!retry || retry.asked) return undefined;
    const { problem, attempt, wait } = retry;
    const waited = (attempt === 1 ? 0 : (this.#waited.get(turn) ?? 0)) + wait;
    this.#waited.set(turn, waited);
    if (waited <= longest) return undefined;
    const tried = `Given up after ${attempt - 1} more attempts; with --timeout the run waits longer.`;
    return { code: problem.code, message: `${problem.message} ${tried}` };
  }
}
