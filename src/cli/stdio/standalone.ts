// Host and door in this one process, for whoever wants no background host. The editor's first question is answered before the rest is loaded.
import { readFileSync } from 'node:fs';
import type { Hello } from '../../io/local/socketGreeting.ts';
import { dataPaths, socketPath } from '../../io/settings/dataPaths.ts';
import { answerEarly } from '../../rpc/transports/earlyAnswer.ts';
import { overhear } from '../../rpc/transports/observe.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';
import { doors } from '../../app/doors.ts';
import type { View } from './logView.ts';
import { mayLose } from './brokenInput.ts';
import { printError } from '../output.ts';
import { attempt } from './pipe.ts';

/** An editor that says nothing for this long is in no hurry, in milliseconds. */
const patience = 25;

export async function standalone(name: string, options: Hello['options'], view?: View): Promise<number> {
  const door = doors[name];
  if (!door) throw new Error(`there is no door named ${name}.`);
  const other = await attempt(socketPath(process.env));
  other?.destroy();
  if (other) return inTheWay(holderOf(dataPaths(process.env).info));
  const greet = (await door.greeting?.()) ?? (() => undefined);
  const { transport: plain, lost } = mayLose(
    createStreamTransport({ input: process.stdin, output: process.stdout, framing: door.framing }),
  );
  const own = view?.ear ? overhear(plain, view.ear) : plain;
  const transport = answerEarly(own, greet);
  await Promise.race([
    transport.begun,
    new Promise((resolve) => {
      setTimeout(resolve, patience);
    }),
  ]);

  const { openHost } = await import('../../app/openHost.ts');
  const [opened, served] = await Promise.all([openHost(process.env), door.open(options)]);
  if ('heldBy' in opened) {
    transport.close();
    return inTheWay(opened.heldBy.pid);
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => transport.close());
  await served.serve(transport, opened.host);
  await opened.close();
  const words = lost();
  if (words) printError(`parley: ${words.message}\n`);
  return words?.exit ?? 0;
}

/** The process that says it is the host, as far as it can be read. */
function holderOf(info: string): number | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(info, 'utf8'));
    return typeof value === 'object' && value !== null && 'pid' in value && typeof value.pid === 'number'
      ? value.pid
      : undefined;
  } catch {
    return undefined;
  }
}

function inTheWay(pid: number | undefined): number {
  printError(
    `parley: a host is already running on this data directory${pid === undefined ? '' : ` (pid ${pid})`}. Leave out --standalone to use it, or set PARLEY_HOME.\n`,
  );
  return 3;
}
