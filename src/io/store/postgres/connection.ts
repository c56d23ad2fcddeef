// A connection to PostgreSQL that is opened again after it broke. The driver is loaded on first use.
import type { Client } from 'pg';
import { errorText } from '../../../base/errorText.ts';
import { StoreError } from '../sqlite/storeError.ts';
import { isBroken } from './databaseError.ts';

export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export type DatabaseRow = readonly unknown[];

/** A server that does not answer for so long counts as gone, in milliseconds. */
const connectTime = 5_000;
const answerTime = 20_000;
/** No statement outlives the wait for its answer, so that none is carried out after we gave up. */
const statementTime = 15_000;

export class Connection {
  readonly #url: string;
  readonly #answerTime: number;
  #client: Promise<Client> | undefined;
  #current: Client | undefined;
  #closed = false;
  /** The end of the statement that was given last; the driver takes one at a time. */
  #last: Promise<unknown> = Promise.resolve();
  /** Why clients that are in use no more broke: statements that waited for one fail with it. */
  readonly #broken = new WeakMap<Promise<Client>, unknown>();

  /** An answer that takes longer than `within` milliseconds does not come any more. */
  constructor(url: string, within = answerTime) {
    this.#url = url;
    this.#answerTime = within;
  }

  /** Statements are carried out in the order of the calls. */
  async query(query: Query): Promise<readonly DatabaseRow[]> {
    if (this.#closed) throw new StoreError('closed', 'The connection to the database is closed.');
    const opening = (this.#client ??= this.#connect());
    const answered = this.#last.then(() => this.#ask(opening, query));
    this.#last = answered.catch(() => {});
    return answered;
  }

  async #ask(opening: Promise<Client>, query: Query): Promise<readonly DatabaseRow[]> {
    if (this.#broken.has(opening)) throw this.#broken.get(opening);
    try {
      const client = await opening;
      return (await client.query({ ...query, rowMode: 'array' })).rows;
    } catch (error) {
      if (isBroken(error)) this.#drop(opening, error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<Client> {
    const { Client: PgClient } = await loadDriver();
    const client = new PgClient({
      connectionString: this.#url,
      connectionTimeoutMillis: connectTime,
      query_timeout: this.#answerTime,
      statement_timeout: statementTime,
      keepAlive: true,
      application_name: 'parley',
    });
    // Queries that wait are rejected; this notices a connection that breaks while nobody waits.
    client.on('error', () => {
      if (this.#current === client) this.#client = undefined;
    });
    this.#current = client;
    await client.connect();
    return client;
  }

  #drop(opening: Promise<Client>, error: unknown): void {
    this.#broken.set(opening, error);
    if (this.#client === opening) this.#client = undefined;
    opening.then((client) => client.end()).catch(() => {});
  }
}

async function loadDriver(): Promise<{ readonly Client: typeof Client }> {
  try {
    return await import('pg');
  } catch (cause) {
    throw new StoreError(
      'unavailable',
      `The driver for PostgreSQL is not installed (npm install pg): ${errorText(cause, String(cause))}`,
      { cause },
    );
  }
}
