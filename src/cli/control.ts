// The control connection of the private socket: what our own commands ask of the running host.
import type { Socket } from 'node:net';
import { ndjson } from '../rpc/ndjson.ts';
import { createPeer } from '../rpc/peer.ts';
import { RpcError, rpcCodes } from '../rpc/rpcError.ts';
import { createStreamTransport } from '../rpc/stream.ts';
import type { ConnectionOptions } from './connections.ts';

export function control(socket: Socket, { host, stop, refresh }: Pick<ConnectionOptions, 'host' | 'stop' | 'refresh'>): void {
  const methods: { readonly [name: string]: (() => unknown) | undefined } = {
    status: () => ({ pid: process.pid, sessions: host.summaries().length }),
    stop: async () => {
      await stop();
      return null;
    },
    refresh: () => {
      refresh();
      return null;
    },
  };
  createPeer(createStreamTransport({ input: socket, output: socket, framing: ndjson }), {
    handle: {
      request(method) {
        const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
        if (!answer) throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
        return answer();
      },
      notification: () => {},
    },
  });
}
