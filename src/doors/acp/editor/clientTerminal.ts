// Runs one command in a terminal of the client and reports its output as it comes. The terminal is released whatever happens.
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
import type { BenchOptions } from './workbench.ts';

/** How much of its output a client keeps for us. */
const outputByteLimit = 1_000_000;

/** How often output is asked for while the command runs; ACP has no other way. */
const beat = 500;

/** `gone` where the client could not start it, so that it is run elsewhere. */
export async function runInTerminal(
  options: BenchOptions,
  command: ShellCommand,
  tool: string,
): Promise<ShellEnd | 'gone'> {
  const { peer, chat, shown } = options;
  if (command.signal.aborted) return { kind: 'stopped' };
  const env = Object.entries(command.env ?? {}).map(([name, value]) => ({ name, value }));
  const made = createTerminalResult.safeParse(
    await peer
      .request(createTerminal, {
        sessionId: chat,
        ...shellLine(command),
        env,
        cwd: command.cwd,
        outputByteLimit,
      })
      .catch(() => undefined),
  );
  if (!made.success) return 'gone';
  const place = { sessionId: chat, terminalId: made.data.terminalId };
  shown(tool, place.terminalId);
  try {
    return await watch(options, command, place);
  } finally {
    await peer.request(releaseTerminal, place).catch(() => undefined);
  }
}

interface Place {
  readonly sessionId: string;
  readonly terminalId: string;
}

async function watch({ peer, clock }: BenchOptions, command: ShellCommand, place: Place): Promise<ShellEnd> {
  let cause: 'timeout' | 'stopped' | undefined;
  const end = (why: 'timeout' | 'stopped') => {
    cause ??= why;
    void peer.request(killTerminal, place).catch(() => undefined);
  };
  const stop = () => end('stopped');
  command.signal.addEventListener('abort', stop, { once: true });
  const recall = clock.after(command.timeout, () => end('timeout'));
  const told = tell(command);
  const pull = async () => told(await peer.request(terminalOutput, place).catch(() => undefined));
  let over = false;
  let silence = () => {};
  const again = () => {
    if (!over) silence = clock.after(beat, () => void pull().then(again));
  };
  again();
  const exit = waitForExitResult.safeParse(await peer.request(waitForExit, place).catch(() => undefined));
  over = true;
  silence();
  recall();
  command.signal.removeEventListener('abort', stop);
  await pull();
  if (cause) return { kind: cause };
  if (!exit.success) return { kind: 'failed', message: 'The editor lost its terminal.' };
  const { exitCode, signal } = exit.data;
  return signal == null ? { kind: 'exited', code: exitCode ?? 1 } : { kind: 'signalled', signal };
}

/** Passes on what is new. Once the beginning was dropped, what is left can only be told from its end. */
function tell(command: ShellCommand): (result: unknown) => void {
  let known = '';
  return (result) => {
    const read = terminalOutputResult.safeParse(result);
    if (!read.success) return;
    const { output } = read.data;
    const fresh = output.startsWith(known) ? output.slice(known.length) : afterKnown(output, known);
    known = output;
    if (fresh !== '') command.output('stdout', fresh);
  };
}

/** How many characters of the end are looked for in what came next. */
const tail = 256;

function afterKnown(output: string, known: string): string {
  const mark = known.slice(-tail);
  const at = output.lastIndexOf(mark);
  return at < 0 ? output : output.slice(at + mark.length);
}

/** Clients start programs, so a command line is given to a shell. */
function shellLine({ command, cwd }: ShellCommand): {
  readonly command: string;
  readonly args: readonly string[];
} {
  return /^[a-z]:[\\/]/i.test(cwd)
    ? { command: 'cmd.exe', args: ['/d', '/s', '/c', command] }
    : { command: '/bin/sh', args: ['-c', command] };
}
