// `parley run`: runs one prompt non-interactively, on the running host or standalone. The exit code is the
// outcome.
import type { Socket } from 'node:net';
import { errorText } from '../../base/errorText.ts';
import type { DoorResult, RunStarted, RunWishes } from '../../app/run/runDoor.ts';
import { encodeHello } from '../../io/local/socketGreeting.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import type { Entry } from '../../model/event.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import { createPeer } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { createMemoryPair } from '../../rpc/transports/memory.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { printError } from '../output.ts';
import { UsageError } from '../say.ts';
import { connectToHost } from '../stdio/reachHost.ts';
import { clearer } from '../suggest.ts';
import { exitCodes } from './ending.ts';
import { readWishes, wishedJson } from './options.ts';
import type { RunArguments } from './options.ts';
import { outputs } from './outputs.ts';
import type { RunOutput } from './outputs.ts';

export async function run(args: readonly string[]): Promise<number> {
  let wished: RunArguments;
  try {
    wished = await readWishes(args);
  } catch (error) {
    return refuse(error, args);
  }
  const { wishes, output, standalone } = wished;
  const show = outputs[output]();
  let lost: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    lost ??= error;
  });
  const code = await (standalone ? alone(wishes, show) : onHost(wishes, show));
  // The last write may fail a moment later.
  await new Promise((resolve) => setImmediate(resolve));
  if (!lost) return code;
  // The reader closed the pipe because it has read enough, so the run ends.
  if (lost.code === 'EPIPE') return code === 0 ? exitCodes.stopped : code;
  printError(`parley: The output could not be written: ${lost.message}\n`);
  return 1;
}

/** A script that reads JSON gets it for wrong arguments, too. */
function refuse(error: unknown, args: readonly string[]): number {
  const output = error instanceof UsageError ? wishedJson(args) : undefined;
  if (output === undefined) throw error;
  return outputs[output]().failed(clearer(errorText(error), 'run'), 'usage');
}

async function onHost(wishes: RunWishes, show: RunOutput): Promise<number> {
  let socket: Socket;
  try {
    socket = await connectToHost(socketPath(process.env));
  } catch (error) {
    return show.failed(errorText(error), 'unreachable');
  }
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
    const isWrongName = error instanceof RpcError && error.code === rpcCodes.invalidParams;
    return show.failed(errorText(error, String(error)), isWrongName ? 'usage' : 'failed');
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
  let opened: Awaited<ReturnType<typeof openHost>>;
  try {
    opened = await openHost(process.env, { alone: true });
  } catch (error) {
    return show.failed(errorText(error), 'unreachable');
  }
  if ('heldBy' in opened)
    return show.failed(
      'A host is already running on this data directory. Leave out --standalone to use it, ' +
        'or set PARLEY_HOME.',
      'unreachable',
    );
  const [here, there] = createMemoryPair();
  const served = runDoor().serve(there, opened.host);
  const code = await ask(here, wishes, show);
  await served;
  await opened.close();
  return code;
}
