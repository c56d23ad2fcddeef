// The sessions of the host with how each stands, newest first, and a box to narrow them down and to search in what was said.
import { useState } from 'preact/hooks';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { isSameSession } from '../../client/catalogue.ts';
import { useClient } from '../../state/app.ts';
import { now } from '../../state/clock.ts';
import { useMay } from '../../state/role.ts';
import { addressOf, route } from '../../state/route.ts';
import { useSearch } from '../../state/search.ts';
import { ago, isArchived, nameOf, standingOf, standingWords } from '../../text/words.ts';
import { memo } from '../parts/memo.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';
import { Hits } from './Hits.tsx';

export function SessionList() {
  const client = useClient();
  const [filter, setFilter] = useState('');
  const [standing, setStanding] = useState<Shown>('all');
  const search = useSearch(filter);
  const all = [...client.sessions.value.values()].toSorted((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : -1));
  const shown = all.filter((summary) => stands(summary, standing) && matches(summary, filter));
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
          <span class="unseen">Which sessions</span>
          <select
            value={standing}
            onChange={(event) =>
              setStanding(choices.find(([name]) => name === event.currentTarget.value)?.[0] ?? 'all')
            }
          >
            {choices.map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="unseen" role="status">
        {statusOf(filter, shown.length, search.kind === 'found' ? search.hits.length : undefined)}
      </p>
      {shown.length === 0 ? (
        <Nothing narrowed={filter !== '' || standing !== 'all'} />
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
      {filter !== '' && <Hits search={search} text={filter} known={shown} />}
    </nav>
  );
}

type Shown = 'all' | 'waiting' | 'running' | 'failed' | 'unread' | 'archive';

const choices: readonly (readonly [Shown, string])[] = [
  ['all', 'All'],
  ['waiting', 'Waiting for me'],
  ['running', 'At work'],
  ['failed', 'With a failure'],
  ['unread', 'With news'],
  ['archive', 'Archived'],
];

function stands({ status }: SessionSummary, shown: Shown): boolean {
  if (isArchived(status)) return shown === 'archive';
  return shown === 'all' || standingOf(status) === shown;
}

function Nothing({ narrowed }: { readonly narrowed: boolean }) {
  const client = useClient();
  const mayControl = useMay('control');
  if (!client.listed.value) return <p class="empty">Loading…</p>;
  if (narrowed) return <p class="empty">None matches.</p>;
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

/** What a screen reader hears while somebody types. */
function statusOf(filter: string, named: number, said: number | undefined): string {
  if (filter === '') return '';
  return said === undefined ? `${named} by name` : `${named} by name, ${said} by what was said`;
}

/** Words for the title, the folder, the agent or the state, all of which must match. */
function matches(
  { title, workingDirectories = [], provider, status }: SessionSummary,
  filter: string,
): boolean {
  const text = [title, provider, standingWords[standingOf(status)], ...workingDirectories]
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
  const { resource, title, status, activity, modifiedAt, workingDirectories = [], changes } = summary;
  const folder = workingDirectories[0];
  return (
    <li class="session-row">
      <a href={addressOf({ page: 'session', session: resource })} aria-current={current ? 'page' : undefined}>
        <StatusMark status={status} />
        <span class="row-title">{title || 'New session'}</span>
        <span class="row-time">{ago(modifiedAt, now.value)}</span>
        <span class="row-about">
          {standingOf(status) === 'running' && (activity ?? '') !== ''
            ? activity
            : folder === undefined
              ? ''
              : nameOf(folder)}
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
