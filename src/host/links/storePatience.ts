// How long whoever reads a session waits for a store that is away, such as a database that is restarted.
import type { Rejection } from '../../model/command.ts';
import type { Clock } from '../ports.ts';
import { isAway, storeIsAway } from '../session/logStore.ts';

/** In milliseconds. */
const patience = 15_000;
const retryPause = 250;

/** What the store says, as soon as it answers; a refusal if it stays away. `ask` may be called again. */
export async function onceStoreAnswers<T>(clock: Clock, ask: () => Promise<T>): Promise<T | Rejection> {
  const until = clock.elapsed() + patience;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isAway(error)) throw error;
      if (clock.elapsed() > until) return storeIsAway;
      await new Promise<void>((resolve) => void clock.after(retryPause, resolve));
    }
  }
}
