// The ACP door: serves one client over one transport until it ends. Its sessions go on without it.
import type { Door } from '../../host/door.ts';
import type { Role } from '../../host/policy/roles.ts';
import { cancelRequest } from '../../protocols/acp/v1/methods.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import type { Accounts } from './inbound/accounts.ts';
import { Connection } from './connection.ts';
import { inbound } from './methods.ts';
import type { Complete } from './unstable/nes/predict.ts';
import type { Routes } from './unstable/providers.ts';

export interface AcpOptions {
  /** What we say we are. */
  readonly version: string;
  /** What the client may do; absent means everything. */
  readonly role?: Role;
  /** The agent that new sessions get; absent means the host's first. */
  readonly agent?: string;
  readonly accounts?: Accounts;
  readonly routes?: Routes;
  /** Asks a model something that is no part of any session. */
  readonly complete?: Complete;
  /** How many sessions one page of a list holds. */
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
      const connection = new Connection(host, peer, options.role);
      await peer.closed;
      connection.end();
    },
  };
}
