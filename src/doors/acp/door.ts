// The ACP door: serves one client until it disconnects. Its sessions continue without it.
import type { Door } from '../../host/door.ts';
import type { Role } from '../../host/policy/roles.ts';
import { cancelRequest } from '../../protocols/acp/v1/methods.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import type { Accounts } from './inbound/accounts.ts';
import { AcpConnection } from './connection.ts';
import { inbound } from './methods.ts';
import type { Complete } from './unstable/nes/predict.ts';
import type { Routes } from './unstable/providers.ts';

export interface AcpOptions {
  /** Our name and version, for `initialize`. */
  readonly version: string;
  /** The role of the client; absent means full control. */
  readonly role?: Role;
  /** The agent of new sessions; absent means the first agent of the host. */
  readonly agent?: string;
  readonly accounts?: Accounts;
  readonly routes?: Routes;
  /** Sends one request to a model, outside of any session. */
  readonly complete?: Complete;
  /** The number of sessions on one page of `session/list`. */
  readonly pageSize?: number;
}

export function acpDoor(options: AcpOptions): Door<Transport> {
  return {
    name: 'acp',
    async serve(transport, host) {
      const peer: Peer = createPeer(transport, {
        handle: inbound(() => ({ connection, options })),
        cancel: cancelRequest,
        problem: ({ kind, detail, error }) =>
          kind === 'handler' && host.report(error, `an ACP client: ${detail}`),
      });
      const connection = new AcpConnection(host, peer, options.role);
      await peer.closed;
      connection.end();
    },
  };
}
