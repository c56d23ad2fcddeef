// Host and door in this one process, for whoever wants no background host.
import type { Hello } from '../io/hello.ts';
import { createStreamTransport } from '../rpc/stream.ts';
import { openHost } from './compose.ts';
import { doors } from './doors.ts';

export async function standalone(name: string, options: Hello['options']): Promise<number> {
  const door = doors[name];
  if (!door) throw new Error(`there is no door named ${name}.`);
  const [opened, served] = await Promise.all([openHost(process.env), door.open(options)]);
  if ('heldBy' in opened) {
    process.stderr.write(`parley: a host is already running on this data directory${opened.heldBy.pid === undefined ? '' : ` (pid ${opened.heldBy.pid})`}. Leave out --standalone to use it, or set PARLEY_HOME.\n`);
    return 3;
  }
  const transport = createStreamTransport({ input: process.stdin, output: process.stdout, framing: door.framing });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => transport.close());
  await served.serve(transport, opened.host);
  await opened.close();
  return 0;
}
