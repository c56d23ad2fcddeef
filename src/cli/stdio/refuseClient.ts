// Tells a client on stdio why it gets no host: its first request is answered with an error.
import { doors } from '../../app/doors.ts';
import { createPeer } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';

/** How long we wait for the client's first request, in milliseconds. */
const requestTime = 1_000;

export async function refuseClient(door: string, message: string): Promise<void> {
  const framing = doors[door]?.framing;
  if (!framing) return;
  const peer = createPeer(createStreamTransport({ input: process.stdin, output: process.stdout, framing }), {
    handle: {
      request() {
        setImmediate(() => peer.close());
        throw new RpcError(rpcCodes.internalError, message);
      },
      notification: () => {},
    },
    malformed: 'report',
  });
  const timer = setTimeout(() => peer.close(), requestTime);
  await peer.closed;
  clearTimeout(timer);
}
