// What the start page offers below its composer: recent folders, and the sessions to go on with.
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useClient } from '../../state/app.ts';
import { now } from '../../state/clock.ts';
import { addressOf } from '../../state/route.ts';
import { formatAge, isArchived, nameOf, pathOf, statusKindOf } from '../../text/format.ts';
import { LineCounts } from '../parts/LineCounts.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';
import { activityClasses, useActivity } from './useActivity.ts';
import { recentFolders } from './folders.ts';
import { newestFirst } from './sessionGroups.ts';

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
            <button
              type="button"
              class="folder"
              aria-pressed={path === folder}
              onClick={() => onChoose(path)}
            >
              <b class="truncate">{nameOf(path)}</b>
              <span class="truncate ends" title={path}>
                <bdi dir="ltr">{path}</bdi>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
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

function SessionRow({ summary }: { readonly summary: SessionSummary }) {
  const { resource, title, status, modifiedAt, workingDirectories = [], changes } = summary;
  const activity = useActivity(summary);
  const folder = nameOf(workingDirectories[0] ?? '');
  return (
    <a class="list-row" href={addressOf({ page: 'session', session: resource })}>
      <StatusMark status={status} />
      <span class="truncate" dir="auto">
        {title || 'New session'}
      </span>
      <span class={`sub wide ${activityClasses[statusKindOf(status)]}`} dir="auto" title={activity}>
        {activity === '' ? <LineCounts added={changes?.additions} removed={changes?.deletions} /> : activity}
      </span>
      <span class="sub">
        {folder !== '' && <span class="truncate">{folder}</span>}
        {folder !== '' && '·'}
        <span class="age">{formatAge(modifiedAt, now.value)}</span>
      </span>
    </a>
  );
}
