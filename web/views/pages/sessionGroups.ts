// Groups the sessions of the sidebar. Pure.
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { isArchived } from '../../text/format.ts';

export interface SessionGroup {
  readonly kind: 'pinned' | 'folder' | 'archived';
  /** Empty unless the group is a folder. */
  readonly folder: URI;
  readonly sessions: readonly SessionSummary[];
}

/** Pinned sessions first, then one group per folder, the folder with the newest session first. */
export function groupSessions(
  summaries: readonly SessionSummary[],
  pinned: ReadonlySet<URI>,
): readonly SessionGroup[] {
  const sorted = newestFirst(summaries);
  const folders = new Map<URI, SessionSummary[]>();
  const [pins, archive]: [SessionSummary[], SessionSummary[]] = [[], []];
  for (const summary of sorted) {
    if (isArchived(summary.status)) archive.push(summary);
    else if (pinned.has(summary.resource)) pins.push(summary);
    else {
      const folder = summary.workingDirectories?.[0] ?? '';
      folders.set(folder, [...(folders.get(folder) ?? []), summary]);
    }
  }
  const groups: readonly SessionGroup[] = [
    { kind: 'pinned', folder: '', sessions: pins },
    ...[...folders].map(([folder, sessions]) => ({ kind: 'folder' as const, folder, sessions })),
    { kind: 'archived', folder: '', sessions: archive },
  ];
  return groups.filter(({ sessions }) => sessions.length > 0);
}

export function newestFirst(summaries: readonly SessionSummary[]): readonly SessionSummary[] {
  return summaries.toSorted((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : -1));
}
