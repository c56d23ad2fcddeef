// Runs command lines in a shell, each in its own process group. No process outlives us,
// even if we are killed.
import { onAbort } from '../../base/waiting.ts';
import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { NotPossible, Processes, ShellCommand, ShellEnd } from '../../host/ports.ts';
import { callVariable, endStrays, endStraysScript, newCallMark } from '../../rpc/processes/strayProcesses.ts';
import { childEnvironment, systemFolders } from './environment.ts';
import { heldWords, hasNotBegun, mostAttempts } from '../../rpc/processes/beginning.ts';
import { confineIf } from '../sandbox/confineIf.ts';
import type { ConfinedStart } from '../sandbox/confineIf.ts';
import type { Variables } from '../sandbox/innerVariables.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { SpareSandboxes } from './spareSandboxes.ts';
import type { SpareOptions, SpareSandbox } from './spareSandboxes.ts';
import { endProcessTree, endTree } from './processTree.ts';
import { sealedStdio } from './sealedPipes.ts';

export interface ShellProcessOptions {
  /** Our own environment; children get the allowed variables of it. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Additional variables for children. */
  readonly added?: { readonly [name: string]: string };
  /** How long a stopped command may take to clean up before it is killed, in milliseconds. */
  readonly grace?: number;
  /** Confines the commands that ask for it. */
  readonly sandbox?: Pick<Sandbox, 'confine' | 'sees' | 'onClose' | 'onMakeRoom'> | undefined;
}

interface Options extends Required<Omit<ShellProcessOptions, 'sandbox'>> {
  readonly sandbox: ShellProcessOptions['sandbox'];
  readonly spares?: SpareSandboxes | undefined;
}

export function processes({
  env = process.env,
  added = {},
  grace = 1_000,
  sandbox,
}: ShellProcessOptions = {}): Processes {
  const options = { env, added, grace, sandbox };
  const spares = sandbox && new SpareSandboxes({ sandbox, start: startAhead });
  return { run: (command) => run(command, { ...options, spares }) };
}

async function run(command: ShellCommand, options: Options, attempts = mostAttempts): Promise<ShellEnd> {
  if (command.signal.aborted) return { kind: 'stopped' };
  const words = [...shellWords(command), command.command];
  const env = environmentOf(command, options);
  const spare = options.spares?.take(command, words, env);
  const started = spare ?? startNow(command, confineIf(words, { ...command, env }, options.sandbox));
  if ('refused' in started) return { kind: 'failed', message: started.refused };
  const { confined } = started;
  const said = heldWords(confined, (...text: Parameters<ShellCommand['output']>) => command.output(...text));
  const end = await runProgram({ ...command, output: said.say }, started, options);
  confined.release();
  if (attempts > 1 && end.kind === 'exited' && hasNotBegun(confined))
    return run(command, options, attempts - 1);
  said.release();
  // The caller that waits for the command goes first.
  setImmediate(() => options.spares?.prepare(command));
  return end;
}

interface Started extends Pick<SpareSandbox, 'child' | 'mark'> {
  readonly confined: Pick<ConfinedStart, 'waits' | 'hasBegun' | 'release'>;
}

function environmentOf({ env }: ShellCommand, options: Options): Variables {
  const quiet = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' };
  return childEnvironment(options.env, { ...quiet, ...options.added, ...env });
}

function startNow(command: ShellCommand, confined: ConfinedStart | NotPossible): Started | NotPossible {
  if ('refused' in confined) return confined;
  const mark = newCallMark();
  return { child: start(command, { ...confined, mark }), mark, confined };
}

