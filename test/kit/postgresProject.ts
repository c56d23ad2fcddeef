// Starts one PostgreSQL for all tests of the project `postgres`.
import { startPostgres } from './postgres.ts';
import { emptyDatabase, openOn, placeVariable } from './testStore.ts';

export async function setup(): Promise<() => Promise<void>> {
  const server = await startPostgres(['fsync=off', 'max_connections=300']);
  const { directory, port } = server;
  process.env[placeVariable] = JSON.stringify({ directory, port });
  await (await openOn(server.database(emptyDatabase))).close();
  return () => server.dispose();
}
