// The browsers of one remote API, as the handlers of its requests see them.
import type { EcaConnection } from '../connection.ts';
import type { RemotePeer } from './peer.ts';

export class RemoteClient {
  readonly connection: EcaConnection;
  readonly peer: RemotePeer;
  readonly startedAt: number;
  #trust: boolean;

  constructor(connection: EcaConnection, peer: RemotePeer) {
    this.connection = connection;
    this.peer = peer;
    this.startedAt = connection.host.clock.now();
    this.#trust = connection.workspace.configuration.trust ?? false;
  }

  /** Whether prompts of browsers run without approvals, unless they say otherwise. */
  get trust(): boolean {
    return this.#trust;
  }

  setTrust(trust: boolean): void {
    this.#trust = trust;
    this.peer.emit({ event: 'trust:updated', data: { trust } });
  }
}
