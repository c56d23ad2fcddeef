// `parley stop`: asks the running host to store everything and end, and waits until it has.
import { createPeer } from '../rpc/peer.ts';
import { ndjson } from '../rpc/ndjson.ts';
import { createStreamTransport } from '../rpc/stream.ts';
import { encodeHello } from '../io/hello.ts';
import { socketPath } from '../io/paths.ts';
import { attempt } from './pipe.ts';

export async function run(): Promise<number> {
  const path = socketPath(process.env);
  const socket = await attempt(path);
  if (!socket) {
    process.stdout.write('No host is running.\n');
    return 0;
  }
  socket.write(encodeHello('control'));
  const peer = createPeer(createStreamTransport({ input: socket, output: socket, framing: ndjson }), {
    handle: { request: () => null, notification: () => {} },
    malformed: 'report',
  });
  await peer.request('stop').catch(() => {});
  peer.close();
  await peer.closed;
  process.stdout.write('The host has stopped.\n');
  return 0;
}
