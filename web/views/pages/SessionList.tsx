// The session list, newest first, with a status filter and a search in titles and transcripts.
import { useState } from 'preact/hooks';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { isSameSession } from '../../client/catalogue.ts';
import { useClient } from '../../state/app.ts';
import { now } from '../../state/clock.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf, route } from '../../state/route.ts';
import { useSearch } from '../../state/search.ts';
import { formatAge, isArchived, nameOf, statusKindOf, statusLabels } from '../../text/format.ts';
import { memo } from '../parts/memo.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';
import { SearchHits } from './SearchHits.tsx';

export function SessionList() {
  const client = useClient();
  const [filter, setFilter] = useState('');
  const [status, setStatus] = useState<StatusFilter>('all');
  const search = useSearch(filter);
  const all = [...client.sessions.value.values()].toSorted((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : -1));
  const shown = all.filter((summary) => hasStatus(summary, status) && matches(summary, filter));
  const current = route.value.page === 'session' ? route.value.session : undefined;
  return (
    <nav class="session-list" aria-label="Sessions">
      <div class="filter">
        <label>
          <span class="unseen">Search sessions</span>
          <input
            type="search"
            class="search-field"
            placeholder="Search"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <label>
          <span class="unseen">Filter sessions</span>
          <select
            value={status}
            onChange={(event) =>
              setStatus(choices.find(([name]) => name === event.currentTarget.value)?.[0] ?? 'all')
            }
          >
            {choices.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="unseen" role="status">
        {resultCount(filter, shown.length, search.kind === 'found' ? search.hits.length : undefined)}
      </p>
      {shown.length === 0 ? (
        <EmptyList filtered={filter !== '' || status !== 'all'} />
      ) : (
        <ul>
          {shown.map((summary) => (
            <Row
              key={summary.resource}
              summary={summary}
              current={current !== undefined && isSameSession(summary.resource, current)}
            />
          ))}
        </ul>
      )}
      {filter !== '' && <SearchHits search={search} text={filter} listed={shown} />}
    </nav>
  );
}

type StatusFilter = 'all' | 'waiting' | 'running' | 'failed' | 'unread' | 'archive';

const choices: readonly (readonly [StatusFilter, string])[] = [
  ['all', 'All'],
  ['waiting', 'Needs me'],
  ['running', 'Running'],
  ['failed', 'Failed'],
  ['unread', 'Unread'],
  ['archive', 'Archived'],
];

function hasStatus({ status }: SessionSummary, filter: StatusFilter): boolean {
  if (isArchived(status)) return filter === 'archive';
  return filter === 'all' || statusKindOf(status) === filter;
}

function EmptyList({ filtered }: { readonly filtered: boolean }) {
  const client = useClient();
  const mayControl = useHasRole('control');
  if (!client.listed.value) return <p class="empty">Loading…</p>;
  if (filtered) return <p class="empty">No matching sessions</p>;
  return (
    <div class="empty">
      <p>No sessions yet.</p>
      {mayControl && (
        <p>
          <a href={addressOf({ page: 'new' })}>Start the first one</a>
        </p>
      )}
    </div>
  );
}

/** The number of results, for screen readers while the user types. */
function resultCount(filter: string, inTitles: number, inTranscripts: number | undefined): string {
  if (filter === '') return '';
  const titles = `${inTitles} in titles`;
  return inTranscripts === undefined ? titles : `${titles}, ${inTranscripts} in transcripts`;
}

/** Every word of the filter must occur in the title, the folder, the agent or the status. */
function matches(
  { title, workingDirectories = [], provider, status }: SessionSummary,
  filter: string,
): boolean {
  const text = [title, provider, statusLabels[statusKindOf(status)], ...workingDirectories]
    .join(' ')
    .toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

const Row = memo(function Row({
  summary,
  current,
}: {
  readonly summary: SessionSummary;
  readonly current: boolean;
}) {
  const { resource, title, status, modifiedAt, changes } = summary;
  return (
    <li class="session-row">
      <a href={addressOf({ page: 'session', session: resource })} aria-current={current ? 'page' : undefined}>
        <StatusMark status={status} />
        <span class="row-title">{title || 'New session'}</span>
        <span class="row-time">{formatAge(modifiedAt, now.value)}</span>
        <span class="row-about">
          {activityOrFolder(summary)}
          {changes !== undefined && (changes.additions ?? 0) + (changes.deletions ?? 0) > 0 && (
            <span>
              {' '}
              <span class="added">+{changes.additions ?? 0}</span>{' '}
              <span class="removed">−{changes.deletions ?? 0}</span>
            </span>
          )}
        </span>
      </a>
    </li>
  );
});

function activityOrFolder({ status, activity = '', workingDirectories = [] }: SessionSummary): string {
  if (statusKindOf(status) === 'running' && activity !== '') return activity;
  const [folder] = workingDirectories;
  return folder === undefined ? '' : nameOf(folder);
}
