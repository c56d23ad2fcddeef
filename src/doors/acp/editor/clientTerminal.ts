// Runs one command in a terminal of the client and reports its output. The terminal is always released.
import { onAbort } from '../../../base/waiting.ts';
import type { ShellCommand, ShellEnd } from '../../../host/ports.ts';
import {
  createTerminal,
  createTerminalResult,
  killTerminal,
  releaseTerminal,
  terminalOutput,
  terminalOutputResult,
  waitForExit,
  waitForExitResult,
} from '../../../protocols/acp/v1/abilities.ts';
import { readingTime, SilentEditor } from './editorRequests.ts';
import type { BenchOptions } from './workbench.ts';

/** How many bytes of output the client keeps. */
const outputByteLimit = 1_000_000;

/** The polling interval for output in milliseconds; ACP has no notification for it. */
const beat = 500;

/** `gone` if the client could not start the command; the host then runs it itself. */
export async function runInTerminal(
  options: BenchOptions,
  command: ShellCommand,
  tool: string,
): Promise<ShellEnd | 'gone'> {
  const { requests, chat, shown } = options;
  if (command.signal.aborted) return { kind: 'stopped' };
  const env = Object.entries(command.env ?? {}).map(([name, value]) => ({ name, value }));
  const wish = { sessionId: chat, ...shellLine(command), env, cwd: command.cwd, outputByteLimit };
  const answer = await requests.send(createTerminal, wish, readingTime).catch((error: unknown) => error);
  // The command may run, so the host must not run it again.
  if (answer instanceof SilentEditor)
    return { kind: 'failed', message: `${answer.message} It is not known whether the command has started.` };
  const made = createTerminalResult.safeParse(answer);
  if (!made.success) return 'gone';
  const target = { sessionId: chat, terminalId: made.data.terminalId };
  shown(tool, target.terminalId);
  try {
    return await watch(options, command, target);
  } finally {
    await requests.send(releaseTerminal, target, readingTime).catch(() => undefined);
  }
}

interface TerminalTarget {
  readonly sessionId: string;
  readonly terminalId: string;
}

async function watch(
  { requests, clock }: BenchOptions,
  command: ShellCommand,
  target: TerminalTarget,
): Promise<ShellEnd> {
  let cause: 'timeout' | 'stopped' | undefined;
  const giveUp = new AbortController();
  let forget = () => {};
  const end = (why: 'timeout' | 'stopped') => {
    cause ??= why;
    void requests.send(killTerminal, target, readingTime).catch(() => undefined);
    forget();
    forget = clock.after(readingTime, () => giveUp.abort());
  };
  const leave = onAbort(command.signal, () => end('stopped'));
  const recall = clock.after(command.timeout, () => end('timeout'));
  const report = outputReporter(command);
  const pull = async () =>
    report(await requests.send(terminalOutput, target, readingTime).catch(() => undefined));
  let over = false;
  let silence = () => {};
  const again = () => {
    if (!over) silence = clock.after(beat, () => void pull().then(again));
  };
  again();
  const exit = waitForExitResult.safeParse(
    await requests.wait(waitForExit, target, giveUp.signal).catch(() => undefined),
  );
  over = true;
  forget();
  silence();
  recall();
  leave();
  await pull();
  if (cause) return { kind: cause };
  if (!exit.success) return { kind: 'failed', message: 'The editor lost its terminal.' };
  const { exitCode, signal } = exit.data;
  return signal == null ? { kind: 'exited', code: exitCode ?? 1 } : { kind: 'signalled', signal };
}

/**
 * Reports new output. After the client has dropped the beginning, new output is found by
 * comparing with the last end.
 */
function outputReporter(command: ShellCommand): (result: unknown) => void {
  let known = '';
  return (result) => {
    const read = terminalOutputResult.safeParse(result);
    if (!read.success) return;
    const { output } = read.data;
    const added = output.startsWith(known) ? output.slice(known.length) : afterKnown(output, known);
    known = output;
    if (added !== '') command.output('stdout', added);
  };
}

/** The length of the last end that is searched in the next output. */
const tail = 256;

function afterKnown(output: string, known: string): string {
  const mark = known.slice(-tail);
  const at = output.lastIndexOf(mark);
  return at < 0 ? output : output.slice(at + mark.length);
}

/** Clients start programs, so a command line runs in a shell. */
function shellLine({ command, cwd }: ShellCommand): {
  readonly command: string;
  readonly args: readonly string[];
} {
  return /^[a-z]:[\\/]/i.test(cwd)
    ? { command: 'cmd.exe', args: ['/d', '/s', '/c', command] }
    : { command: '/bin/sh', args: ['-c', command] };
}
