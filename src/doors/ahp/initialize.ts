// The first message of a client chooses the protocol version, which handles the rest of the connection.
import type { Catching } from './delivery/resume.ts';
import { present } from '../../base/present.ts';
import { pipeMethods } from '../../host/door.ts';
import type { Role } from '../../host/policy/roles.ts';
import { isAtLeast, isCompatible, negotiate } from '../../protocols/ahp/negotiate.ts';
import type { SupportedVersions } from '../../protocols/ahp/negotiate.ts';
import { ahpError } from './errors.ts';
import type { AhpOptions } from './options.ts';
import type { Opening, ProtocolVersion, VersionConnection } from './protocolVersion.ts';
import { clientResources } from './resources/clientResources.ts';
import * as registered from './versions.ts';

/** One client, from its connection to its end. */
export class ServedClient {
  readonly #host: Opening['host'];
  readonly #peer: Opening['peer'];
  readonly #options: AhpOptions;
  #version: VersionConnection | undefined;
  #leave: () => void = () => {};

  constructor({ host, peer, options }: Pick<Opening, 'host' | 'peer' | 'options'>) {
    this.#host = host;
    this.#peer = peer;
    this.#options = options;
  }

  /** The version that the client speaks; undefined before its first message. */
  get version(): VersionConnection | undefined {
    return this.#version;
  }

  get role(): Role {
    return this.#options.caller.role ?? 'control';
  }

  get extension(): AhpOptions['extension'] {
    return this.#options.extension;
  }

  close(): void {
    this.#leave();
    this.#version?.close();
  }

  initialize(params: unknown): unknown {
    const chosen = negotiate(params, supported);
    if ('refused' in chosen) {
      if (chosen.refused === 'invalidParams') throw ahpError('invalidParams', chosen.problem);
      throw this.#unsupported(
        chosen.supportedVersions,
        memberOf(params, 'protocolVersions') === undefined ? 'may-try-again' : 'is-over',
      );
    }
    const id = textIn(params, 'clientId');
    if (id === undefined || id === '' || id.length > 256)
      throw ahpError('invalidParams', 'clientId: must be a string of 1 to 256 characters');
    const known = this.#options.clients.known(id);
    if (known && known.principal !== this.#options.caller.principal)
      throw ahpError('permissionDenied', 'This client id belongs to another device.');
    const name =
      textIn(memberOf(params, 'clientInfo'), 'title') ?? textIn(memberOf(params, 'clientInfo'), 'name');
    const client = present({ id, name: name?.slice(0, 64) });
    return this.#open(versionOf(chosen.version), { client, version: chosen.version, params }).initialize(
      params,
    );
  }

  /**
   * A client that lost its connection continues in its version. An unknown client must initialize, unless its
   * version cannot say so, or its pipe says which version it has spoken.
   */
  reconnect(params: unknown, catching: Catching = 'actions or snapshots', spoken?: string): unknown {
    const id = textIn(params, 'clientId');
    if (id === undefined) throw ahpError('invalidParams', 'clientId: must be a string');
    const known = this.#options.clients.known(id);
    const named = known?.version ?? spoken;
    const version = named === undefined ? versionTaking(memberOf(params, 'subscriptions')) : versionOf(named);
    if (!version || (known && known.principal !== this.#options.caller.principal))
      throw ahpError('notFound', 'This host does not know the client; initialize instead.');
    const client = present({ id, name: known?.name });
    const offered = named ?? baselineOf(version);
    return this.#open(version, { client, version: offered, params }).reconnect(params, catching);
  }

  #open(
    version: ProtocolVersion | undefined,
    first: Pick<Opening, 'client' | 'version'> & { readonly params: unknown },
  ): VersionConnection {
    if (!version) throw this.#unsupported(supported.baselines, 'is-over');
    const { client, params } = first;
    const meta = memberOf(params, '_meta');
    if (this.#options.resumable) {
      this.#peer.notify(pipeMethods.keep, { key: 'client', value: client.id });
      this.#peer.notify(pipeMethods.keep, { key: 'version', value: first.version });
    }
    this.#version = version.open({
      host: this.#host,
      peer: this.#peer,
      options: this.#options,
      version: first.version,
      client,
      meta: typeof meta === 'object' && meta !== null ? { ...meta } : undefined,
    });
    this.#leave = this.#options.clients.enter(
      { ...client, principal: this.#options.caller.principal, version: first.version },
      () => this.#peer.close(),
      {
        resources: clientResources(this.#peer, this.#host.clock, version.requestMembers),
        visits: this.role === 'observe',
      },
    );
    return this.#version;
  }

  /** Lists of versions are final; a client of version 1 may still offer another number. */
  #unsupported(versionRanges: readonly string[], connection: 'is-over' | 'may-try-again'): Error {
    if (connection === 'is-over') this.#host.clock.defer(() => this.#peer.close());
    return ahpError('unsupportedProtocolVersion', 'This host supports none of the offered versions.', {
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
