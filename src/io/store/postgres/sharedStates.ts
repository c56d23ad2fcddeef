// States of long sessions in the database, so that a host that takes over a session of another one does not
// read its whole log. Each host has the states that it has made itself in files, too.
import { promisify } from 'node:util';
import { constants, deflate, inflate } from 'node:zlib';
import type { ZlibOptions } from 'node:zlib';
import { isAway } from '../../../host/session/logStore.ts';
import type { StoredState, StoredStates } from '../../../host/session/logStore.ts';
import type { SessionId } from '../../../model/event.ts';
import type { StateFiles } from '../stateFiles.ts';
import type { DatabaseRow, Query } from './connection.ts';
import { SharedStatements } from './sharedStatements.ts';

export interface SharedStatesOptions {
  readonly files: StateFiles;
  readonly query: (query: Query) => Promise<readonly DatabaseRow[]>;
  /** The id of this host's lease. */
  readonly me: () => string;
  readonly report: (problem: unknown, about: string) => void;
}

/** A session, and the entry up to which this host has a state of it. */
interface Wanted {
  readonly session: SessionId;
  readonly seq: number;
}

/** So many states are read with one statement. */
const readsAtOnce = 8;

/** A larger one stays on its host, in bytes. */
const largestState = 8 * 1024 * 1024;

const pack = promisify<Buffer, ZlibOptions, Buffer>(deflate);
const unpack = promisify<Buffer, ZlibOptions, Buffer>(inflate);

export class SharedStates implements StoredStates {
  readonly #options: SharedStatesOptions;
  #isClosed = false;
  readonly #newer = new SharedStatements(readsAtOnce, (wanted: readonly Wanted[]) => this.#newerThan(wanted));

  constructor(options: SharedStatesOptions) {
    this.#options = options;
  }

  async read(session: SessionId): Promise<StoredState | undefined> {
    const { files, report } = this.#options;
    const own = await files.read(session);
    // Whoever cannot read it reads the log, which says what is wrong if the database is away.
    const row = await this.#newer.ask({ session, seq: own?.state.seq ?? 0 }).catch((error: unknown) => {
      if (!isAway(error)) report(error, `reading the state of session ${session} from the database`);
      return undefined;
    });
    const bytes = row && (await unpack(row, { maxOutputLength: largestState }).catch(() => undefined));
    return (bytes && (await files.readBytes(session, bytes))) ?? own;
  }

  /** Without the row other hosts read the log. */
  async write(stored: StoredState): Promise<void> {
    const { files, report } = this.#options;
    const { id, seq } = stored.state;
    const bytes = await files.writeForOthers(stored);
    if (!bytes || bytes.length > largestState) return;
    await this.#store({ session: id, seq }, bytes).catch((error: unknown) => {
      if (!this.#isClosed) report(error, `storing the state of session ${id} in the database`);
    });
  }

  /** What is on its way to the database may get lost. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#options.files.close();
  }

  async remove(session: SessionId): Promise<void> {
    const { files, query } = this.#options;
    await files.remove(session);
    await query({ text: 'DELETE FROM parley.states WHERE session = $1', values: [session] });
  }

  async #newerThan(wanted: readonly Wanted[]): Promise<readonly (Buffer | undefined)[]> {
    const rows = await this.#options.query({
      name: 'states',
      text:
        'SELECT s.session, s.state FROM unnest($1::text[], $2::bigint[]) AS w (session, seq) ' +
        'JOIN parley.states s ON s.session = w.session AND s.seq > w.seq',
      values: [wanted.map(({ session }) => session), wanted.map(({ seq }) => seq)],
    });
    const found = new Map(rows.map(([session, state]) => [session, state]));
    return wanted.map(({ session }) => {
      const state = found.get(session);
      return Buffer.isBuffer(state) ? state : undefined;
    });
  }

  /** Only the owner stores a state, so what it has is right, whatever the row says. */
  async #store({ session, seq }: Wanted, bytes: Buffer): Promise<void> {
    const { query, me } = this.#options;
    const state = await pack(bytes, { level: constants.Z_BEST_SPEED });
    await query({
      text:
        'INSERT INTO parley.states (session, seq, state) ' +
        'SELECT id, $3, $4 FROM parley.sessions WHERE id = $2 AND owner = $1 ' +
        'ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, state = excluded.state',
      values: [me(), session, seq, state],
    });
  }
}
