// Runs a command line for a tool, to its end or in the background, and describes the outcome.
import { onAbort } from '../../../../base/waiting.ts';
import type { Shell, ShellEnd } from '../../../../host/ports.ts';
import type { ShellSettings } from '../../../../host/settings/settings.ts';
import type { Content, SandboxNetwork, ToolResult } from '../../../../model/event.ts';
import { jobReport } from './bgJob.ts';
import { clip, keptLimit } from '../clip.ts';
import { failed } from '../tool.ts';
import type { CommandEnvironment, ToolContext } from '../tool.ts';

export interface CommandRun {
  readonly command: string;
  readonly cwd: string;
  /** In milliseconds. */
  readonly timeout: number;
  readonly surroundings?: CommandEnvironment | undefined;
  /** Set if the agent asked for a run outside the sandbox. */
  readonly outside?: boolean;
}

type CommandContext = Pick<ToolContext, 'processes' | 'signal'> & {
  readonly settings: Pick<ToolContext['settings'], 'shell'>;
};

export async function runCommand(
  command: CommandRun,
  context: CommandContext,
  output: (text: string) => void,
): Promise<ToolResult> {
  const barred = new Set<string>();
  const result = await runOnce(command, { ...context, barred }, output);
  const { confined, ...others } = command.surroundings ?? {};
  if (result.status !== 'failed' || barred.size === 0 || context.signal.aborted) return result;
  if (!(await confined?.leave?.([...barred], context.signal))) return result;
  output(`\n${againNote}\n`);
  const again = { ...command, surroundings: others, outside: true };
  const second = await runOnce(again, { ...context, barred }, output);
  const note: Content = { type: 'text', text: `${againNote} It had stopped:\n${[...barred].join('\n')}` };
  return 'content' in second ? { ...second, content: [...second.content, note] } : second;
}

const againNote = 'In the sandbox it failed; the user let it run again outside. This is what came out.';

async function runOnce(
  { surroundings, outside = false, ...run }: CommandRun,
  { processes, signal, settings: { shell }, barred }: CommandContext & { readonly barred: Set<string> },
  output: (text: string) => void,
): Promise<ToolResult> {
  const said = { stdout: clip(keptLimit), stderr: clip(keptLimit) };
  const stops = new Set<string>();
  const stopped = (what: string, by: 'sandbox' | 'answer') => {
    if (stops.size < mostStops) stops.add(what);
    if (by === 'sandbox' && barred.size < mostStops) barred.add(what);
  };
  const end = await processes.run({
    ...run,
    ...surroundings,
    confined: surroundings?.confined && { ...surroundings.confined, stopped },
    signal,
    shell: shellOf(shell),
    output: (stream, text) => {
      said[stream].add(text);
      output(text);
    },
  });
  const how = describe(end, run.timeout);
  const [stdout, stderr] = [said.stdout.text().trimEnd(), said.stderr.text().trimEnd()];
  const texts = [
    how,
    ...(stderr === '' ? [] : [`Stderr:\n${stderr}`]),
    ...(stdout === '' ? [] : [`Stdout:\n${stdout}`]),
  ];
  const isDone = end.kind === 'exited' && end.code === 0;
  if (stops.size > 0) texts.push(`The sandbox stopped:\n${[...stops].join('\n')}`);
  if (surroundings?.confined && !isDone) texts.push(confinedNotes[surroundings.confined.network]);
  if (outside && !surroundings?.confined) texts.push(outsideNote);
  const content: readonly Content[] = texts.map((text) => ({ type: 'text', text }));
  if (isDone) return { status: 'done', content };
  return { status: 'failed', content, error: how, ...timeLimitIn(end, run.timeout) };
}

function timeLimitIn(end: ShellEnd, limit: number): { readonly timeLimit?: number } {
  return end.kind === 'timeout' ? { timeLimit: limit } : {};
}

const mostStops = 20;

/** Without it a model takes the limits of the sandbox for faults of the project. */
const confinedNote = (reaches: string) =>
  `This ran in a sandbox: it can write only in the workspace and in /tmp, sees no keys, and ${reaches}. ` +
  'If it failed for that reason, repeat it with outside_sandbox.';

const confinedNotes: { readonly [network in SandboxNetwork]: string } = {
  off: confinedNote('reaches no network'),
  ask: confinedNote('reaches only names that the user allows, over HTTP and HTTPS through a proxy'),
  on: confinedNote('reaches the network'),
};

const outsideNote = 'This ran outside the sandbox, with the rights of the user.';

/** How long to wait for the first output of a background job, in milliseconds. */
const firstOutput = 2_000;

interface JobRun extends Omit<CommandRun, 'timeout'> {
  readonly label: string;
  readonly interactive?: boolean | undefined;
}

export async function inBackground(
  { surroundings, ...wanted }: JobRun,
  context: ToolContext,
  output: (text: string) => void,
): Promise<ToolResult> {
  const { services, tool, signal, sleep, settings } = context;
  const jobs = services?.jobs;
  const waited = new AbortController();
  const leave = onAbort(signal, () => waited.abort());
  const confined = surroundings?.confined && { ...surroundings.confined, isLasting: true };
  const limits = { ...surroundings, ...(confined && { confined }) };
  const job = jobs?.start({ ...wanted, ...limits, tool, shell: shellOf(settings.shell) }, (text) => {
    if (!waited.signal.aborted) output(text);
    waited.abort();
  }) ?? { refused: 'Nothing can run in the background here.' };
  if ('refused' in job) return failed(job.refused);
  await sleep(firstOutput, waited.signal);
  leave();
  waited.abort();
  if (signal.aborted) await jobs?.kill(job.id);
  const now = jobs?.read(job.id);
  const text = `Started background job ${job.id}: ${job.label}\n${now ? jobReport(now) : ''}`.trimEnd();
  return { status: 'done', content: [{ type: 'text', text }], raw: { background: wanted.cwd } };
}

/** A shell from the settings reads its start-up files only if its arguments say so. */
function shellOf({ path, args = ['--norc', '-c'] }: ShellSettings = {}): Shell | undefined {
  return path === undefined ? undefined : { path, args };
}

/** How many characters of a command its title shows. */
const titleLength = 35;

export function commandTitle(command: string, { settings }: Pick<ToolContext, 'settings'>): string {
  const line = command
    .replace(/^cd [^&;|\n\r$`()<>]+ && /, '')
    .replace(/\s+/g, ' ')
    .trim();
  const most = settings.shell?.titleLength ?? titleLength;
  return `$ ${line.length > most ? `${line.slice(0, most)}...` : line}`;
}

function describe(end: ShellEnd, limit: number): string {
  switch (end.kind) {
    case 'exited':
      return `Exit code: ${end.code}`;
    case 'signalled':
      return `The command was ended by ${end.signal}.`;
    case 'timeout':
      return `The command was stopped after ${limit} ms.`;
    case 'stopped':
      return 'The command was stopped.';
    case 'failed':
      return `The command could not be started: ${end.message}`;
    default:
      return end satisfies never;
  }
}
