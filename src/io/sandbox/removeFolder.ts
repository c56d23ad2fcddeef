// Removes a folder in which confined programs have written. They may have left folders that nobody may write
// in, as Go does, or that lie too deep for a path.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** What cannot be removed stays; no program must be able to keep us from starting or ending. */
export function removeFolderQuietly(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // These go from folder to folder, without paths, and follow no link.
    for (const [program, ...words] of [
      ['/bin/chmod', '-R', 'u+rwx'],
      ['/bin/rm', '-rf'],
    ] as const)
      spawnSync(program, [...words, folder], { stdio: 'ignore' });
  }
}
