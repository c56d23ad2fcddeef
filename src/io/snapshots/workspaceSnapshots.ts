// Snapshots of workspaces: git knows the files of a repository, elsewhere a bounded number of files is read.
import { realpath } from 'node:fs/promises';
import { contains } from '../../base/paths.ts';
import type {
  ChangedFiles,
  FileView,
  WorkspaceSnapshot,
  WorkspaceSnapshots,
} from '../../host/workspace/workspaceSnapshots.ts';
import { viewFile } from './fileView.ts';
import { FolderSnapshot } from './folderSnapshot.ts';
import type { KnownFile } from './folderSnapshot.ts';
import { GitSnapshot } from './gitSnapshot.ts';

/** So many folders keep what was read of them for the next snapshot. */
const keptFolders = 4;

/** What happens in more repositories of one workspace is not seen. */
const mostRepositories = 50;

type OneSnapshot = FolderSnapshot | GitSnapshot;

/**
 * `own`: the folders where Parley keeps its data; their files are no part of a workspace. `placeholders`
 * tells what lies in workspaces for sandboxes now: nobody has made that, and it comes and goes.
 */
export function workspaceSnapshots(
  own: readonly string[] = [],
  placeholders: () => (path: string) => boolean = () => () => false,
): WorkspaceSnapshots {
  const kept = new Map<string, ReadonlyMap<string, KnownFile>>();
  const one = async (root: string, signal: AbortSignal): Promise<readonly [string, OneSnapshot]> => {
    const known = kept.get(root) ?? new Map<string, KnownFile>();
    const taken =
      (await GitSnapshot.take(root, known, signal)) ?? (await FolderSnapshot.take(root, known, signal));
    kept.delete(root);
    kept.set(root, taken.files);
    for (const oldest of [...kept.keys()].slice(0, -keptFolders)) kept.delete(oldest);
    return [root, taken];
  };
  return {
    view: (path) => viewFile(path),
    async take(roots, signal) {
      const real = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
      // One after the other: each starts several processes of git, and that keeps all others waiting.
      const parts = new Map<string, OneSnapshot>();
      const earlier = placeholders();
      for (const root of new Set(real)) parts.set(...(await one(root, signal)));
      // A repository may have others inside, which have others inside.
      for (const [root, { nested }] of parts)
        for (const path of signal.aborted ? [] : nested)
          if (parts.size < mostRepositories && !parts.has(path) && contains(root, path))
            parts.set(...(await one(path, signal)));
      const later = placeholders();
      return together([...parts], { own, placeholders, atStart: (path) => earlier(path) || later(path) });
    },
  };
}

interface NoPart {
  readonly own: readonly string[];
  readonly placeholders: () => (path: string) => boolean;
  /** What was a placeholder when the snapshot was taken. */
  readonly atStart: (path: string) => boolean;
}

/** Whether a file is missing, or as empty as a placeholder. */
function isNothing(view: FileView | null | undefined): boolean {
  return view === null || view?.text === '';
}

/** The snapshots of several folders as one. */
function together(
  parts: readonly (readonly [root: string, snapshot: OneSnapshot])[],
  { own, placeholders, atStart }: NoPart,
): WorkspaceSnapshot {
  const isOwn = (path: string) => own.some((folder) => contains(folder, path));
  const hasOwn = (path: string) => isOwn(path) || own.some((folder) => contains(path, folder));
  // The innermost ones first.
  const inner = parts.toSorted(([one], [other]) => other.length - one.length);
  const partOf = (path: string) => inner.find(([root]) => contains(root, path))?.[1];
  return {
    async before(path) {
      return isOwn(path) ? undefined : partOf(path)?.before(path);
    },
    async changedFolder(path) {
      return partOf(path)?.changedFolder(path);
    },
    async changed(signal) {
      const all: ChangedFiles[] = [];
      const earlier = placeholders();
      for (const [, snapshot] of parts) all.push(await snapshot.changed(signal));
      const later = placeholders();
      const isPlaceholder = (path: string) => atStart(path) || earlier(path) || later(path);
      const paths: string[] = [];
      for (const path of new Set(all.flatMap((part) => part.paths))) {
        // One that holds something, or replaces what did, is a change.
        const views = isPlaceholder(path) ? [await partOf(path)?.before(path), await viewFile(path)] : [];
        const isNoChange = views.length > 0 && views.every(isNothing);
        if (!isOwn(path) && !isNoChange) paths.push(path);
      }
      const lost = all
        .flatMap((part) => part.lost)
        .filter(({ path }) => !hasOwn(path) && !isPlaceholder(path));
      return { paths: paths.toSorted(), lost };
    },
    async close() {
      await Promise.all(parts.map(([, snapshot]) => snapshot.close()));
    },
  };
}
