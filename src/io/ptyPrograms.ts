// Programs that run beside a turn behind a pseudo-terminal of their own; where there are none, with pipes. Nobody types in them.
import type { NewProgram, ProgramEnd, Programs } from '../host/piped.ts';
import type { PtyEnd } from '../host/pty.ts';
import { pipedPrograms } from './pipedPrograms.ts';
import { terminals } from './pty.ts';

/** What is printed is read by models and shown as text: no colours, and no pager that waits for a key. */
const plainly = { TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_PAGER: 'cat' };

const size = { cols: 120, rows: 40 };

export function ptyPrograms(options: Parameters<typeof pipedPrograms>[0] = {}): Programs {
  const open = terminals(options);
  const piped = pipedPrograms(options);
  return {
    start(program) {
      const stop = new AbortController();
      const ended = new Promise<ProgramEnd>((resolve) => void run(program, stop.signal, resolve));
      return { ended, kill: () => stop.abort() };
    },
  };

  async function run(program: NewProgram, stop: AbortSignal, resolve: (end: ProgramEnd | Promise<ProgramEnd>) => void): Promise<void> {
    const { command, args, cwd } = program;
    const write = lines((text) => program.output(text, 'stdout'));
    const opened = await open.open({
      program: args.length === 0 ? { kind: 'command', line: command } : { kind: 'file', file: command, args }, cwd, env: { ...plainly, ...program.env }, ...size,
      data: (text) => write(text), exited: (end) => resolve(endOf(end)),
    });
    if (!('problem' in opened)) return onStop(stop, opened);
    if (opened.problem === 'failed') return resolve({ kind: 'failed', message: opened.message });
    const substitute = piped.start(program);
    onStop(stop, substitute);
    return resolve(substitute.ended);
  }
}

function onStop(stop: AbortSignal, running: { kill(): void }): void {
  if (stop.aborted) running.kill();
  else stop.addEventListener('abort', () => running.kill(), { once: true });
}

function endOf(end: PtyEnd): ProgramEnd {
  return 'signal' in end ? { kind: 'signalled', signal: end.signal } : { kind: 'exited', code: end.exitCode };
}

/** A terminal ends its lines in two letters; whoever reads expects one. */
function lines(output: (text: string) => void): (text: string) => void {
  let held = '';
  return (text) => {
    const whole = held + text;
    held = whole.endsWith('\r') ? '\r' : '';
    const ready = (held === '' ? whole : whole.slice(0, -1)).replaceAll('\r\n', '\n');
    if (ready !== '') output(ready);
  };
}
