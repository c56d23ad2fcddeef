// A background job: its command, its output as it comes, how it ended, and the button that kills it.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { BackgroundWork } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { BackgroundJob } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { now } from '../../state/clock.ts';
import { useHostAction, usePolledHostData } from '../../state/hostData.ts';
import { useHasRole } from '../../state/role.ts';
import { formatAge, formatDuration } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { PlainText } from '../parts/PlainText.tsx';
import { JobInput } from './JobInput.tsx';
import { EndButton, RunningRow } from './RunningRow.tsx';
import { LiveTerminal } from './TerminalRow.tsx';

export function JobRow({ job, onChanged }: { readonly job: BackgroundJob; readonly onChanged: () => void }) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const { busy, run } = useHostAction();
  const { id, label, command, status } = job;
  const isRunning = status === 'running';
  const kill = async () => {
    await run(() => client.requestExtension('jobs/kill', { id }));
    onChanged();
  };
  return (
    <RunningRow
      mark={isRunning ? <RunningMark /> : <Icon name="terminal" kind="kind" />}
      title={label}
      outcome={outcomeOf(job)}
      startsOpen={isRunning}
      buttons={
        isRunning &&
        mayControl && <EndButton label="Kill" name={label} disabled={busy} onClick={() => void kill()} />
      }
    >
      <p class="note job-command">
        <code>{command}</code>
      </p>
      <JobOutput id={id} label={label} status={status} />
      {job.takesInput && mayControl && <JobInput id={id} label={label} onEnded={onChanged} />}
    </RunningRow>
  );
}

/** Work that a host of another make reports: what it tells of it. */
export function WorkRow({ work }: { readonly work: BackgroundWork }) {
  const { label, command, terminal, startedAt } = work;
  return (
    <RunningRow mark={<RunningMark />} title={label} outcome={formatAge(startedAt, now.value)}>
      {command !== undefined && (
        <p class="note job-command">
          <code>{command}</code>
        </p>
      )}
      {terminal !== undefined && <LiveTerminal terminal={terminal} title={command ?? label} />}
    </RunningRow>
  );
}

function RunningMark() {
  return <span class="status running" role="img" aria-label="Running" />;
}

function outcomeOf({ status, exitCode, startedAt, endedAt }: BackgroundJob) {
  const lasted = formatDuration(Math.max(0, (endedAt ?? Math.max(now.value, startedAt)) - startedAt));
  if (status === 'running') return formatAge(new Date(startedAt).toISOString(), now.value);
  if (status === 'completed') return `Done · ${lasted}`;
  if (status === 'killed') return `Killed · ${lasted}`;
  return (
    <span>
      <span class="bad">{exitCode === undefined ? 'Failed' : `Exit ${exitCode}`}</span> · {lasted}
    </span>
  );
}

const refreshMs = 1_000;

interface JobOutputProps {
  readonly id: string;
  readonly label: string;
  readonly status: BackgroundJob['status'];
}

function JobOutput({ id, label, status }: JobOutputProps) {
  const { value, problem, reload } = usePolledHostData('jobs/read', { id }, refreshMs);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => void reload(), [status]);
  useFollowEnd(box, value?.text ?? '');
  if (problem !== undefined) return <p class="note">{problem}</p>;
  if (value === undefined) return null;
  if (value.text === '') return <p class="note">No output yet</p>;
  return (
    <div ref={box}>
      <PlainText text={value.text} label={`${label}, output`} />
    </div>
  );
}

/** How far from the end, in pixels, still counts as the end. */
const endMargin = 24;

/** The newest line stays in view, unless somebody scrolled up. */
function useFollowEnd(box: { readonly current: HTMLElement | null }, text: string): void {
  const height = useRef(0);
  useLayoutEffect(() => {
    const output = box.current?.querySelector('.term');
    if (!output) return;
    const wasAtEnd = output.scrollTop + output.clientHeight >= height.current - endMargin;
    if (wasAtEnd) output.scrollTop = output.scrollHeight;
    height.current = output.scrollHeight;
  }, [text]);
}
