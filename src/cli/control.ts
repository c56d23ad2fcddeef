// The control connection of the private socket: what our own commands ask of the running host.
import type { Socket } from 'node:net';
import { ndjson } from '../rpc/ndjson.ts';
import { createPeer } from '../rpc/peer.ts';
import { RpcError, rpcCodes } from '../rpc/rpcError.ts';
import { createStreamTransport } from '../rpc/stream.ts';
import type { ConnectionOptions } from './connections.ts';
import { sessionMethods } from './sessionControl.ts';
import type { ControlMethod } from './sessionControl.ts';

export function control(socket: Socket, options: Pick<ConnectionOptions, 'host' | 'store' | 'stop' | 'refresh' | 'devices'>): void {
  const { host, store, stop, refresh, devices } = options;
  const methods: { readonly [name: string]: ControlMethod | undefined } = {
    ...sessionMethods(host, store),
    status: () => ({
      pid: process.pid, sessions: host.summaries().filter(({ started }) => started).length,
      agents: host.agents().map(({ id, name, models }) => ({ id, name, models: models.map((model) => model.id) })),
    }),
    code: () => devices.newCode(),
    devices: () => devices.list(),
    revoke: (id) => devices.revoke(String(id)),
    refresh: () => {
      refresh();
      return null;
    },
    stop: async () => {
      await stop();
      return null;
    },
  };
  createPeer(createStreamTransport({ input: socket, output: socket, framing: ndjson }), {
    handle: {
      request(method, params, { signal }) {
        const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
        if (!answer) throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
        return answer(Array.isArray(params) ? params[0] : params, signal);
      },
      notification: () => {},
    },
  });
}
