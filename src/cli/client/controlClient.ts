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

/** Lets a running host read keys and sign-ins again. */
export async function refreshHost(): Promise<void> {
  const peer = await runningHost();
  await peer?.request('refresh').catch(() => {});
  peer?.close();
  await peer?.closed;
}

function control(socket: Awaited<ReturnType<typeof connectToHost>>): Peer {
  socket.write(encodeHello('control'));
  return createPeer(createStreamTransport({ input: socket, output: socket, framing: ndjson }), {
    handle: { request: () => null, notification: () => {} },
    malformed: 'report',
  });
}
