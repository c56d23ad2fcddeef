// Sends requests to the running host over its private socket.
import { encodeHello } from '../../io/local/socketGreeting.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';
import { tryConnect, connectToHost } from '../stdio/reachHost.ts';

/** A control connection to the host, which is started if none is running. */
export async function startedHost(): Promise<Peer> {
  return control(await connectToHost(socketPath(process.env)));
}

/** A control connection to the host; undefined if none is running. */
export async function runningHost(): Promise<Peer | undefined> {
  const socket = await tryConnect(socketPath(process.env));
  return socket && control(socket);
}

/**
 * Lets a running host read settings, keys and sign-ins again: the next command must find what this one wrote,
 * and watchers tell of it a moment later.
 */
export async function refreshHost(): Promise<void> {
  const peer = await runningHost();
  // One that does not answer hears of it from its watchers.
  await peer?.request('refresh', undefined, { signal: AbortSignal.timeout(2_000) }).catch(() => {});
  peer?.close();
  await peer?.closed;
}

/** For an answer that this version does not understand, or a request that the host does not know. */
export const otherVersion = 'The running host is a different version. Run parley stop and try again.';

/** Our own host answers, and its lists are long: they are parsed without counting what is in them first. */
const trusting = { maxDepth: Infinity, maxValues: Infinity };

function control(socket: Awaited<ReturnType<typeof connectToHost>>): Peer {
  socket.write(encodeHello('control'));
  return createPeer(createStreamTransport({ input: socket, output: socket, framing: ndjson }), {
    handle: { request: () => null, notification: () => {} },
    malformed: 'report',
    limits: trusting,
  });
}
