// Watches one file or directory for clients; changes that come together are told together.
import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ResourceChange, ResourceFiles } from '../../host/workspace/resourceFiles.ts';
import { fileProblem } from './fileProblem.ts';

/** How long changes are gathered, in milliseconds. */
const together = 50;

/** More changes at once than this are told in parts. */
const most = 1_000;

export const watchPath: ResourceFiles['watch'] = async (path, { recursive, ...follower }) => {
  try {
    const isDirectory = (await lstat(path)).isDirectory();
    // A single file is watched through its directory: editors replace files instead of changing them.
    const folder = isDirectory ? path : dirname(path);
    const gathered = new Gathered((changes) => follower.changed(changes));
    const watcher = watch(
      folder,
      { recursive: recursive && isDirectory, persistent: false },
      (event, name) => {
        if (name === null || (!isDirectory && name !== basename(path))) return;
        gathered.add(join(folder, name), event === 'rename');
      },
    );
    watcher.on('error', () => close(watcher, gathered));
    return () => close(watcher, gathered);
  } catch (error) {
    return fileProblem(error, basename(path));
  }
};

function close(watcher: FSWatcher, gathered: Gathered): void {
  watcher.close();
  gathered.close();
}

class Gathered {
  readonly #changed: (changes: readonly ResourceChange[]) => void;
  /** Whether a path may have come or gone, by path. */
  #paths = new Map<string, boolean>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(changed: (changes: readonly ResourceChange[]) => void) {
    this.#changed = changed;
  }

  add(path: string, renamed: boolean): void {
    if (this.#closed) return;
    this.#paths.set(path, renamed || (this.#paths.get(path) ?? false));
    this.#timer ??= setTimeout(() => void this.#tell(), together);
    if (this.#paths.size >= most) void this.#tell();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #tell(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const paths = [...this.#paths];
    this.#paths = new Map();
    const changes = await Promise.all(
      paths.map(async ([path, renamed]): Promise<ResourceChange> => {
        const exists = await lstat(path).then(
          () => true,
          () => false,
        );
        if (!exists) return { path, type: 'deleted' };
        return { path, type: renamed ? 'added' : 'updated' };
      }),
    );
    if (!this.#closed && changes.length > 0) this.#changed(changes);
  }
}
