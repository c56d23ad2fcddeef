// The locks that a host needs. Loads little else, because a start that is refused must end at once.
import { dataPaths } from '../io/settings/dataPaths.ts';
import { acquire } from '../io/store/lock.ts';
import type { Lock } from '../io/store/lock.ts';
import type { Holder } from '../io/store/lockHolder.ts';
import type { StorePlace } from '../io/store/storeUrl.ts';

/** Locks the data directory and the folder of the log, or returns the process that holds one of them. */
export function lockHost(
  env: NodeJS.ProcessEnv,
  { store, alone }: { readonly store: StorePlace | undefined; readonly alone: boolean },
): Promise<Lock | { readonly heldBy: Holder }> {
  const { directory } = dataPaths(env);
  const folder = store && 'directory' in store ? store.directory : directory;
  return lockAll([...new Set([directory, folder])], alone);
}

/** Locks all of these folders or none. */
async function lockAll(
  folders: readonly string[],
  alone: boolean,
): Promise<Lock | { readonly heldBy: Holder }> {
  const locks: Lock[] = [];
  const release = () => locks.forEach((lock) => lock.release());
  for (const directory of folders) {
    const lock = await acquire(directory, { alone });
    if ('heldBy' in lock) {
      release();
      return lock;
    }
    locks.push(lock);
  }
  return { release };
}
