// The tables and functions of a store in PostgreSQL, in a schema of their own. The first host creates
// them and brings them up to date.
import { errorText } from '../../../base/errorText.ts';
import { StoreError } from '../sqlite/storeError.ts';
import { raised } from './databaseError.ts';
import type { Connection } from './connection.ts';

/**
 * What a host has to know that works with the database. Functions carry a version in their names, so that
 * hosts of two versions can use one database. What hosts of this version can do without is an addition
 * instead, which leaves the number alone: they can still start on the database.
 */
const schemaVersion = 5;

/** The highest version that this one works with: for a few days the first addition was version 6. */
const newestVersion = 6;

/** Hosts that start together wait for each other. The number means nothing; it is only ours. */
const lockNumber = 0x50_72_4c_79;

/** Creates what is missing. Refuses a newer database before anything is changed. */
export async function prepareDatabase(
  connection: Pick<Connection, 'query'>,
  report: (problem: unknown, about: string) => void,
): Promise<void> {
  const version = await versionOf(connection);
  if (version === undefined || version < schemaVersion || !(await hasAdditions(connection))) {
    // Read from the catalogue itself: what another host has created meanwhile may be missing in a cache.
    const known = "SELECT 1 FROM pg_tables WHERE schemaname = 'parley' AND tablename = 'meta'";
    const step = `DO $do$ BEGIN
      PERFORM pg_advisory_xact_lock(${lockNumber});
      IF NOT EXISTS (${known}) THEN ${tables} ${functions} END IF;
      ${Object.entries(steps)
        .map(([later, change]) => laterStep(Number(later), change))
        .join(' ')}
      ${Object.entries(additions)
        .map(([name, columns]) => `CREATE TABLE IF NOT EXISTS parley.${name} (${columns});`)
        .join(' ')}
    END $do$`;
    await connection.query({ text: step });
  }
  await prepareSearch(connection, report);
}

function laterStep(version: number, step: string): string {
  return `IF (SELECT schema FROM parley.meta) < ${version} THEN
    ${step} UPDATE parley.meta SET schema = ${version};
  END IF;`;
}

async function versionOf(connection: Pick<Connection, 'query'>): Promise<number | undefined> {
  const [[found] = []] = await connection.query({ text: "SELECT to_regclass('parley.meta') IS NOT NULL" });
  if (found !== true) return undefined;
  const [[version] = []] = await connection.query({ text: 'SELECT schema FROM parley.meta' });
  if (Number(version) > newestVersion)
    throw new StoreError(
      'newer',
      `The database was written by a newer Parley (schema ${Number(version)}, this one knows ${newestVersion}). ` +
        'Update Parley on this host; hosts that run already go on.',
    );
  return Number(version);
}

async function hasAdditions(connection: Pick<Connection, 'query'>): Promise<boolean> {
  const [[known] = []] = await connection.query({
    text: 'SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest($1::text[]) AS name',
    values: [Object.keys(additions).map((name) => `parley.${name}`)],
  });
  return known === true;
}

/** The index for parts of words needs an extension; without it searches read all text. */
async function prepareSearch(
  connection: Pick<Connection, 'query'>,
  report: (problem: unknown, about: string) => void,
): Promise<void> {
  const known = "SELECT to_regclass('parley.search_letters') IS NOT NULL";
  const [[found] = []] = await connection.query({ text: known });
  if (found === true) return;
  try {
    const step = `DO $do$ BEGIN
      PERFORM pg_advisory_xact_lock(${lockNumber});
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE INDEX IF NOT EXISTS search_letters ON parley.search_pages USING gin (folded gin_trgm_ops);
    END $do$`;
    await connection.query({ text: step });
  } catch (error) {
    report(
      new Error(
        'The extension pg_trgm cannot be created, so searches are slow: ' +
          `${errorText(error, String(error))}. Let an administrator run "CREATE EXTENSION pg_trgm" in the database.`,
      ),
      'the search in the database',
    );
  }
}

/** What each later version adds to the first one. Hosts of the version before go on meanwhile. */
const steps = {
  // Outputs keep every byte, under the names of their files.
  2: `
    ALTER TABLE parley.outputs ALTER COLUMN text TYPE bytea USING convert_to(text, 'UTF8');
    ALTER TABLE parley.outputs RENAME COLUMN text TO bytes;
    UPDATE parley.outputs SET name = substr(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 1, 16) || '.txt';
  `,
  // What all hosts know about who may sign in.
  3: `
    CREATE TABLE parley.sign_in_codes (
      digest text COLLATE "C" PRIMARY KEY, until timestamptz NOT NULL, rights text NOT NULL
    );
    CREATE TABLE parley.owners (
      host text COLLATE "C" PRIMARY KEY, digest text NOT NULL, seen timestamptz NOT NULL
    );
  `,
  // Where hosts reach each other. Some databases of version 3 have these tables already.
  4: `
    CREATE TABLE IF NOT EXISTS parley.links (
      host text COLLATE "C" PRIMARY KEY, address text NOT NULL, fingerprint text
    );
  `,
  // Hosts prove themselves with keys of their own; the database has nothing secret.
  5: `
    DROP TABLE IF EXISTS parley.link_secret;
    CREATE TABLE IF NOT EXISTS parley.link_keys (host text COLLATE "C" PRIMARY KEY, key text NOT NULL);
  `,
} as const;

/** Tables that hosts without them do not miss: nothing that such a host does makes their content wrong. */
const additions = {
  // States of long sessions, so that a host that takes one over does not read its whole log.
  states: `
    session text COLLATE "C" PRIMARY KEY REFERENCES parley.sessions (id) ON DELETE CASCADE,
    seq bigint NOT NULL, state bytea NOT NULL
  `,
} as const;

