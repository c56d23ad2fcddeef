// Where the hosts of a database reach each other, and the secret by which they know each other.
import { randomBytes } from 'node:crypto';
import type { LinkAddress } from '../../../host/ownership/hostLinks.ts';
import { HostLinks } from '../../links/hostLinks.ts';
import type { LinkStatus } from '../../links/hostLinks.ts';
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
  #secret: Promise<string> | undefined;

  constructor(options: LinkTableOptions) {
    this.#options = options;
    this.links = new HostLinks({ ...options, secret: () => this.secret() });
  }

  status(): readonly LinkStatus[] {
    return this.links.status();
  }

  get me(): string {
    return this.#options.me();
  }

  /** Made by the first host that asks. */
  secret(): Promise<string> {
    this.#secret ??= this.#readSecret().catch((error: unknown) => {
      this.#secret = undefined;
      throw error;
    });
    return this.#secret;
  }

  async publish({ url, fingerprint }: LinkAddress): Promise<void> {
    const { connection } = this.#options;
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

  async #readSecret(): Promise<string> {
    const { connection } = this.#options;
    await connection.query({
      text: 'INSERT INTO parley.link_secret VALUES (1, $1) ON CONFLICT (one) DO NOTHING',
      values: [randomBytes(32).toString('base64url')],
    });
    const [[secret] = []] = await connection.query({ text: 'SELECT secret FROM parley.link_secret' });
    return String(secret);
  }
}
