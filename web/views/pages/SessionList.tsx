// The sessions, newest first: pinned ones, then groups by folder, then the archive. Several can be selected
// and changed together.
import { useState } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { isSameSession } from '../../../client/connection/catalogue.ts';
import { useClient } from '../../state/app.ts';
import { now } from '../../state/clock.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf, route } from '../../state/route.ts';
import { setArchived } from '../../state/sessionChanges.ts';
import { pins, selection, selectTo, togglePin, toggleSelected } from '../../state/sidebar.ts';
import { formatAge, isArchived, nameOf, pathOf, statusKindOf } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { Loading } from '../parts/Loading.tsx';
import { memo } from '../parts/memo.tsx';
import { FullMark, StatusMark } from '../parts/StatusMark.tsx';
import { openSessionMenu, SessionMenu } from './SessionMenu.tsx';
import { activityClasses, useActivity } from './useActivity.ts';
import { SelectionBar } from './SelectionBar.tsx';
import { useBranch } from './folders.ts';
import { groupSessions } from './sessionGroups.ts';
import type { SessionGroup } from './sessionGroups.ts';

export function SessionList() {
  const client = useClient();
  const mayControl = useHasRole('control');
  const sessions = [...client.sessions.value.values()];
  const groups = groupSessions(sessions, pins.value);
  const chosen = selection.value;
  return (
    <>
      {mayControl && <SessionMenu />}
      {chosen && <SelectionBar selected={sessions.filter(({ resource }) => chosen.has(resource))} />}
      <nav class="sessions" aria-label="Sessions" onKeyDown={selectByKey}>
        {groups.length === 0 && <EmptyList />}
        {groups.map((group) => (
          <Group key={`${group.kind} ${group.folder}`} group={group} />
        ))}
        {mayControl && groups.length > 0 && !chosen && (
          <button
            type="button"
            class="btn ghost small phone-only select-sessions"
            onClick={() => (selection.value = new Set())}
          >
            Select sessions
          </button>
        )}
      </nav>
    </>
  );
}

/** The rows that are shown, in their order. */
function shownRows(): readonly HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('.sessions .session')];
}

function shownSessions(): readonly URI[] {
  return shownRows().flatMap(({ dataset: { session } }) => session ?? []);
}