function runProgram(
  command: ShellCommand,
  { child, mark, confined: { waits } }: Started,
  options: Options,
): Promise<ShellEnd> {
  return new Promise((resolve) => {
    let strays: Promise<void> | undefined;
    let cause: 'timeout' | 'stopped' | undefined;
    let ending: Promise<void> | undefined;
    const end = (why: 'timeout' | 'stopped') => {
      cause ??= why;
      ending ??= endTree(child, options.grace);
    };
    const expire = () => {
      if (waits?.()) timer = setTimeout(expire, stillWaiting);
      else end('timeout');
    };
    let timer = setTimeout(expire, Math.min(command.timeout, longest));
    const leave = onAbort(command.signal, () => end('stopped'));
    const settle = async (result: ShellEnd) => {
      clearTimeout(timer);
      leave();
      await ending;
      await strays;
      resolve(cause ? { kind: cause } : result);
    };
    listen(child, command);
    child.once('error', (error) => void settle({ kind: 'failed', message: error.message }));
    child.once('exit', () => {
      release(child);
      strays = endStrays(mark);
    });
    child.once(
      'close',
      (code, signal) =>
        void settle(signal ? { kind: 'signalled', signal } : { kind: 'exited', code: code ?? 1 }),
    );
  });
}

/**
 * Background processes end with the shell. Pipes that stay open all the same are closed after a short time.
 */
function release(child: ChildProcess): void {
  endProcessTree(child);
  const timer = setTimeout(() => child.stdio.forEach((pipe) => pipe?.destroy()), drain);
  child.once('close', () => clearTimeout(timer));
}

/** How long the last output may take to arrive after the shell has exited, in milliseconds. */
const drain = 500;

/** How much time a command gets that has to wait for the user, in milliseconds. */
const stillWaiting = 5_000;

/** The maximum delay of a timer. */
const longest = 2 ** 31 - 1;

/**
 * A watcher in the same process group waits on a pipe whose other end only we hold. When our process ends
 * in any way, the pipe closes and the watcher kills the group and what has left it. It ignores the usual
 * signals, because it must outlive the command. It has no mark itself.
 */
const guarded = `mark=$1; shift
(trap '' HUP INT TERM; PATH=${systemFolders}; read -r _ <&3
${endStraysScript}; kill -KILL 0) </dev/null >/dev/null 2>&1 &
exec 3<&-; ${callVariable}=$mark; export ${callVariable}; exec "$@"`;

interface ProgramStart {
  readonly words: readonly string[];
  readonly env: Variables;
  readonly mark: string;
  /** Descriptors after the usual ones. */
  readonly more?: readonly 'pipe'[];
}

function start(
  { command, cwd, input, shell }: ShellCommand,
  { words, env, mark, more = [] }: ProgramStart,
): ChildProcess {
  const stdin = input === undefined ? 'ignore' : 'pipe';
  const plain: SpawnOptions = { cwd, env, windowsHide: true, stdio: [stdin, 'pipe', 'pipe'] };
  if (process.platform === 'win32')
    return shell
      ? spawn(shell.path, [...shell.args, command], plain)
      : spawn(command, { ...plain, shell: true });
  return spawn('/bin/sh', ['-c', guarded, 'sh', mark, ...words], {
    cwd,
    env,
    detached: true,
    stdio: sealedStdio([stdin, 'pipe', 'pipe', 'pipe', ...more]),
  });
}

/** A program that gets its words and variables later, through one more pipe. */
function startAhead(...[command, words, mark]: Parameters<SpareOptions['start']>): ChildProcess {
  return start(command, { words, env: {}, mark, more: ['pipe'] });
}

/** With a socket as its input, bash assumes a remote login and would read the user's start-up file. */
function shellWords({ shell }: ShellCommand): readonly string[] {
  if (shell) return [shell.path, ...shell.args];
  return existsSync('/bin/bash') ? ['/bin/bash', '--norc', '-c'] : ['/bin/sh', '-c'];
}

function listen(child: ChildProcess, command: ShellCommand): void {
  // A command may close its input without reading it.
  child.stdin?.on('error', () => {});
  child.stdin?.end(command.input);
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8');
    child[name]?.on('data', (text: string) => command.output(name, text));
  }
}
