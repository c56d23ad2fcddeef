// The folders that a session can work in: the default, recent ones, and listings from the host.
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Client } from '../../../client/connection/client.ts';
import type { FolderListing } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostData, usePolledHostData } from '../../state/hostData.ts';
import { pathOf, toUri } from '../../text/format.ts';
import { newestFirst } from './sessionGroups.ts';

/**
 * The folder of the newest session, else the host's default folder, else the folder where
 * the host was started.
 */
export function useDefaultFolder(): string {
  const client = useClient();
  const { value: startFolder } = useHostData('console/folder', {});
  const [recent] = recentFolders([...client.sessions.value.values()]);
  return pathOf(recent ?? client.host.value?.defaultDirectory ?? startFolder ?? '');
}

/** Each folder once, the one of the newest session first. */
export function recentFolders(summaries: readonly SessionSummary[]): readonly URI[] {
  return [
    ...new Set(
      newestFirst(summaries).flatMap(({ workingDirectories = [] }) => workingDirectories.slice(0, 1)),
    ),
  ];
}

/** How often the branch is read: a turn, or a person at a terminal, may switch it. */
const branchMs = 30_000;

/** The git branch of a folder, for users who may look at folders. */
export function useBranch(folder: string): string | undefined {
  return usePolledHostData('console/folders', { at: folder }, branchMs).value?.branch;
}

/** Fails if the folder does not exist. */
export function folderListing(client: Client, path: string): Promise<FolderListing> {
  return client.access.value
    ? client.requestExtension('console/folders', { at: path })
    : listFoldersByResource(client, path);
}

/** For hosts that are not Parley: lists folders by the standard request, if the host serves files. */
async function listFoldersByResource(client: Client, path: string): Promise<FolderListing> {
  const folder = path.replace(/\/+$/, '');
  const parent = folder.replace(/\/[^/]*$/, '') || '/';
  const entries = await client.request('resourceList', { uri: toUri(folder || '/') }).then(
    (result) => result.entries,
    () => [],
  );
  const folders = entries.flatMap(({ type, name }) =>
    type === 'directory' && !name.startsWith('.') ? [{ name, path: `${folder}/${name}` }] : [],
  );
  return { folder: folder || '/', parent, folders };
}
