// Turns that begin in the same moment take their turns, so that they do not hold up the words of others.
import type { Clock } from '../../../host/ports.ts';

/** Lets each caller go on in a round of the event loop of its own, in the order of the calls. */
export function oneByOne(clock: Pick<Clock, 'defer'>): () => Promise<void> {
  let last = Promise.resolve();
  const round = () => new Promise<void>((resolve) => clock.defer(resolve));
  return () => (last = last.then(round));
}
