// The AHP door: one connection, from its first message to its end. The first message chooses the dialect; the rest is the dialect's.
import type { Door } from '../../host/door.ts';
import type { Host } from '../../host/host.ts';
import { beyond, mayAs } from '../../host/policy/roles.ts';
import type { Role } from '../../host/policy/roles.ts';
import { negotiate, publishedBaselines, vscodeAliases } from '../../protocols/ahp/negotiate.ts';
import type { ChosenVersion } from '../../protocols/ahp/negotiate.ts';
import { rootResource } from '../../protocols/ahp/integer1/state.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { clientResources } from './resources/clientResources.ts';
import { clientsOf } from './clients.ts';
import type { AhpOptions, Opening, Spoken } from './protocolVersion.ts';
import { refused } from './errors.ts';
import { newest } from './v1_0/connection.ts';
import { doorName } from './notes.ts';
import { roleForNotification, roleForRequest } from './roles.ts';
import { v1 } from './integer1/connection.ts';

export function ahpDoor(options: AhpOptions): Door<Transport> {
  return {
    name: doorName,
    async serve(transport, host) {
      const peer: Peer = createPeer(transport, {
        handle: {
          request: (method, params, { signal }) => connection.request(method, params, signal),
          notification: (method, params) => connection.notification(method, params),
        },
        problem: ({ kind, detail, error }) =>
          kind === 'handler' && host.report(error, `an AHP client: ${detail}`),
      });
      const connection = new Connection(host, peer, options);
      await peer.closed;
      connection.close();
    },
  };
}

class Connection {
  readonly #host: Host;
  readonly #peer: Peer;
  readonly #options: AhpOptions;
  #spoken: Spoken | undefined;
  #leave: () => void = () => {};

  constructor(host: Host, peer: Peer, options: AhpOptions) {
    this.#host = host;
    this.#peer = peer;
    this.#options = options;
  }

  request(method: string, params: unknown, signal: AbortSignal): unknown {
    if (method === 'initialize' || method === 'reconnect') {
      if (this.#spoken) throw refused('invalidRequest', 'This connection has been initialized already.');
      return method === 'initialize' ? this.#initialize(params) : this.#reconnect(params);
    }
    if (!this.#spoken) throw refused('invalidRequest', 'The first request must be initialize or reconnect.');
    // What an extension needs it knows itself.
    if (method.startsWith('x-') && this.#options.extension)
      return this.#options.extension(method, params, signal);
    const needed = roleForRequest(method, params);
    if (!mayAs(this.#role, needed)) throw refused('permissionDenied', beyond(this.#role, needed));
    return this.#spoken.request(method, params);
  }

  notification(method: string, params: unknown): void {
    const needed = roleForNotification(method, params);
    if (mayAs(this.#role, needed)) this.#spoken?.notification(method, params);
    else if (method === 'dispatchAction') this.#spoken?.refuse(params, beyond(this.#role, needed));
  }

  get #role(): Role {
    return this.#options.role ?? 'control';
  }

  close(): void {
    this.#leave();
    this.#spoken?.close();
  }

  #initialize(params: unknown): unknown {
    const chosen = negotiate(params, { baselines: publishedBaselines, aliases: vscodeAliases });
    if ('refused' in chosen) {
      if (chosen.refused === 'invalidParams') throw refused('invalidParams', chosen.problem);
      throw this.#unsupported(
        chosen.supportedVersions,
        memberOf(params, 'protocolVersions') === undefined ? 'may-try-again' : 'is-over',
      );
    }
    const id = textIn(params, 'clientId');
    if (id === undefined || id === '' || id.length > 256)
      throw refused('invalidParams', 'clientId: a text of 1 to 256 characters is needed');
    const known = clientsOf(this.#host).known(id);
    if (known && known.principal !== this.#options.principal)
      throw refused('permissionDenied', 'This client id belongs to somebody else.');
    const name =
      textIn(memberOf(params, 'clientInfo'), 'title') ?? textIn(memberOf(params, 'clientInfo'), 'name');
    const version = chosen.dialect === 'v1' ? { version: oldest, speaks: oldest } : chosen;
    return this.#open(
      { id, ...(name === undefined ? {} : { name: name.slice(0, 64) }) },
      version,
      params,
    ).initialize(params);
  }

  /**
   * A client that lost its connection goes on in the version it had. One we do not know has to introduce itself, but version 1 knows no
   * such answer: its clients are told by the root they follow, and get snapshots.
   */
  #reconnect(params: unknown): unknown {
    const id = textIn(params, 'clientId');
    if (id === undefined) throw refused('invalidParams', 'clientId: a text is needed');
    const known = clientsOf(this.#host).known(id);
    const followed = memberOf(params, 'subscriptions');
    const isOld = !known && Array.isArray(followed) && followed.includes(rootResource);
    if (known ? known.principal !== this.#options.principal : !isOld)
      throw refused('notFound', 'This host does not know the client; initialize instead.');
    const version = known?.version ?? oldest;
    const client = { id, ...(known?.name === undefined ? {} : { name: known.name }) };
    return this.#open(client, { version, speaks: vscodeAliases[version] ?? version }, params).reconnect(
      params,
    );
  }

  #open(client: Opening['client'], { version, speaks }: ChosenVersion, params: unknown): Spoken {
    const meta = memberOf(params, '_meta');
    this.#spoken = (speaks === oldest ? v1 : newest)({
      host: this.#host,
      peer: this.#peer,
      options: this.#options,
      version,
      speaks,
      client,
      meta: typeof meta === 'object' && meta !== null ? { ...meta } : undefined,
    });
    this.#leave = clientsOf(this.#host).enter(
      { ...client, principal: this.#options.principal, version },
      () => this.#peer.close(),
      {
        resources: clientResources(
          this.#peer,
          this.#host.clock,
          speaks === oldest ? {} : { channel: 'ahp-root://' },
        ),
        visits: this.#role === 'observe',
      },
    );
    return this.#spoken;
  }

  /** Lists of versions are final; a client of version 1 may still offer another number. */
  #unsupported(supportedVersions: readonly string[], connection: 'is-over' | 'may-try-again'): Error {
    if (connection === 'is-over') this.#host.clock.defer(() => this.#peer.close());
    return refused('unsupportedProtocolVersion', 'This host speaks none of the offered versions.', {
      supportedVersions,
    });
  }
}

/** The number that the first clients offered, as we write versions down. */
const oldest = '1';

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function textIn(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === 'string' ? member : undefined;
}
