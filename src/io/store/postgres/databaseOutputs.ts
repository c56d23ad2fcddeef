// Long tool outputs in the database. The files that agents read are a cache of this host.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Outputs } from '../../../host/tools/toolOutputs.ts';
import type { SessionId } from '../../../model/event.ts';
import { outputFiles } from '../../files/outputFiles.ts';
import { outputFile, outputs } from '../../files/toolOutputs.ts';
import type { OutputFiles } from '../durableStore.ts';
import type { Connection } from './connection.ts';

export interface DatabaseOutputsOptions {
  readonly connection: () => Connection;
  /** The folder that has the files of this host. */
  readonly directory: string;
  readonly report: (problem: unknown, about: string) => void;
}

/** How long an output is kept, as the files are. */
const longest = '14 days';

export interface DatabaseOutputs extends Outputs {
  /** Brings the outputs of sessions that other hosts had to the files of this one. */
  fill(sessions: readonly SessionId[]): Promise<void>;
}

export function databaseOutputs({ connection, directory, report }: DatabaseOutputsOptions): DatabaseOutputs {
  const files = outputs(directory);
  const copies = outputFiles(directory);
  return {
    directory: (session) => files.directory(session),
    async keep(session, name, text) {
      const path = await files.keep(session, name, text);
      try {
        await connection().query({
          text: `DELETE FROM parley.outputs WHERE at < now() - interval '${longest}'`,
        });
        await store(connection(), [session, outputFile(name), Date.now(), Buffer.from(text)]);
      } catch (error) {
        report(error, 'storing a long output');
      }
      return path;
    },
    forget: (session) => files.forget(session),
    async fill(sessions) {
      const stored = databaseOutputFiles(connection());
      const rows = await connection().query({
        text:
          'SELECT session, name, extract(epoch FROM at) * 1000 FROM parley.outputs ' +
          'WHERE session = ANY($1)',
        values: [sessions],
      });
      for (const [id, file, at] of rows) {
        const [session, name] = [String(id), String(file)];
        if (existsSync(join(files.directory(session), name))) continue;
        const bytes = await stored.read(session, name);
        if (bytes) await copies.write(session, { name, at: Number(at) }, bytes);
      }
    },
  };
}

/** The outputs in the database as files, under the names that they have in a folder. */
export function databaseOutputFiles(connection: Connection): OutputFiles {
  return {
    async list(session) {
      const rows = await connection.query({
        text:
          "SELECT name, extract(epoch FROM at) * 1000, encode(sha256(bytes), 'hex') FROM parley.outputs " +
          'WHERE session = $1 ORDER BY name',
        values: [session],
      });
      return rows.map(([name, at, hash]) => ({ name: String(name), at: Number(at), hash: String(hash) }));
    },
    async read(session, name) {
      const [row] = await connection.query({
        text: 'SELECT bytes FROM parley.outputs WHERE session = $1 AND name = $2',
        values: [session, name],
      });
      return row?.[0] instanceof Uint8Array ? row[0] : undefined;
    },
    write: (session, { name, at }, bytes) => store(connection, [session, name, at, bytes]),
  };
}

type StoredOutput = readonly [session: string, name: string, at: number, bytes: Uint8Array];

async function store(connection: Connection, values: StoredOutput): Promise<void> {
  await connection.query({
    text:
      'INSERT INTO parley.outputs (session, name, at, bytes) ' +
      'VALUES ($1, $2, to_timestamp($3::float8 / 1000), $4) ' +
      'ON CONFLICT (session, name) DO UPDATE SET at = excluded.at, bytes = excluded.bytes',
    values,
  });
}
