// What the database itself says about several hosts: who wrote what, under which lease, and whether the logs
// are whole. Other hosts are reached only through the gates of their machines.
import { expect } from 'vitest';
import { PostgresStore } from '../../../src/io/store/postgres/postgresStore.ts';
import type { PostgresServer } from '../../kit/postgres.ts';

/** Notes every commit, and leads links through gates; `gates` are the ports by the names of the hosts. */
export function watchDatabase(
  server: PostgresServer,
  database: string,
  gates: ReadonlyMap<string, number>,
): void {
  const rows = [...gates].map(([name, port]) => `('${name}', 'http://127.0.0.1:${port}/')`).join();
  server.sql(
    `CREATE SCHEMA judge;
    CREATE TABLE judge.gates (name text, address text);
    INSERT INTO judge.gates VALUES ${rows};
    CREATE TABLE judge.commits (backend integer, owner text, alive boolean, count bigint,
      PRIMARY KEY (backend, owner, alive));
    CREATE FUNCTION judge.commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO judge.commits AS c
        SELECT pg_backend_pid(), coalesce(s.owner, ''), h.id IS NOT NULL, count(*)
        FROM fresh f LEFT JOIN parley.sessions s ON s.id = f.session LEFT JOIN parley.hosts h ON h.id = s.owner
        GROUP BY 2, 3
        ON CONFLICT (backend, owner, alive) DO UPDATE SET count = c.count + excluded.count;
      RETURN NULL;
    END $$;
    CREATE TRIGGER judge AFTER INSERT ON parley.entries REFERENCING NEW TABLE AS fresh
      FOR EACH STATEMENT EXECUTE FUNCTION judge.commit();
    CREATE FUNCTION judge.lead() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      NEW.address := coalesce((SELECT g.address FROM judge.gates g JOIN parley.hosts h ON h.name = g.name
        WHERE h.id = NEW.host), NEW.address);
      RETURN NEW;
    END $$;
    CREATE TRIGGER judge BEFORE INSERT OR UPDATE ON parley.links FOR EACH ROW EXECUTE FUNCTION judge.lead();
    UPDATE parley.links SET address = address`,
    database,
  );
}

/** Every commit was made for sessions of one host, and that host had its lease. */
export function expectFenced(server: PostgresServer, database: string): number {
  const wrong = server.sql(
    `SELECT backend, string_agg(DISTINCT owner, ' '), bool_and(alive) FROM judge.commits GROUP BY backend
      HAVING count(DISTINCT owner) > 1 OR NOT bool_and(alive)`,
    database,
  );
  expect(wrong, 'commits without a lease').toBe('');
  return Number(server.sql('SELECT sum(count) FROM judge.commits', database));
}

export function countOf(server: PostgresServer, database: string, kind: string): number {
  const wanted = `event LIKE '{"kind":"${kind}"%'`;
  return Number(server.sql(`SELECT count(*) FROM parley.entries WHERE ${wanted}`, database));
}

/** The sessions in which a host is at work. */
export function workOf(server: PostgresServer, database: string, host: string): readonly string[] {
  return server
    .sql(
      `SELECT s.id FROM parley.sessions s JOIN parley.hosts h ON h.id = s.owner
        WHERE h.name = '${host}' AND s.status = 'running'`,
      database,
    )
    .split('\n')
    .filter(Boolean);
}

/** How many sessions of each owner are not idle, with one of them, for whoever waits for their end. */
export function unfinished(server: PostgresServer, database: string): string {
  try {
    return server
      .sql(
        `SELECT count(*) || ' ' || s.status || ' on ' || coalesce(h.name, s.owner, 'no host') || ', as ' || min(s.id)
          FROM parley.sessions s LEFT JOIN parley.hosts h ON h.id = s.owner
          WHERE s.status IN ('running', 'asking') GROUP BY s.status, h.name, s.owner`,
        database,
      )
      .replaceAll('\n', '; ');
  } catch (error) {
    return String(error);
  }
}

export function hasLease(server: PostgresServer, database: string, host: string): boolean {
  return server.sql(`SELECT count(*) FROM parley.hosts WHERE name = '${host}'`, database) !== '0';
}

/**
 * How long after a moment each session was written to again, in milliseconds; undefined if a turn still waits
 * for it. A turn may have ended in the last moment of its host; then there is nothing to take over.
 */
export function takeovers(
  server: PostgresServer,
  database: string,
  { sessions, since }: { readonly sessions: readonly string[]; readonly since: number },
): readonly number[] | undefined {
  if (sessions.length === 0) return [];
  const found = server
    .sql(
      `SELECT coalesce((min(e.at) - ${since})::text, 'waits') FROM parley.sessions s
        LEFT JOIN parley.entries e ON e.session = s.id AND e.at > ${since}
        WHERE s.id IN (${sessions.map((id) => `'${id}'`).join()})
        GROUP BY s.id HAVING s.status = 'running' OR min(e.at) IS NOT NULL`,
      database,
    )
    .split('\n')
    .filter(Boolean);
  return found.includes('waits') ? undefined : found.map(Number);
}

/** Nothing in the database is damaged, doubled or missing. */
export async function expectSound(server: PostgresServer, database: string): Promise<void> {
  const uneven = server.sql(
    'SELECT session FROM parley.entries GROUP BY session HAVING count(*) <> max(seq) OR min(seq) <> 1',
    database,
  );
  expect(uneven).toBe('');
  const backwards = server.sql(
    'SELECT session FROM (SELECT session, pos - lag(pos) OVER (PARTITION BY session ORDER BY seq) AS step FROM ' +
      'parley.entries) AS steps WHERE step <= 0',
    database,
  );
  expect(backwards).toBe('');
  const problems: unknown[] = [];
  const store = await PostgresStore.open({
    url: server.address(database),
    shown: 'judge',
    name: 'judge',
    version: '0',
    report: (problem) => problems.push(problem),
    onLost: () => problems.push('lost'),
  });
  problems.push(...(await store.verify()));
  await store.close();
  expect(problems).toEqual([]);
}
