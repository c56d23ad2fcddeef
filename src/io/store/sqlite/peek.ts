// Reads the log of a data directory that another process may be writing: read-only, without locks or repairs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { LogDamage } from '../../../host/session/logStore.ts';
import { summarize } from '../../../host/session/summary.ts';
import type { Summary } from '../../../host/session/summary.ts';
import type { SessionId } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import type { State } from '../../../model/state.ts';
import { readSummary } from './catalogue.ts';
import { loadDatabase, query } from './database.ts';
import { leftPieces, readPieces } from './pieceFile.ts';
import { EntryReader } from './reader.ts';
import { unpackedEntriesAfter } from './record.ts';
import { checkSchema } from './schema.ts';
import { storeError } from './storeError.ts';

export interface Peek {
  summaries(): readonly Summary[];
  /** The state of a session as far as its log is readable, and the problem with the rest. */
  state(session: SessionId): { readonly state: State; readonly unreadable?: LogDamage };
  close(): void;
}

/** `undefined` if the folder has no log. */
export async function peekLog(directory: string): Promise<Peek | undefined> {
  const path = join(directory, 'log.db');
  if (!existsSync(path)) return undefined;
  const open = await loadDatabase();
  try {
    const database = open(path, { readOnly: true });
    database.exec('PRAGMA busy_timeout = 1000');
    checkSchema(database);
    const reader = new EntryReader(database);
    const state = (session: SessionId) => {
      const { state: folded, damage } = reader.fold(session, 0);
      if (damage) return { state: folded, unreadable: damage };
      const pieces = leftPieces(path)
        .flatMap(readPieces)
        .filter((each) => each.session === session);
      // A running answer that the host has not put into the database yet.
      return { state: unpackedEntriesAfter(pieces, folded.seq).reduce(reduce, folded) };
    };
    const rows = query(database, 'SELECT id, summary FROM sessions');
    return {
      state,
      summaries: () =>
        rows().map(
          ([id, text]) =>
            (typeof text === 'string' ? readSummary(String(id), text) : undefined) ??
            summarize(state(String(id)).state),
        ),
      close: () => database.close(),
    };
  } catch (error) {
    throw storeError(error, 'Reading the log');
  }
}
