// Notices that the files of the running program were replaced, as an update does. Parts that the program has
// not loaded yet are gone then.
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { State } from '../../model/state.ts';
import { watchFolders } from '../../io/settings/watch.ts';

export interface RunningProgram {
  /** A file of the program. Its name changes with everything that it loads. */
  readonly file: string;
  readonly sessions: () => readonly { readonly state: Pick<State, 'chats'> }[];
}

/** How long a host with running turns waits before it looks again, in milliseconds. */
const interval = 1_000;

/** Resolves when the program was replaced and no turn runs any more; never if `closed` comes first. */
export function replacedAndIdle(program: RunningProgram, closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (existsSync(program.file)) return;
      watch.close();
      void idle(program, closed).then(resolve);
    };
    const watch = watchFolders(look);
    watch.add(dirname(program.file), [basename(program.file)]);
    closed.addEventListener('abort', () => watch.close());
    look();
  });
}

async function idle({ sessions }: RunningProgram, closed: AbortSignal): Promise<void> {
  const isBusy = () =>
    sessions().some(({ state }) => Object.values(state.chats).some(({ active }) => active));
  while (isBusy() && !closed.aborted) await delay(interval, undefined, { ref: false });
}
