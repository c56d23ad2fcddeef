// Asks the running host to do something over its control connection, and waits until it has. Starts no host where there is none.
import { encodeHello } from '../io/hello.ts';
import { socketPath } from '../io/paths.ts';
import { ndjson } from '../rpc/ndjson.ts';
import { createPeer } from '../rpc/peer.ts';
import { createStreamTransport } from '../rpc/stream.ts';
import { attempt } from './pipe.ts';

/** Whether a host was there to ask. */
export async function askHost(method: string): Promise<boolean> {
  const socket = await attempt(socketPath(process.env));
  if (!socket) return false;
  socket.write(encodeHello('control'));
  const peer = createPeer(createStreamTransport({ input: socket, output: socket, framing: ndjson }), {
    handle: { request: () => null, notification: () => {} },
    malformed: 'report',
  });
  await peer.request(method).catch(() => {});
  peer.close();
  await peer.closed;
  return true;
}
