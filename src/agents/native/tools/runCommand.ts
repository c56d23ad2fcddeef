// Runs a command line for a tool, to its end or in the background, and puts what became of it into words.
import type { ShellEnd } from '../../../host/ports.ts';
import type { Content, ToolResult } from '../../../model/event.ts';
import { jobReport } from './bgJob.ts';
import { clip, keptLimit } from './clip.ts';
import { done, failed } from './tool.ts';
import type { ToolContext } from './tool.ts';

export interface CommandRun {
  readonly command: string;
  readonly cwd: string;
  /** In milliseconds. */
  readonly timeout: number;
}

export async function runCommand(run: CommandRun, { processes, signal }: ToolContext, output: (text: string) => void): Promise<ToolResult> {
  const said = { stdout: clip(keptLimit), stderr: clip(keptLimit) };
  const end = await processes.run({
    ...run, signal,
    output: (stream, text) => {
      said[stream].add(text);
      output(text);
    },
  });
  const how = describe(end, run.timeout);
  const [stdout, stderr] = [said.stdout.text().trimEnd(), said.stderr.text().trimEnd()];
  const texts = [how, ...(stderr === '' ? [] : [`Stderr:\n${stderr}`]), ...(stdout === '' ? [] : [`Stdout:\n${stdout}`])];
  const content: readonly Content[] = texts.map((text) => ({ type: 'text', text }));
  return end.kind === 'exited' && end.code === 0 ? { status: 'done', content } : { status: 'failed', content, error: how };
}

/** So long the first words of a background job are waited for, in milliseconds. */
const firstWords = 2_000;

export async function inBackground(wanted: { command: string; cwd: string; label: string }, context: ToolContext, output: (text: string) => void): Promise<ToolResult> {
  const { jobs, tool, signal, sleep } = context;
  const waited = new AbortController();
  const wait = () => waited.abort();
  signal.addEventListener('abort', wait, { once: true });
  const job = jobs?.start({ ...wanted, tool }, (text) => {
    if (!waited.signal.aborted) output(text);
    waited.abort();
  }) ?? { refused: 'Nothing can run in the background here.' };
  if ('refused' in job) return failed(job.refused);
  await sleep(firstWords, waited.signal);
  signal.removeEventListener('abort', wait);
  waited.abort();
  if (signal.aborted) await jobs?.kill(job.id);
  const now = jobs?.read(job.id);
  return done(`Started background job ${job.id}: ${job.label}\n${now ? jobReport(now) : ''}`.trimEnd());
}

/** How much of a command fits into its title. */
const titleLimit = 35;

export function commandTitle(command: string): string {
  const line = command.replace(/^cd [^&;|]+ && /, '').replace(/\s+/g, ' ').trim();
  return `$ ${line.length > titleLimit ? `${line.slice(0, titleLimit - 3)}...` : line}`;
}

function describe(end: ShellEnd, limit: number): string {
  switch (end.kind) {
    case 'exited': return `Exit code: ${end.code}`;
    case 'signalled': return `The command was ended by ${end.signal}.`;
    case 'timeout': return `The command was stopped after ${limit} ms.`;
    case 'stopped': return 'The command was stopped.';
    case 'failed': return `The command could not be started: ${end.message}`;
    default: return end satisfies never;
  }
}
