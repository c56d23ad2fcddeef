// The AHP door: one connection from its first message to its end. The first message chooses the protocol
// version, which handles the rest.
import type { Door } from '../../host/door.ts';
import type { Host } from '../../host/host.ts';
import { roleRefusal, mayAs } from '../../host/policy/roles.ts';
import type { Role } from '../../host/policy/roles.ts';
import { isAtLeast, isCompatible, negotiate } from '../../protocols/ahp/negotiate.ts';
import type { SupportedVersions } from '../../protocols/ahp/negotiate.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer } from '../../rpc/peer.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { present } from '../../base/present.ts';
import { clientResources } from './resources/clientResources.ts';
import { clientsOf } from './clients.ts';
import type { AhpOptions, Opening, ProtocolVersion, VersionConnection } from './protocolVersion.ts';
import * as registered from './versions.ts';
import { refused } from './errors.ts';
import { doorName } from './notes.ts';
import { roleForNotification, roleForRequest } from './roles.ts';

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
  #version: VersionConnection | undefined;
  #leave: () => void = () => {};

  constructor(host: Host, peer: Peer, options: AhpOptions) {
    this.#host = host;
    this.#peer = peer;
    this.#options = options;
  }

  request(method: string, params: unknown, signal: AbortSignal): unknown {
    if (method === 'initialize' || method === 'reconnect') {
      if (this.#version) throw refused('invalidRequest', 'This connection has been initialized already.');
      return method === 'initialize' ? this.#initialize(params) : this.#reconnect(params);
    }
    if (!this.#version) throw refused('invalidRequest', 'The first request must be initialize or reconnect.');
    // Extension methods check the required role themselves.
    if (method.startsWith('x-') && this.#options.extension)
      return this.#options.extension(method, params, signal);
    const needed = roleForRequest(method, params);
    if (!mayAs(this.#role, needed)) throw refused('permissionDenied', roleRefusal(this.#role, needed));
    return this.#version.request(method, params);
  }

  notification(method: string, params: unknown): void {
    const needed = roleForNotification(method, params);
    if (mayAs(this.#role, needed)) this.#version?.notification(method, params);
    else if (method === 'dispatchAction') this.#version?.refuse(params, roleRefusal(this.#role, needed));
  }

  get #role(): Role {
    return this.#options.role ?? 'control';
  }

  close(): void {
    this.#leave();
    this.#version?.close();
  }

  #initialize(params: unknown): unknown {
    const chosen = negotiate(params, supported);
    if ('refused' in chosen) {
      if (chosen.refused === 'invalidParams') throw refused('invalidParams', chosen.problem);
      throw this.#unsupported(
        chosen.supportedVersions,
        memberOf(params, 'protocolVersions') === undefined ? 'may-try-again' : 'is-over',
      );
    }
    const id = textIn(params, 'clientId');
    if (id === undefined || id === '' || id.length > 256)
      throw refused('invalidParams', 'clientId: must be a string of 1 to 256 characters');
    const known = clientsOf(this.#host).known(id);
    if (known && known.principal !== this.#options.principal)
      throw refused('permissionDenied', 'This client id belongs to another device.');
    const name =
      textIn(memberOf(params, 'clientInfo'), 'title') ?? textIn(memberOf(params, 'clientInfo'), 'name');
    const client = present({ id, name: name?.slice(0, 64) });
    return this.#open(versionOf(chosen.version), { client, version: chosen.version, params }).initialize(
      params,
    );
  }

  /**
   * A client that lost its connection continues in its version. An unknown client must initialize, unless its
   * version cannot say so.
   */
  #reconnect(params: unknown): unknown {
    const id = textIn(params, 'clientId');
    if (id === undefined) throw refused('invalidParams', 'clientId: must be a string');
    const known = clientsOf(this.#host).known(id);
    const subscriptions = memberOf(params, 'subscriptions');
    const version = known ? versionOf(known.version) : versionTaking(subscriptions);
    if (!version || (known && known.principal !== this.#options.principal))
      throw refused('notFound', 'This host does not know the client; initialize instead.');
    const client = present({ id, name: known?.name });
    const offered = known?.version ?? baselineOf(version);
    return this.#open(version, { client, version: offered, params }).reconnect(params);
  }

  #open(
    version: ProtocolVersion | undefined,
    first: Pick<Opening, 'client' | 'version'> & { readonly params: unknown },
  ): VersionConnection {
    if (!version) throw this.#unsupported(supported.baselines, 'is-over');
    const { client, params } = first;
    const meta = memberOf(params, '_meta');
    this.#version = version.open({
      host: this.#host,
      peer: this.#peer,
      options: this.#options,
      version: first.version,
      client,
      meta: typeof meta === 'object' && meta !== null ? { ...meta } : undefined,
    });
    this.#leave = clientsOf(this.#host).enter(
      { ...client, principal: this.#options.principal, version: first.version },
      () => this.#peer.close(),
      {
        resources: clientResources(this.#peer, this.#host.clock, version.requestMembers),
        visits: this.#role === 'observe',
      },
    );
    return this.#version;
  }

  /** Lists of versions are final; a client of version 1 may still offer another number. */
  #unsupported(versionRanges: readonly string[], connection: 'is-over' | 'may-try-again'): Error {
    if (connection === 'is-over') this.#host.clock.defer(() => this.#peer.close());
    return refused('unsupportedProtocolVersion', 'This host supports none of the offered versions.', {
      supportedVersions: versionRanges,
    });
  }
}

const versions: readonly ProtocolVersion[] = Object.values(registered);

const supported = supportedVersions();

/** The ranges are sorted, the newest first. */
function supportedVersions(): SupportedVersions {
  const offers = versions.map(({ offer }) => offer);
  const ranges = offers.flatMap((offer) => ('baseline' in offer ? [offer] : []));
  return {
    baselines: ranges.map(({ baseline }) => baseline).toSorted((a, b) => (isAtLeast(a, b) ? -1 : 1)),
    aliases: Object.fromEntries(
      ranges.flatMap(({ baseline, aliases = [] }) => aliases.map((alias) => [alias, baseline])),
    ),
    integers: offers.flatMap((offer) => ('integer' in offer ? [offer.integer] : [])),
  };
}

/** The version that covers a version number as clients write it. */
function versionOf(text: string): ProtocolVersion | undefined {
  return versions.find(({ offer }) =>
    'integer' in offer
      ? String(offer.integer) === text
      : isCompatible(text, offer.baseline) || offer.aliases?.includes(text),
  );
}

/** The version whose clients may reconnect although the host does not know them. */
function versionTaking(subscriptions: unknown): ProtocolVersion | undefined {
  if (!Array.isArray(subscriptions)) return undefined;
  return versions.find((version) => version.takesUnknown?.(subscriptions));
}

function baselineOf({ offer }: ProtocolVersion): string {
  return 'integer' in offer ? String(offer.integer) : offer.baseline;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function textIn(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === 'string' ? member : undefined;
}
