// Where the hosts of a database reach each other, and the public keys by which they know each other.
import type { LinkAddress } from '../../../host/ownership/hostLinks.ts';
import { HostLinks } from '../../links/hostLinks.ts';
import type { LinkStatus } from '../../links/hostLinks.ts';
import { newLinkKey } from '../../links/linkProof.ts';
import type { LinkKey } from '../../links/linkProof.ts';
import type { StoreLinks } from '../durableStore.ts';
import type { Connection } from './connection.ts';

export interface LinkTableOptions {
  readonly connection: Pick<Connection, 'query'>;
  /** The id of this host's lease. */
  readonly me: () => string;
  /** The name of this host. */
  readonly name: string;
}

export class LinkTable implements StoreLinks {
  readonly #options: LinkTableOptions;
  /** The connections that are made with it. */
  readonly links: HostLinks;
  /** A new one in each process; nobody else ever has it. */
  readonly key = newLinkKey();
  #known: Promise<LinkKey> | undefined;

  constructor(options: LinkTableOptions) {
    this.#options = options;
    this.links = new HostLinks({
      ...options,
      key: () => this.#knownKey(),
      publicKeyOf: (lease) => this.publicKeyOf(lease),
    });
  }

  status(): readonly LinkStatus[] {
    return this.links.status();
  }

  get me(): string {
    return this.#options.me();
  }

  async publicKeyOf(lease: string): Promise<string | undefined> {
    const [[key] = []] = await this.#options.connection.query({
      text: 'SELECT k.key FROM parley.link_keys k JOIN parley.hosts h ON h.id = k.host WHERE k.host = $1',
      values: [lease],
    });
    return typeof key === 'string' ? key : undefined;
  }

  async publish({ url, fingerprint }: LinkAddress): Promise<void> {
    const { connection } = this.#options;
    await this.#knownKey();
    await connection.query({
      text: 'DELETE FROM parley.links l WHERE NOT EXISTS (SELECT 1 FROM parley.hosts h WHERE h.id = l.host)',
    });
    await connection.query({
      text:
        'INSERT INTO parley.links (host, address, fingerprint) VALUES ($1, $2, $3) ' +
        'ON CONFLICT (host) DO UPDATE SET address = excluded.address, fingerprint = excluded.fingerprint',
      values: [this.me, url, fingerprint ?? null],
    });
  }

  #knownKey(): Promise<LinkKey> {
    this.#known ??= this.#publishKey().catch((error: unknown) => {
      this.#known = undefined;
      throw error;
    });
    return this.#known;
  }

  async #publishKey(): Promise<LinkKey> {
    const { connection } = this.#options;
    await connection.query({
      text: 'DELETE FROM parley.link_keys WHERE host NOT IN (SELECT id FROM parley.hosts)',
    });
    await connection.query({
      text: 'INSERT INTO parley.link_keys VALUES ($1, $2) ON CONFLICT (host) DO NOTHING',
      values: [this.me, this.key.publicKey],
    });
    return this.key;
  }
}
