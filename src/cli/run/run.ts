// `parley run`: runs one prompt non-interactively, on the running host or standalone. The exit code is the
// outcome.
import { errorText } from '../../base/errorText.ts';
import type { DoorResult, RunStarted, RunWishes } from '../../app/run/runDoor.ts';
import { encodeHello } from '../../io/local/socketGreeting.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import type { Entry } from '../../model/event.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import { createPeer } from '../../rpc/peer.ts';
import { createMemoryPair } from '../../rpc/transports/memory.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { printError } from '../output.ts';
import { connectToHost } from '../stdio/reachHost.ts';
import { exitCodes } from './ending.ts';
import { readWishes } from './options.ts';
import { outputs } from './outputs.ts';
import type { RunOutput } from './outputs.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { wishes, output, standalone } = await readWishes(args);
  const show = outputs[output]();
  let lost: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    lost ??= error;
  });
  const code = await (standalone ? alone(wishes, show) : onHost(wishes, show));
  // The last write may fail a moment later.
  await new Promise((resolve) => setImmediate(resolve));
  if (!lost || code !== 0) return code;
  if (lost.code === 'EPIPE') return exitCodes.stopped;
  printError(`parley: The output could not be written: ${lost.message}\n`);
  return 1;
}

async function onHost(wishes: RunWishes, show: RunOutput): Promise<number> {
  const socket = await connectToHost(socketPath(process.env));
  socket.write(encodeHello('run'));
  return ask(createStreamTransport({ input: socket, output: socket, framing: ndjson }), wishes, show);
}

/** How long a stopped turn may take to end before the program leaves without its result, in milliseconds. */
const patience = 5_000;

async function ask(transport: Transport, wishes: RunWishes, show: RunOutput): Promise<number> {
  const peer = createPeer(transport, {
    // Our own host says what our own program reads.
    /* oxlint-disable typescript/no-unsafe-type-assertion */
    handle: {
      request: () => null,
      notification: (method, params) => {
        if (method === 'started') show.started(params as RunStarted);
        if (method === 'entry') show.entry(params as Entry);
      },
    },
    /* oxlint-enable typescript/no-unsafe-type-assertion */
    malformed: 'report',
  });
  const leave = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  // The host stops the turn and answers with the result so far; the second signal does not wait for that.
  const stop = () => {
    if (timer) return leave.abort();
    peer.notify('stop');
    timer = setTimeout(() => leave.abort(), patience).unref();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.stdout.on('error', () => leave.abort());
  try {
    // Our own host says what our own program reads.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const result = (await peer.request('run', wishes, { signal: leave.signal })) as DoorResult;
    return show.ended(result);
  } catch (error) {
    if (leave.signal.aborted) return exitCodes.stopped;
    return show.failed(errorText(error, String(error)));
  } finally {
    clearTimeout(timer);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, stop);
    peer.close();
    await peer.closed;
  }
}

async function alone(wishes: RunWishes, show: RunOutput): Promise<number> {
  const [{ openHost }, { runDoor }] = await Promise.all([
    import('../../app/openHost.ts'),
    import('../../app/run/runDoor.ts'),
  ]);
  const opened = await openHost(process.env, { alone: true });
  if ('heldBy' in opened) {
    printError(
      'parley: A host is already running on this data directory. Leave out --standalone to use it, or ' +
        'set PARLEY_HOME.\n',
    );
    return 3;
  }
  const [here, there] = createMemoryPair();
  const served = runDoor().serve(there, opened.host);
  const code = await ask(here, wishes, show);
  await served;
  await opened.close();
  return code;
}
