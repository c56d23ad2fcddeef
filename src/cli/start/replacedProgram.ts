// Notices that the files of the running program were replaced, as an update does. Parts that the program has
// not loaded yet are gone then.
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

export interface RunningProgram {
  /** A file of the program. Its name changes with everything that it loads. */
  readonly file: string;
  /** A session with an owner belongs to another host, and its turns do not end with this one. */
  readonly sessions: () => readonly {
    readonly owner: string | undefined;
    readonly head: { readonly chats: { readonly [id: string]: { readonly active?: unknown } } };
  }[];
}

export const replacedWords =
  'The files of Parley were updated or removed, and this host cannot load its other parts any more. It ' +
  'ends now; start it again.';

/** In milliseconds. The folder is not watched: on Windows an update could not move it then. */
const interval = 5_000;

/** True when the program was replaced and no turn runs any more; false if the host closes before. */
export async function replacedAndIdle(
  { file, sessions }: RunningProgram,
  closing: AbortSignal,
): Promise<boolean> {
  const isBusy = () =>
    sessions().some(
      ({ owner, head }) => owner === undefined && Object.values(head.chats).some(({ active }) => active),
    );
  while (!closing.aborted) {
    if (!existsSync(file) && !isBusy()) return true;
    await delay(interval, undefined, { ref: false });
  }
  return false;
}
