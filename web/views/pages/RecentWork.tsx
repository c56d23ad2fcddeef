// What the start page offers below its composer: recent folders, and the sessions to go on with.
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { addressOf } from '../../state/route.ts';
import { isArchived, nameOf, pathOf, shortPath, statusKindOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { recentFolders, useBranch } from './folders.ts';
import { newestFirst } from './sessionGroups.ts';
import { SessionRow } from './SessionRow.tsx';

const maxFolders = 4;
const maxSessions = 6;

interface RecentFoldersProps {
  readonly folder: string;
  readonly onChoose: (folder: string) => void;
}

export function RecentFolders({ folder, onChoose }: RecentFoldersProps) {
  const client = useClient();
  const paths = recentFolders([...client.sessions.value.values()])
    .map(pathOf)
    .slice(0, maxFolders);
  if (paths.length === 0) return null;
  return (
    <section class="block" aria-labelledby="recent-folders">
      <div class="block-head">
        <h2 id="recent-folders">Recent folders</h2>
      </div>
      <ul class="folders">
        {paths.map((path) => (
          <li key={path}>
            <FolderCard path={path} chosen={path === folder} onChoose={onChoose} />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface FolderCardProps {
  readonly path: string;
  readonly chosen: boolean;
  readonly onChoose: (folder: string) => void;
}

function FolderCard({ path, chosen, onChoose }: FolderCardProps) {
  const home = useClient().access.value?.home;
  const branch = useBranch(path);
  return (
    <button type="button" class="folder" aria-pressed={chosen} onClick={() => onChoose(path)}>
      <b class="truncate">{nameOf(path)}</b>
      <span class="truncate ends" title={path}>
        <bdi dir="ltr">{shortPath(path, home)}</bdi>
      </span>
      {branch !== undefined && (
        <span title="Git branch">
          <Icon name="branch" />
          <span class="unseen">Branch: </span>
          <bdi class="truncate">{branch}</bdi>
        </span>
      )}
    </button>
  );
}

/** Sessions that need the user come first. */
export function RecentSessions() {
  const client = useClient();
  const live = newestFirst([...client.sessions.value.values()].filter(({ status }) => !isArchived(status)));
  const waits = ({ status }: SessionSummary) => statusKindOf(status) === 'waiting';
  const waiting = live.filter(waits);
  const shown = [...waiting, ...live.filter((summary) => !waits(summary))].slice(0, maxSessions);
  if (shown.length === 0) return null;
  return (
    <section class="block" aria-labelledby="recent-sessions">
      <div class="block-head">
        <h2 id="recent-sessions">Pick up where you left off</h2>
        {waiting.length > 0 && (
          <a class="end" href={addressOf({ page: 'inbox' })}>
            {waiting.length} {waiting.length === 1 ? 'needs' : 'need'} you
          </a>
        )}
      </div>
      <ul class="list">
        {shown.map((summary) => (
          <li key={summary.resource}>
            <SessionRow summary={summary} />
          </li>
        ))}
      </ul>
    </section>
  );
}
