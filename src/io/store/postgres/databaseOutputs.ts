// Long tool outputs in the database. The files that agents read are a cache of this host.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../../model/event.ts';
import type { Outputs } from '../../../host/tools/toolOutputs.ts';
import { outputFile } from '../../files/toolOutputs.ts';
import type { Connection } from './connection.ts';
import { storable } from './searchPages.ts';

export interface DatabaseOutputsOptions {
  readonly connection: () => Connection;
  readonly files: Outputs;
  readonly report: (problem: unknown, about: string) => void;
}

/** How long an output is kept, as the files are. */
const longest = '14 days';

export interface DatabaseOutputs extends Outputs {
  /** Brings the outputs of a session that another host had to the files of this one. */
  fill(session: SessionId): Promise<void>;
}

export function databaseOutputs({ connection, files, report }: DatabaseOutputsOptions): DatabaseOutputs {
  return {
    directory: (session) => files.directory(session),
    async keep(session, name, text) {
      const path = await files.keep(session, name, text);
      await connection()
        .query({
          text:
            `WITH old AS (DELETE FROM parley.outputs WHERE at < now() - interval '${longest}') INSERT INTO ` +
            'parley.outputs VALUES ($1, $2, now(), $3) ON CONFLICT (session, name) DO UPDATE SET at = ' +
            'excluded.at, text = excluded.text',
          values: [session, name, storable(text)],
        })
        .catch((error: unknown) => report(error, 'storing a long output'));
      return path;
    },
    forget: (session) => files.forget(session),
    async fill(session) {
      const stored = await connection().query({
        text: 'SELECT name FROM parley.outputs WHERE session = $1',
        values: [session],
      });
      const missing = stored
        .map(([name]) => String(name))
        .filter((name) => !existsSync(join(files.directory(session), outputFile(name))));
      if (missing.length === 0) return;
      const rows = await connection().query({
        text: 'SELECT name, text FROM parley.outputs WHERE session = $1 AND name = ANY ($2)',
        values: [session, missing],
      });
      for (const [name, text] of rows) await files.keep(session, String(name), String(text));
    },
  };
}
