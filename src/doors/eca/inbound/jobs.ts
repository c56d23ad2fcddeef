// Background jobs as a client sees them: those of its workspace, listed, read and killed.
import type { Job } from '../../../host/tools/backgroundJobs.ts';
import type { Results } from '../../../protocols/eca/messages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import type { JobSummary } from '../../../protocols/eca/serviceMessages.ts';
import type { Connection } from '../connection.ts';

export function listJobs(connection: Connection): Results['jobs/list'] {
  return { jobs: jobsOf(connection).map((job) => summaryOf(connection, job)) };
}

export async function killJob(
  connection: Connection,
  { jobId }: RequestParams<'jobs/kill'>,
): Promise<Results['jobs/kill']> {
  return { killed: sees(connection, jobId) && (await connection.host.jobs.kill(jobId)) };
}

export function readJob(
  connection: Connection,
  { jobId }: RequestParams<'jobs/readOutput'>,
): Results['jobs/readOutput'] {
  const found = sees(connection, jobId) ? connection.host.jobs.read(jobId) : undefined;
  return found
    ? { lines: found.lines, status: found.job.status, exitCode: found.job.exitCode }
    : { lines: [], status: null, exitCode: null };
}

/** Tells the client whenever one of its jobs begins or ends; that one which has ended is forgotten goes without a word, and what others do in their workspaces is not its business. */
export function followJobs(connection: Connection): () => void {
  let told = statusesOf(connection);
  return connection.host.jobs.watch(() => {
    const [before, now] = [told, statusesOf(connection)];
    told = now;
    if ([...now].some((job) => !before.has(job))) connection.tell('jobs/updated', listJobs(connection));
  });
}

function statusesOf(connection: Connection): ReadonlySet<string> {
  return new Set(jobsOf(connection).map(({ id, status }) => `${id} ${status}`));
}

/** One whose end its chat was told of is over for clients; its agent can still read what it said. */
function jobsOf(connection: Connection): readonly Job[] {
  return connection.host.jobs
    .list()
    .filter(
      ({ session, announced }) =>
        !announced && connection.sees(connection.host.summary(session)?.roots ?? []),
    );
}

function sees(connection: Connection, id: string): boolean {
  return jobsOf(connection).some((job) => job.id === id);
}

function summaryOf(
  { host }: Connection,
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
