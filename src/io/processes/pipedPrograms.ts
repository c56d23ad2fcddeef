// Runs background programs on pipes: streams their output, reports their end and leaves no process behind.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { NewProgram, ProgramEnd, Programs, RunningProgram } from '../../host/terminals/programs.ts';
import { adoptGroup, releaseGroup } from '../../rpc/processes/processGroup.ts';
import { callVariable, endStrays, newCallMark } from '../../rpc/processes/strayProcesses.ts';
import { childEnvironment } from './environment.ts';
import { heldWords, hasNotBegun, mostAttempts } from '../../rpc/processes/beginning.ts';
import { confineIf } from '../sandbox/confineIf.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { endProcessTree, endTree } from './processTree.ts';
import { sealedStdio } from './sealedPipes.ts';

export interface PipedOptions {
  /** Our own environment; programs get the allowed variables of it. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Additional variables for programs. */
  readonly added?: { readonly [name: string]: string };
  /** How long a program may take to end before it is killed, in milliseconds. */
  readonly grace?: number;
  /** Confines the programs that ask for it. */
  readonly sandbox?: Pick<Sandbox, 'confine'> | undefined;
}

type Options = Required<Omit<PipedOptions, 'sandbox'>> & Pick<PipedOptions, 'sandbox'>;

export function pipedPrograms({
  env = process.env,
  added = {},
  grace = 1_000,
  sandbox,
}: PipedOptions = {}): Programs {
  return { start: (program) => start(program, { env, added, grace, sandbox }) };
}

function start(program: NewProgram, options: Options, attempts = mostAttempts): RunningProgram {
  const mark = newCallMark();
  const quiet = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };
  const env = childEnvironment(options.env, { ...quiet, ...options.added, ...program.env });
  const inside = confineIf(wordsOf(program), { ...program, env }, options.sandbox);
  if ('refused' in inside) return notStarted(program, inside.refused);
  const child = open({ ...program, env: { ...inside.env, [callVariable]: mark } }, inside.words);
  // A program may end its input without reading it.
  child.stdin?.on('error', () => {});
  if (child.pid !== undefined) adoptGroup(child.pid, mark);
  const said = heldWords(inside, (...text: Parameters<NewProgram['output']>) => program.output(...text));
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8');
    child[stream]?.on('data', (text: string) => said.say(text, stream));
  }
  let next: RunningProgram | undefined;
  let ending: Promise<void> | undefined;
  const ended = endOf(child).then(async (end) => {
    await ending;
    await endStrays(mark);
    if (child.pid !== undefined) releaseGroup(child.pid);
    inside.release();
    if (attempts > 1 && !ending && hasNotBegun(inside))
      return (next = start(program, options, attempts - 1)).ended;
    said.release();
    if (end.kind === 'failed') program.output(`${end.message}\n`, 'stderr');
    return end;
  });
  const kill = () => (next ? next.kill() : void (ending ??= endTree(child, options.grace)));
  const input = (text: string | null) => next?.input?.(text) ?? write(child, text);
  return { ended, kill, ...(program.interactive && { input }) };
}

/** How much text a program may leave unread, in bytes. */
const mostUnread = 1_000_000;

function write({ stdin }: ChildProcess, text: string | null): boolean {
  if (!stdin?.writable || stdin.writableLength > mostUnread) return false;
  if (text === null) stdin.end();
  else stdin.write(text);
  return true;
}

/**
 * Background processes end with the program. Pipes that a daemon keeps open are closed after a short time.
 */
function endOf(child: ChildProcess): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({ kind: 'failed', message: `The program could not be started: ${error.message}` }),
    );
    child.once('exit', () => {
      endProcessTree(child);
      const timer = setTimeout(() => child.stdio.forEach((pipe) => pipe?.destroy()), drain);
      child.once('close', () => clearTimeout(timer));
    });
    child.once('close', (code, signal) =>
      resolve(signal ? { kind: 'signalled', signal } : { kind: 'exited', code: code ?? 1 }),
    );
  });
}

/** How long the last output may take to arrive after the program has exited, in milliseconds. */
const drain = 500;

/**
 * A line for a shell, or a program with its arguments. With a socket as its input, bash assumes a remote
 * login and would read the user's start-up file.
 */
function wordsOf({ command, args }: NewProgram): readonly string[] {
  const shell = existsSync('/bin/bash') ? ['/bin/bash', '--norc'] : ['/bin/sh'];
  return args.length === 0 ? [...shell, '-c', command] : [command, ...args];
}

function notStarted(program: NewProgram, message: string): RunningProgram {
  program.output(`${message}\n`, 'stderr');
  return { ended: Promise.resolve({ kind: 'failed', message }), kill: () => {} };
}

function open(program: NewProgram, words: readonly string[]): ChildProcess {
  const { command, args, cwd, env, interactive = false } = program;
  const common = {
    cwd,
    env,
    windowsHide: true,
    stdio: sealedStdio([interactive ? 'pipe' : 'ignore', 'pipe', 'pipe']),
  } as const;
  if (process.platform === 'win32')
    return args.length === 0 ? spawn(command, { ...common, shell: true }) : spawn(command, [...args], common);
  const [file = '', ...rest] = words;
  return spawn(file, rest, { ...common, detached: true });
}
