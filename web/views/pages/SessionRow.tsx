// A session in a list of a page: its state, its title, what happens in it, its folder and its age.
import type { SessionSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { now } from '../../state/clock.ts';
import { addressOf } from '../../state/route.ts';
import { formatAge, nameOf, statusKindOf } from '../../text/format.ts';
import { LineCounts } from '../parts/LineCounts.tsx';
import { FullMark, StatusMark } from '../parts/StatusMark.tsx';
import { activityClasses, useActivity } from './useActivity.ts';

export function SessionRow({ summary }: { readonly summary: SessionSummary }) {
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
        <FullMark summary={summary} />
        {folder !== '' && <span class="truncate">{folder}</span>}
        {folder !== '' && '·'}
        <span class="age">{formatAge(modifiedAt, now.value)}</span>
      </span>
    </a>
  );
}
