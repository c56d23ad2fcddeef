// The requests about background jobs. A client sees the jobs of its workspace.
import type { Job } from '../../../host/tools/backgroundJobs.ts';
import type { Results } from '../../../protocols/eca/messages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import type { JobSummary } from '../../../protocols/eca/serviceMessages.ts';
import type { EcaConnection } from '../connection.ts';

export function listJobs(connection: EcaConnection): Results['jobs/list'] {
  return { jobs: jobsOf(connection).map((job) => summaryOf(connection, job)) };
}

export async function killJob(
  connection: EcaConnection,
  { jobId }: RequestParams<'jobs/kill'>,
): Promise<Results['jobs/kill']> {
  return { killed: isVisible(connection, jobId) && (await connection.host.jobs.kill(jobId)) };
}

export function readJob(
  connection: EcaConnection,
  { jobId }: RequestParams<'jobs/readOutput'>,
): Results['jobs/readOutput'] {
  const output = isVisible(connection, jobId) ? connection.host.jobs.read(jobId) : undefined;
  return output
    ? { lines: output.lines, status: output.job.status, exitCode: output.job.exitCode }
    : { lines: [], status: null, exitCode: null };
}

/**
 * Sends the list whenever a job of the workspace starts or ends. A job that leaves the list is not reported.
 */
export function followJobs(connection: EcaConnection): () => void {
  let sent = statusesOf(connection);
  return connection.host.jobs.watch(() => {
    const [before, now] = [sent, statusesOf(connection)];
    sent = now;
    if ([...now].some((job) => !before.has(job)))
      connection.sender.notify('jobs/updated', listJobs(connection));
  });
}

function statusesOf(connection: EcaConnection): ReadonlySet<string> {
  return new Set(jobsOf(connection).map(({ id, status }) => `${id} ${status}`));
}

/** Leaves out jobs whose end was announced in their chat; only the agent can still read their output. */
function jobsOf(connection: EcaConnection): readonly Job[] {
  return connection.host.jobs
    .list()
    .filter(
      ({ session, announced }) =>
        !announced && connection.workspace.includes(connection.host.summary(session)?.roots ?? []),
    );
}

function isVisible(connection: EcaConnection, id: string): boolean {
  return jobsOf(connection).some((job) => job.id === id);
}

function summaryOf(
  { host }: EcaConnection,
  { id, status, label, command, startedAt, endedAt, exitCode, session, chat, tool }: Job,
): JobSummary {
  const summary = host.summary(session);
  const elapsed = elapsedText((endedAt ?? host.clock.now()) - startedAt);
  return {
    id,
    type: 'shell',
    status,
    label: command,
    summary: label,
    startedAt: new Date(startedAt).toISOString(),
    elapsed,
    exitCode,
    chatId: chat,
    chatLabel: summary?.chats.find((each) => each.id === chat)?.title || summary?.title || chat,
    toolCallId: tool,
  };
}

/** `6s`, `5m23s`, `2h14m`. */
export function elapsedText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m${seconds % 60}s` : `${Math.floor(minutes / 60)}h${minutes % 60}m`;
}
