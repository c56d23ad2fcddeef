// Asks the running host to do something over its control connection, and waits until it has. Starts no host where there is none.
import { encodeHello } from '../../io/local/socketGreeting.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import { createPeer } from '../../rpc/peer.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';
import { attempt } from '../stdio/pipe.ts';

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