/** The first version. */
const tables = `
  CREATE SCHEMA IF NOT EXISTS parley;
  CREATE TABLE parley.meta (
    one integer PRIMARY KEY CHECK (one = 1), schema integer NOT NULL, head bigint NOT NULL
  );
  INSERT INTO parley.meta VALUES (1, 1, 0);
  CREATE TABLE parley.hosts (
    id text COLLATE "C" PRIMARY KEY, name text NOT NULL, version text NOT NULL, started timestamptz NOT NULL,
    until timestamptz NOT NULL
  );
  CREATE TABLE parley.sessions (
    id text COLLATE "C" PRIMARY KEY, owner text COLLATE "C", summary text NOT NULL, status text NOT NULL,
    format integer NOT NULL, damage text, changed timestamptz NOT NULL
  );
  CREATE INDEX sessions_changed ON parley.sessions (changed);
  CREATE INDEX sessions_unfinished ON parley.sessions (id) WHERE status IN ('running', 'asking');
  CREATE TABLE parley.removals (session text COLLATE "C" PRIMARY KEY, at timestamptz NOT NULL);
  CREATE TABLE parley.entries (
    session text COLLATE "C" NOT NULL, seq bigint NOT NULL, pos bigint NOT NULL, at bigint NOT NULL,
    by text NOT NULL, event text NOT NULL, format integer NOT NULL, crc bigint NOT NULL,
    PRIMARY KEY (session, seq)
  );
  CREATE INDEX entries_pos ON parley.entries (pos);
  CREATE TABLE parley.outputs (
    session text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, at timestamptz NOT NULL,
    text text NOT NULL, PRIMARY KEY (session, name)
  );
  CREATE INDEX outputs_at ON parley.outputs (at);
  CREATE TABLE parley.search_sessions (
    session text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL, pages integer NOT NULL, item text
  );
  CREATE TABLE parley.search_pages (
    session text COLLATE "C" NOT NULL, page integer NOT NULL, text text NOT NULL, folded text NOT NULL,
    PRIMARY KEY (session, page)
  );
  CREATE TABLE parley.devices (id text COLLATE "C" PRIMARY KEY, device text NOT NULL);
`;

/**
 * What fences is the burial of a host, not the end of its lease: whoever deletes its row waits for a commit
 * under way, and every later one fails. A second fence is the key of the entries.
 */
const functions = `
  CREATE FUNCTION parley.check_lease_1(me text) RETURNS void LANGUAGE plpgsql AS $fn$
  BEGIN
    PERFORM 1 FROM parley.hosts WHERE id = me FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'The lease of this host is lost.' USING ERRCODE = '${raised.leaseLost}';
    END IF;
  END $fn$;

  CREATE FUNCTION parley.append_1(
    me text, writers text[], session text[], seq bigint[], pos bigint[], at bigint[], by text[], event text[],
    format integer[], crc bigint[], id text[], summary text[], status text[], newest integer
  ) RETURNS void LANGUAGE plpgsql AS $fn$
  #variable_conflict use_column
  DECLARE
    touched bigint;
  BEGIN
    PERFORM parley.check_lease_1(me);
    IF cardinality(append_1.id) > 0 THEN
      INSERT INTO parley.sessions AS old (id, owner, summary, status, format, changed)
        SELECT u.id, me, u.summary, u.status, newest, clock_timestamp()
        FROM unnest(append_1.id, append_1.summary, append_1.status) AS u (id, summary, status)
        ON CONFLICT (id) DO UPDATE SET summary = excluded.summary, status = excluded.status,
          format = greatest(old.format, excluded.format), changed = excluded.changed
        WHERE old.owner = me;
      GET DIAGNOSTICS touched = ROW_COUNT;
      IF touched <> cardinality(append_1.id) THEN
        RAISE EXCEPTION 'Another host owns a session of this batch.' USING ERRCODE = '${raised.notOwner}';
      END IF;
    END IF;
    IF EXISTS (
      SELECT 1 FROM unnest(writers) AS w (id) LEFT JOIN parley.sessions s ON s.id = w.id
      WHERE s.owner IS DISTINCT FROM me
    ) THEN
      RAISE EXCEPTION 'Another host owns a session of this batch.' USING ERRCODE = '${raised.notOwner}';
    END IF;
    INSERT INTO parley.entries (session, seq, pos, at, by, event, format, crc)
      SELECT * FROM unnest(
        append_1.session, append_1.seq, append_1.pos, append_1.at, append_1.by, append_1.event,
        append_1.format, append_1.crc
      );
  END $fn$;

  CREATE FUNCTION parley.remove_1(me text, gone text, newest bigint) RETURNS void LANGUAGE plpgsql AS $fn$
  BEGIN
    PERFORM parley.check_lease_1(me);
    IF EXISTS (
      SELECT 1 FROM parley.sessions s JOIN parley.hosts h ON h.id = s.owner WHERE s.id = gone AND h.id <> me
    ) THEN
      RAISE EXCEPTION 'Another host owns this session.' USING ERRCODE = '${raised.notOwner}';
    END IF;
    UPDATE parley.meta SET head = greatest(head, newest);
    DELETE FROM parley.sessions WHERE id = gone;
    DELETE FROM parley.entries WHERE session = gone;
    DELETE FROM parley.outputs WHERE session = gone;
    DELETE FROM parley.search_pages WHERE session = gone;
    DELETE FROM parley.search_sessions WHERE session = gone;
    INSERT INTO parley.removals VALUES (gone, clock_timestamp())
      ON CONFLICT (session) DO UPDATE SET at = excluded.at;
    DELETE FROM parley.removals WHERE at < clock_timestamp() - interval '1 day';
  END $fn$;
`;
