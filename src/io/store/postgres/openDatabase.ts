// Opens a store in PostgreSQL, with the search index and the long outputs that are in the database, too.
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { SearchIndex } from '../../../host/session/search.ts';
import type { Outputs } from '../../../host/tools/toolOutputs.ts';
import { indexOn } from '../../search/sessionIndex.ts';
import type { DurableStore } from '../durableStore.ts';
import type { StoreDatabase } from '../storeUrl.ts';
import { inWords } from './databaseError.ts';
import { databaseOutputs } from './databaseOutputs.ts';
import { PostgresStore } from './postgresStore.ts';
import { databasePages } from './searchPages.ts';

declare const PARLEY_VERSION: string;

export interface OpenDatabaseOptions {
  readonly database: StoreDatabase;
  /** The data directory of this host; the caller holds its lock. */
  readonly directory: string;
  readonly report: (problem: unknown, about: string) => void;
  readonly onLost: () => void;
}

export interface OpenDatabase {
  readonly store: DurableStore;
  readonly index: SearchIndex;
  readonly outputs: Outputs;
}

export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  const { database, directory, report, onLost } = options;
  const opened: { store?: PostgresStore } = {};
  const kept = databaseOutputs({
    connection: () => connectionOf(opened.store),
    directory,
    report,
  });
  const store = await PostgresStore.open({
    ...database,
    // One host per data directory, so nobody else has this name.
    name: `${hostname()}:${directory}`,
    version: PARLEY_VERSION,
    states: join(directory, 'states'),
    report,
    onLost,
    onClaim: (sessions) =>
      kept.fill(sessions).catch((error: unknown) => report(error, 'reading long outputs')),
  });
  opened.store = store;
  const open = async () => databasePages(inWords(store.connection, 'Searching', database.shown));
  // The database forgets the text of a session together with the session.
  return { store, index: indexOn({ open, exists: () => false, store, report }), outputs: kept };
}

function connectionOf(store: PostgresStore | undefined): PostgresStore['connection'] {
  if (!store) throw new Error('The store is not open yet.');
  return store.connection;
}
