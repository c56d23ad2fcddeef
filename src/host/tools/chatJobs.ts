// The background jobs that one chat can use: it starts its own, and reads and kills those of its session.
import type { ChatId, SessionId } from '../../model/event.ts';
import type { Job, Jobs, NewJob } from './backgroundJobs.ts';
import type { JobLine } from './jobLines.ts';

export interface ChatJobs {
  start(
    job: Omit<NewJob, 'session' | 'chat'>,
    heard: (text: string) => void,
  ): Job | { readonly refused: string };
  list(): readonly Job[];
  /** The unread output; undefined if the session has no such job. */
  read(
    id: string,
  ): { readonly job: Job; readonly lines: readonly JobLine[]; readonly missed: number } | undefined;
  kill(id: string): Promise<boolean>;
}

export function chatJobs(
  jobs: Jobs,
  place: { readonly session: SessionId; readonly chat: ChatId },
): ChatJobs {
  return {
    start: (job, heard) => jobs.start({ ...job, ...place }, heard),
    list: () => jobs.list(place),
    read: (id) => jobs.readOn(id, place),
    kill: (id) => (jobs.list(place).some((job) => job.id === id) ? jobs.kill(id) : Promise.resolve(false)),
  };
}

/** The message for an agent when one of its jobs has ended. */
export function newsText({ job, lines }: { readonly job: Job; readonly lines: readonly JobLine[] }): string {
  const code = job.exitCode === null ? '' : ` with exit code ${job.exitCode}`;
  const said =
    lines.length === 0
      ? 'It printed nothing more.'
      : `Its last lines:\n${lines.map(({ text }) => text).join('\n')}`;
  return `[Background job ${job.id} (${job.label}) ${job.status}${code}.]\n${said}`;
}
