// Tells when files change, appear or go, through the operating system alone. Watches the folders, since
// editors replace files.
import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';

export interface Watch {
  /**
   * Watches also whether one of the names in a folder changes; a folder that cannot be watched is left out.
   */
  add(folder: string, names: readonly string[]): void;
  close(): void;
}

/** Editors write in several steps; the last one counts. */
const calm = 100;

export function watchFolders(changed: () => void): Watch {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly wanted: Set<string> }>();
  let timer: NodeJS.Timeout | undefined;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, calm);
    timer.unref();
  };
  const drop = (folder: string) => {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  };
  return {
    add(folder, names) {
      const known = watchers.get(folder);
      for (const name of names) known?.wanted.add(name);
      if (known) return;
      const wanted = new Set(names);
      try {
        const watcher = watch(folder, { persistent: false }, (_, name) => {
          if (name === null || wanted.has(name)) soon();
        });
        // A folder that goes away may come back as another one.
        watcher.on('error', () => drop(folder));
        watchers.set(folder, { watcher, wanted });
      } catch {
        // It does not exist, or there are too many watches; then changes are seen at the next start.
      }
    },
    close() {
      clearTimeout(timer);
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
}
