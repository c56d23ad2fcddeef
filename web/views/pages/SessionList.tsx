// The sessions of the host with how each stands, newest first, and a box to narrow them down and to search in what was said.
import { useState } from 'preact/hooks';
import type { SessionSummary } from '../../../src/protocols/ahp/newest/state.ts';
import { useClient } from '../../state/app.ts';
import { now } from '../../state/clock.ts';
import { addressOf, route } from '../../state/route.ts';
import { useSearch } from '../../state/search.ts';
import { ago, isArchived, nameOf, standingOf, standingWords } from '../../text/words.ts';
import { memo } from '../parts/memo.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';
import { Hits } from './Hits.tsx';

export function SessionList() {
  const client = useClient();
  const [filter, setFilter] = useState('');
  const [archive, setArchive] = useState(false);
  const search = useSearch(filter);
  const all = [...client.sessions.value.values()].toSorted((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : -1));
  const shown = all.filter((summary) => isArchived(summary.status) === archive && matches(summary, filter));
  const current = route.value.page === 'session' ? route.value.session : undefined;
  return (
    <nav class="session-list" aria-label="Sessions">
      <label class="filter">
        <span class="unseen">Search sessions</span>
        <input type="search" class="search-field" placeholder="Search" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      </label>
      <p class="unseen" role="status">{statusOf(filter, shown.length, search.kind === 'found' ? search.hits.length : undefined)}</p>
      {shown.length === 0 ? (
        <p class="empty">{client.listed.value ? (filter === '' && !archive ? 'No sessions yet.' : 'None matches.') : 'Loading…'}</p>
      ) : (
        <ul>
          {shown.map((summary) => (
            <Row key={summary.resource} summary={summary} current={summary.resource === current} />
          ))}
        </ul>
      )}
      {filter !== '' && <Hits search={search} text={filter} known={shown} />}
      {(archive || all.some(({ status }) => isArchived(status))) && (
        <button type="button" class="link" onClick={() => setArchive(!archive)}>
          {archive ? 'Back to the sessions' : 'Show the archive'}
        </button>
      )}
    </nav>
  );
}

/** What a screen reader hears while somebody types. */
function statusOf(filter: string, named: number, said: number | undefined): string {
  if (filter === '') return '';
  return said === undefined ? `${named} by name` : `${named} by name, ${said} by what was said`;
}

/** Words for the title, the folder, the agent or the state, all of which must match. */
function matches({ title, workingDirectories = [], provider, status }: SessionSummary, filter: string): boolean {
  const text = [title, provider, standingWords[standingOf(status)], ...workingDirectories].join(' ').toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

const Row = memo(function Row({ summary, current }: { readonly summary: SessionSummary; readonly current: boolean }) {
  const { resource, title, status, activity, modifiedAt, workingDirectories = [], changes } = summary;
  const folder = workingDirectories[0];
  return (
    <li class="session-row">
      <a href={addressOf({ page: 'session', session: resource })} aria-current={current ? 'page' : undefined}>
        <StatusMark status={status} />
        <span class="row-title">{title || 'New session'}</span>
        <span class="row-time">{ago(modifiedAt, now.value)}</span>
        <span class="row-about">
          {standingOf(status) === 'running' && (activity ?? '') !== '' ? activity : folder === undefined ? '' : nameOf(folder)}
          {changes !== undefined && (
            <span>
              {' '}
              <span class="added">+{changes.additions ?? 0}</span> <span class="removed">−{changes.deletions ?? 0}</span>
            </span>
          )}
        </span>
      </a>
    </li>
  );
});
