// The tool that runs a command line.
import type { Content, ToolResult } from '../../../model/event.ts';
import type { ShellEnd } from '../../../host/ports.ts';
import { jobReport } from './bgJob.ts';
import { clip, outputLimit } from './clip.ts';
import { defineTool } from './define.ts';
import { done, failed, realPath } from './tool.ts';
import type { ToolContext } from './tool.ts';

const usualTimeout = 60_000;
const longestTimeout = 600_000;

/** How much of a command fits into its title. */
const titleLimit = 35;

export const shellCommand = defineTool({
  name: 'shell_command',
  description: 'Runs a command line in a shell and gives its exit code and output. It has no input to read, and what it leaves in the background ends with it; set background for servers and other long work.',
  kind: 'execute',
  preparing: 'Preparing shell command',
  parameters: {
    command: { type: 'string', description: 'The command line to run.' },
    working_directory: { type: 'string', description: 'Where to run it. Default: the first workspace folder.', optional: true },
    timeout: { type: 'integer', description: `After how many milliseconds to stop it. Default: ${usualTimeout}, at most ${longestTimeout}.`, optional: true },
    background: { type: 'string', description: 'Runs it as a background job that outlives this call; says in a few words what it is for. Use bg_job to read its output or to end it.', optional: true },
  },
  async prepare({ command, working_directory, timeout, background }, context) {
    const cwd = await realPath(working_directory ?? '.', context);
    if ((await context.files.stat(cwd))?.type !== 'directory') return { refused: `${cwd} is not a directory.` };
    if (command.trim() === '' || command.includes('\0')) return { refused: 'INVALID_ARGS: command is empty or holds a null character.' };
    const limit = Math.min(timeout && timeout > 0 ? timeout : usualTimeout, longestTimeout);
    return {
      title: titleOf(command),
      paths: [cwd],
      locations: [{ path: cwd }],
      command,
      async run(output) {
        if (background !== undefined) return inBackground({ command, cwd, label: background }, context, output);
        const said = { stdout: clip(outputLimit / 2), stderr: clip(outputLimit / 2) };
        const end = await context.processes.run({
          command, cwd, timeout: limit, signal: context.signal,
          output: (stream, text) => {
            said[stream].add(text);
            output(text);
          },
        });
        return resultOf(end, { limit, stdout: said.stdout.text().trimEnd(), stderr: said.stderr.text().trimEnd() });
      },
    };
  },
});

/** So long the first words of a background job are waited for, in milliseconds. */
const firstWords = 2_000;

async function inBackground(wanted: { command: string; cwd: string; label: string }, context: ToolContext, output: (text: string) => void): Promise<ToolResult> {
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

function titleOf(command: string): string {
  const line = command.replace(/^cd [^&;|]+ && /, '').replace(/\s+/g, ' ').trim();
  return `$ ${line.length > titleLimit ? `${line.slice(0, titleLimit - 3)}...` : line}`;
}

function resultOf(end: ShellEnd, { limit, stdout, stderr }: { limit: number; stdout: string; stderr: string }): ToolResult {
  const how = describe(end, limit);
  const texts = [how, ...(stderr === '' ? [] : [`Stderr:\n${stderr}`]), ...(stdout === '' ? [] : [`Stdout:\n${stdout}`])];
  const content: readonly Content[] = texts.map((text) => ({ type: 'text', text }));
  return end.kind === 'exited' && end.code === 0 ? { status: 'done', content } : { status: 'failed', content, error: how };
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