/** Space selects the row with the focus, Shift and an arrow also its neighbour; Escape ends the selection. */
function selectByKey(event: KeyboardEvent): void {
  const { key, shiftKey, target } = event;
  const row = target instanceof HTMLElement ? target.closest<HTMLAnchorElement>('a.session') : null;
  const session = row?.dataset['session'];
  const step = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (key === 'Escape' && selection.value) selection.value = undefined;
  else if (key === ' ' && session !== undefined) toggleSelected(session);
  else if (shiftKey && step !== undefined && session !== undefined) {
    if (!selection.value?.has(session)) toggleSelected(session);
    const rows = shownRows();
    const next = rows[rows.findIndex((each) => each === row) + step];
    next?.focus();
    if (next?.dataset['session'] !== undefined) selectTo(next.dataset['session'], shownSessions());
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** A click opens a session, unless sessions are being selected or a key says to select. */
function selectByClick(event: MouseEvent, session: URI): void {
  const isRange = event.shiftKey;
  if (!isRange && !event.ctrlKey && !event.metaKey && !selection.value) return;
  event.preventDefault();
  if (isRange) selectTo(session, shownSessions());
  else toggleSelected(session);
}

function EmptyList() {
  const client = useClient();
  const mayControl = useHasRole('control');
  const { kind } = client.connection.value;
  if (kind === 'refused' || kind === 'incompatible') return null;
  if (!client.listed.value) return <Loading what="sessions" />;
  return (
    <div class="empty">
      <p>No sessions yet.</p>
      {mayControl && <a href={addressOf({ page: 'new' })}>Start the first one</a>}
    </div>
  );
}

function Group({ group: { kind, folder, sessions } }: { readonly group: SessionGroup }) {
  const [open, setOpen] = useState(kind !== 'archived');
  const chosen = selection.value;
  const client = useClient();
  const mayAsk = useHasRole('control') && client.access.value !== undefined;
  const current = route.value.page === 'session' ? route.value.session : undefined;
  const rows = () => (
    <ul>
      {sessions.map((summary) => (
        <Row
          key={summary.resource}
          summary={summary}
          current={current !== undefined && isSameSession(summary.resource, current)}
          pinned={kind === 'pinned'}
          selected={chosen?.has(summary.resource)}
        />
      ))}
    </ul>
  );
  if (kind === 'pinned')
    return (
      <section class="group" aria-label="Pinned">
        <div class="group-head">
          <Icon name="pin" kind="chev" />
          Pinned
        </div>
        {rows()}
      </section>
    );
  return (
    <details class="group" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary title={kind === 'archived' ? undefined : pathOf(folder)}>
        <Icon name="chev" kind="chev" />
        <b class="truncate">{kind === 'archived' ? 'Archived' : nameOf(folder)}</b>
        {kind === 'archived' ? (
          <span class="branch">{sessions.length}</span>
        ) : (
          mayAsk && folder !== '' && <GroupBranch folder={pathOf(folder)} />
        )}
      </summary>
      {open && rows()}
    </details>
  );
}

function GroupBranch({ folder }: { readonly folder: string }) {
  const branch = useBranch(folder);
  if (branch === undefined) return null;
  return (
    <span class="branch truncate" dir="ltr" title={`Git branch ${branch}`}>
      {branch}
    </span>
  );
}

interface RowProps {
  readonly summary: SessionSummary;
  readonly current: boolean;
  readonly pinned: boolean;
  /** Absent while no sessions are being selected. */
  readonly selected: boolean | undefined;
}

const Row = memo(function Row({ summary, current, pinned, selected }: RowProps) {
  const { resource, title, status, modifiedAt } = summary;
  const mayControl = useHasRole('control');
  const kind = statusKindOf(status);
  const name = title || 'New session';
  return (
    <li class={`session-wrap ${selected === true ? 'selected' : ''}`}>
      {selected !== undefined && (
        <input
          type="checkbox"
          class="pick-session"
          aria-label={`Select ${name}`}
          checked={selected}
          onChange={() => toggleSelected(resource)}
        />
      )}
      <a
        class={`session ${kind === 'idle' ? '' : 'hot'}`}
        href={addressOf({ page: 'session', session: resource })}
        aria-current={current ? 'page' : undefined}
        data-session={resource}
        onClick={(event) => mayControl && selectByClick(event, resource)}
        onContextMenu={(event) => mayControl && openSessionMenu(event, summary)}
      >
        <StatusMark status={status} />
        <span class="name" dir="auto">
          {name}
        </span>
        <span class="when">
          <FullMark summary={summary} />
          <span class="age">{formatAge(modifiedAt, now.value)}</span>
        </span>
        <Activity summary={summary} />
      </a>
      {mayControl && selected === undefined && (
        <RowActions session={resource} name={name} pinned={pinned} archived={isArchived(status)} />
      )}
    </li>
  );
});

/** A second line only where something happens. */
function Activity({ summary }: { readonly summary: SessionSummary }) {
  const activity = useActivity(summary);
  const kind = statusKindOf(summary.status);
  const isHot = kind === 'waiting' || kind === 'failed' || kind === 'running';
  if (!isHot || activity === '') return null;
  return (
    <span class={`what ${activityClasses[kind]}`} dir="auto" title={activity}>
      {activity}
    </span>
  );
}

interface RowActionsProps {
  readonly session: URI;
  readonly name: string;
  readonly pinned: boolean;
  readonly archived: boolean;
}

function RowActions({ session, name, pinned, archived }: RowActionsProps) {
  const client = useClient();
  return (
    <span class="session-actions">
      <RowAction icon="check" label="Select" name={name} onClick={() => toggleSelected(session)} />
      <RowAction icon="pin" label={pinned ? 'Unpin' : 'Pin'} name={name} onClick={() => togglePin(session)} />
      <RowAction
        icon="archive"
        label={archived ? 'Unarchive' : 'Archive'}
        name={name}
        onClick={() => void setArchived(client, [session], !archived)}
      />
    </span>
  );
}

interface RowActionProps {
  readonly icon: IconName;
  readonly label: string;
  readonly name: string;
  readonly onClick: () => void;
}

function RowAction({ icon, label, name, onClick }: RowActionProps) {
  return (
    <button
      type="button"
      class="btn ghost icon-only small"
      aria-label={`${label} ${name}`}
      title={label}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}
