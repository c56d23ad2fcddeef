// The store of a run of tests. The project `postgres` in vitest.config.mts runs tests a second time, with
// every home and every host of theirs on a PostgreSQL database; elsewhere they have SQLite or memory.
import type { LogStore } from '../../src/host/session/logStore.ts';
import { Connection } from '../../src/io/store/postgres/connection.ts';
import { PostgresStore } from '../../src/io/store/postgres/postgresStore.ts';
import { MemoryStore } from './memoryStore.ts';
import { postgresAt } from './postgres.ts';
import type { PostgresPlace } from './postgres.ts';

/** Where the server is that `postgresProject.ts` has started for all tests of the project. */
export const placeVariable = 'PARLEY_TEST_POSTGRES';
/** A database with all tables and without content. */
export const emptyDatabase = 'empty';

export const isOnPostgres = process.env['PARLEY_TEST_STORE'] === 'postgres';

let databases = 0;

/** The address of a database of its own; undefined where tests do not use PostgreSQL. */
export function ownDatabase(): string | undefined {
  if (!isOnPostgres) return undefined;
  const place = JSON.parse(process.env[placeVariable] ?? '{}') as PostgresPlace;
  return postgresAt(place).database(`t${process.pid}-${(databases += 1)}`, emptyDatabase);
}

/** Databases of closed stores, which are used again: a new one takes longer. */
const free: string[] = [];
const databaseOf = new WeakMap<LogStore, string>();

/** An empty store for a host in the process of the test. */
export async function emptyStore(): Promise<LogStore> {
  const known = free.pop();
  if (known !== undefined) await empty(known);
  const url = known ?? ownDatabase();
  return url === undefined ? new MemoryStore() : reusable(url);
}

/** The same store for the next host, after the first one has closed it. */
export async function reopened(store: LogStore): Promise<LogStore> {
  const url = databaseOf.get(store);
  if (url === undefined) return store;
  free.splice(free.indexOf(url), 1);
  return reusable(url);
}

async function reusable(url: string): Promise<LogStore> {
  const store = await openOn(url);
  databaseOf.set(store, url);
  let closing: Promise<void> | undefined;
  store.close = () => {
    closing ??= PostgresStore.prototype.close.call(store).then(() => void free.push(url));
    return closing;
  };
  return store;
}

async function empty(url: string): Promise<void> {
  const connection = new Connection(url);
  const list = "SELECT tablename FROM pg_tables WHERE schemaname = 'parley' AND tablename <> 'meta'";
  const tables = await connection.query({ text: list });
  const deletions = tables.map(([table]) => `DELETE FROM parley.${String(table)};`).join(' ');
  await connection.query({ text: `${deletions} UPDATE parley.meta SET head = 0` });
  await connection.close();
}

/** Problems end the test: nothing may go wrong unnoticed. */
export function openOn(url: string, name = 'the test'): Promise<PostgresStore> {
  return PostgresStore.open({
    url,
    shown: 'the database of the test',
    name,
    version: '0',
    report: (problem) => {
      throw problem;
    },
    onLost: () => {
      throw new Error('The lease of the test is lost.');
    },
  });
}
