// Snapshots of workspaces: git knows the files of a repository, elsewhere a bounded number of files is read.
import { realpath } from 'node:fs/promises';
import { contains } from '../../base/paths.ts';
import type { WorkspaceSnapshot, WorkspaceSnapshots } from '../../host/workspace/workspaceSnapshots.ts';
import { viewFile } from './fileView.ts';
import { FolderSnapshot } from './folderSnapshot.ts';
import type { KnownFile } from './folderSnapshot.ts';
import { GitSnapshot } from './gitSnapshot.ts';

/** So many folders keep what was read of them for the next snapshot. */
const keptFolders = 4;

type OneSnapshot = FolderSnapshot | GitSnapshot;

/** `own`: the folders where Parley keeps its data; their files are no part of a workspace. */
export function workspaceSnapshots(own: readonly string[] = []): WorkspaceSnapshots {
  const kept = new Map<string, ReadonlyMap<string, KnownFile>>();
  const one = async (given: string, signal: AbortSignal): Promise<readonly [string, OneSnapshot]> => {
    const root = await realpath(given).catch(() => given);
    const known = kept.get(root) ?? new Map<string, KnownFile>();
    const taken = (await GitSnapshot.take(root, known)) ?? (await FolderSnapshot.take(root, known, signal));
    kept.delete(root);
    kept.set(root, taken.files);
    for (const oldest of [...kept.keys()].slice(0, -keptFolders)) kept.delete(oldest);
    return [root, taken];
  };
  return {
    view: (path) => viewFile(path),
    async take(roots, signal) {
      return together(await Promise.all(roots.map((root) => one(root, signal))), own);
    },
  };
}

/** The snapshots of several folders as one. */
function together(
  parts: readonly (readonly [root: string, snapshot: OneSnapshot])[],
  own: readonly string[],
): WorkspaceSnapshot {
  const isOwn = (path: string) => own.some((folder) => contains(folder, path));
  return {
    async before(path) {
      const part = parts.find(([root]) => contains(root, path));
      return isOwn(path) ? undefined : part?.[1].before(path);
    },
    async changed(signal) {
      const all = await Promise.all(parts.map(([, snapshot]) => snapshot.changed(signal)));
      return [...new Set(all.flat())].filter((path) => !isOwn(path)).toSorted();
    },
    async close() {
      await Promise.all(parts.map(([, snapshot]) => snapshot.close()));
    },
  };
}
