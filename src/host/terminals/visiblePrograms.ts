// Runs programs in terminals of the host, so that clients can watch them. Without terminals they
// run in the background.
import { onAbort } from '../../base/waiting.ts';
import type { NewProgram, ProgramEnd, Programs, ShownProgram } from './programs.ts';
import type { Sink } from '../session/live.ts';
import type { PtyEnd } from './pty.ts';
import { isRefusal } from './terminal.ts';
import type { TerminalEvent } from './terminal.ts';
import type { TerminalHub } from './terminalHub.ts';

/** For output that an agent reads: no colours, and no pager that waits for a key. */
const plainOutput = { TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_PAGER: 'cat' };

const size = { cols: 120, rows: 40 };

export function shownPrograms(hub: () => TerminalHub | undefined, unseen: Programs): Programs {
  return {
    start(program) {
      const terminals = hub();
      const { shown } = program;
      if (!terminals || !shown) return unseen.start(program);
      const stop = new AbortController();
      return {
        ended: run({ ...program, shown }, { terminals, unseen, stop: stop.signal }),
        kill: () => stop.abort(),
      };
    },
  };
}

interface RunOptions {
  readonly terminals: TerminalHub;
  readonly unseen: Programs;
  readonly stop: AbortSignal;
}

async function run(
  program: NewProgram & { readonly shown: ShownProgram },
  { terminals, unseen, stop }: RunOptions,
): Promise<ProgramEnd> {
  const {
    command,
    args,
    cwd,
    env,
    confined,
    shown: { id, title, owner, reader },
  } = program;
  const opened = await terminals.open({
    id,
    title,
    owner,
    cwd,
    confined,
    env: { ...(reader === 'agent' ? plainOutput : {}), ...env },
    ...size,
    program: args.length === 0 ? { kind: 'command', line: command } : { kind: 'file', file: command, args },
    follower: reading(lines((text) => program.output(text, 'stdout'))),
  });
  if (!isRefusal(opened)) {
    onAbort(stop, () => void opened.kill({ kind: 'host' }));
    return endOf(await opened.ended);
  }
  if (opened.refused !== 'unavailable' || stop.aborted) return { kind: 'failed', message: opened.message };
  const substitute = unseen.start(program);
  onAbort(stop, () => substitute.kill());
  return substitute.ended;
}

/** A follower for an agent is always ready. */
function reading(output: (text: string) => void): Sink<TerminalEvent> {
  return {
    deliver: (events) => events.forEach((event) => event.type === 'data' && output(event.text)),
    ready: () => true,
    whenReady: (resume) => resume(),
  };
}

function endOf(end: PtyEnd): ProgramEnd {
  return 'signal' in end ? { kind: 'signalled', signal: end.signal } : { kind: 'exited', code: end.exitCode };
}

/** A terminal ends lines with CR LF; the reader expects LF. */
function lines(output: (text: string) => void): (text: string) => void {
  let held = '';
  return (text) => {
    const whole = held + text;
    held = whole.endsWith('\r') ? '\r' : '';
    const ready = (held === '' ? whole : whole.slice(0, -1)).replaceAll('\r\n', '\n');
    if (ready !== '') output(ready);
  };
}
