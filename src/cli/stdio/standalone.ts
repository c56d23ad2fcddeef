// Host and door in this one process, without a background host. The editor's first request is answered
// before the rest is loaded.
import { fileURLToPath } from 'node:url';
import type { App } from '../../app/app.ts';
import { watchFraming } from '../../app/brokenInput.ts';
import { doors } from '../../app/doors.ts';
import { readHostInfo } from '../../app/hostInfo.ts';
import type { Door } from '../../host/door.ts';
import type { Hello } from '../../io/local/socketGreeting.ts';
import { watchSignals } from '../../io/processes/signalWatchdog.ts';
import { dataPaths, socketPath } from '../../io/settings/dataPaths.ts';
import { answerEarly } from '../../rpc/transports/earlyAnswer.ts';
import { observeTransport } from '../../rpc/transports/observe.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { printError } from '../output.ts';
import { replacedAndIdle, replacedWords } from '../start/replacedProgram.ts';
import type { LogView } from './logView.ts';
import { tryConnect } from './reachHost.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long the host may take to end after a signal, in milliseconds. */
const watchdogTime = 4_500;

/** How long the first request may take before we load the rest anyway, in milliseconds. */
const firstRequestTime = 25;

export async function standalone(name: string, options: Hello['options'], view?: LogView): Promise<number> {
  const door = doors[name];
  if (!door) throw new Error(`Unknown door "${name}".`);
  const runningHost = await tryConnect(socketPath(process.env));
  runningHost?.destroy();
  if (runningHost) return hostIsRunning(readHostInfo(dataPaths(process.env).info)?.pid);
  const greet = (await door.greeting?.(options)) ?? (() => undefined);
  const { transport: stdio, broken } = watchFraming(
    createStreamTransport({ input: process.stdin, output: process.stdout, framing: door.framing }),
  );
  const transport = answerEarly(view?.messages ? observeTransport(stdio, view.messages) : stdio, greet);
  await Promise.race([
    transport.begun,
    new Promise((resolve) => {
      setTimeout(resolve, firstRequestTime);
    }),
  ]);

  const { openHost } = await import('../../app/openHost.ts');
  const [app, createDoor] = await Promise.all([openHost(process.env, { alone: true }), door.load()]);
  if ('heldBy' in app) {
    transport.close();
    return hostIsRunning(app.heldBy.pid);
  }
  endOnSignals(transport);
  const isReplaced = await serveUntilReplaced(app, transport, createDoor(app)(options));
  const farewell = isReplaced ? { message: replacedWords, exit: 1 } : broken();
  if (farewell) printError(`parley: ${farewell.message}\n`);
  return farewell?.exit ?? 0;
}

/** A host that does not end in good order is ended. */
function endOnSignals(transport: Transport): void {
  for (const signal of signals) process.once(signal, () => transport.close());
  if (process.platform !== 'win32') watchSignals(signals, watchdogTime);
}

/** Whether it ends because the files of the program were replaced. */
async function serveUntilReplaced(app: App, transport: Transport, door: Door<Transport>): Promise<boolean> {
  const served = new AbortController();
  const program = { file: fileURLToPath(import.meta.url), sessions: () => app.host.openSessions() };
  const replaced = new AbortController();
  replaced.signal.addEventListener('abort', () => transport.close());
  void replacedAndIdle(program, served.signal).then((isReplaced) => isReplaced && replaced.abort());
  await door.serve(transport, app.host);
  served.abort();
  await app.close();
  return replaced.signal.aborted;
}

function hostIsRunning(pid: number | undefined): number {
  printError(
    'parley: A host is already running on this data ' +
      `directory${pid === undefined ? '' : ` (pid ${pid})`}. Leave out --standalone to use it, or set ` +
      'PARLEY_HOME.\n',
  );
  return 3;
}
