// The tool for background jobs: lists them, reads their new output, and ends them.
import type { ChatJobs } from '../../../../host/tools/chatJobs.ts';
import type { Job } from '../../../../host/tools/backgroundJobs.ts';
import { clipped } from '../clip.ts';
import { defineTool } from '../define.ts';
import { doneResult, failed } from '../tool.ts';

export const bgJob = defineTool({
  name: 'bg_job',
  description:
    'Looks after the background jobs that shell_command started: list shows them, read_output gives ' +
    'what one has said since it was last read, kill ends one.',
  kind: 'execute',
  preparing: 'Looking after background jobs',
  parameters: {
    action: { type: 'string', options: ['list', 'read_output', 'kill'], description: 'What to do.' },
    job_id: {
      type: 'string',
      description: 'Which job, such as job-1; needed for read_output and kill.',
      optional: true,
    },
  },
  prepare({ action, job_id: id }, { services }) {
    const jobs = services?.jobs;
    if (action !== 'list' && id === undefined)
      return Promise.resolve({ refused: `INVALID_ARGS: ${action} needs job_id.` });
    return Promise.resolve({
      title: titleOf(action, id),
      kind: action === 'kill' ? 'execute' : 'read',
      paths: [],
      async run() {
        if (action === 'list')
          return doneResult((jobs?.list() ?? []).map(lineOf).join('\n') || 'There are no background jobs.');
        const missing = failed(`There is no background job ${id}; the action list shows all jobs.`);
        if (action === 'kill') {
          if (await jobs?.kill(id ?? '')) return doneResult(`Killed ${id}.`);
          return jobs?.list().some((job) => job.id === id) ? failed(`${id} is not running.`) : missing;
        }
        const read = jobs?.read(id ?? '');
        return read ? doneResult(jobReport(read)) : missing;
      },
    });
  },
});

/** The status of a job and its unread output. */
export function jobReport({ job, lines, missed }: NonNullable<ReturnType<ChatJobs['read']>>): string {
  const lost = missed > 0 ? `\n[OUTPUT TRUNCATED] ${missed} lines before these were left out.` : '';
  const said = lines.map(({ text, stream }) => (stream === 'stderr' ? `[stderr] ${text}` : text)).join('\n');
  return `Status: ${statusOf(job)}${lost}\n${said === '' ? 'No new output.' : clipped(said)}`;
}

function lineOf(job: Job): string {
  return `${job.id}: ${job.label} (${statusOf(job)}) $ ${job.command}`;
}

function statusOf({ status, exitCode }: Job): string {
  return exitCode === null ? status : `${status}, exit code ${exitCode}`;
}

function titleOf(action: string, id: string | undefined): string {
  if (action === 'list') return 'Listing background jobs';
  return action === 'kill' ? `Killing ${id}` : `Reading the output of ${id}`;
}
