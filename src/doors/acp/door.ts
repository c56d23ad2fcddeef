// The ACP door: serves one client until it disconnects. Its sessions continue without it.
import type { Door } from '../../host/door.ts';
import { cancelRequest } from '../../protocols/acp/v1/methods.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { AcpConnection } from './connection.ts';
import { methodHandler } from './methods.ts';
import type { AcpOptions } from './options.ts';

export function acpDoor(options: AcpOptions): Door<Transport> {
  return {
    name: 'acp',
    async serve(transport, host) {
      const peer: Peer = createPeer(transport, {
        handle: methodHandler(() => ({ connection, options })),
        cancel: cancelRequest,
        problem: ({ kind, detail, error }) =>
          kind === 'handler' && host.report(error, `an ACP client: ${detail}`),
      });
      const connection = new AcpConnection(host, peer, options);
      await peer.closed;
      connection.end();
    },
  };
}
