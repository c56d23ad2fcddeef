// Asks the running host something over its private socket, starting it where there is none and somebody wants it.
import { encodeHello } from '../../io/local/socketGreeting.ts';
import { socketPath } from '../../io/settings/dataPaths.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';
import { attempt, reach } from '../stdio/pipe.ts';

/** A control connection to the host; undefined where none runs and none is to be started. */
export async function hostControl(absent: 'start' | 'leave'): Promise<Peer | undefined> {
  const path = socketPath(process.env);
  const socket = absent === 'start' ? await reach(path) : await attempt(path);
  if (!socket) return undefined;
  socket.write(encodeHello('control'));
  return createPeer(createStreamTransport({ input: socket, output: socket, framing: ndjson }), {
    handle: { request: () => null, notification: () => {} },
    malformed: 'report',
  });
}
