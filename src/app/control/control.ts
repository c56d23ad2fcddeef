// The control connection on the private socket, for our own commands.
import type { Socket } from 'node:net';
import type { Origin } from '../../model/event.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';
import { createPeer } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { createStreamTransport } from '../../rpc/transports/stream.ts';
import type { ControlMethods } from './methods.ts';

const terminal: Origin = { kind: 'client', door: 'control', client: 'parley', name: 'a terminal' };

export function control(socket: Socket, methods: ControlMethods): void {
  createPeer(createStreamTransport({ input: socket, output: socket, framing: ndjson }), {
    handle: {
      request(method, params, { signal }) {
        const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
        if (!answer) throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
        return answer(Array.isArray(params) ? params[0] : params, signal, terminal);
      },
      notification: () => {},
    },
  });
}
