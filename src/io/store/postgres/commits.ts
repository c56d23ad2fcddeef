// Stores batches in one statement and one round trip each. If the connection breaks meanwhile, it asks
// the database which entries it has, so that none is lost or doubled.
import { setTimeout as delay } from 'node:timers/promises';
import type { Batch } from '../../../host/session/logStore.ts';
import { format } from '../../../model/upgrade.ts';
import { memoPerObject } from '../../../base/memo.ts';
import type { Origin, SessionId } from '../../../model/event.ts';
import { checksum } from '../sqlite/record.ts';
import type { Connection } from './connection.ts';
import { isBroken, raised, refusalState, sqlState } from './databaseError.ts';

export interface CommitOptions {
  readonly connection: Connection;
  /** The id of this host's lease. */
  readonly me: () => string;
  /** How long a commit may wait for a database that is away, in milliseconds. */
  readonly patience: number;
  /** Told what the database says while a batch has to wait, once for each reason. */
  readonly waits: (error: unknown) => void;
}

/** What was not stored, because other hosts own these sessions. */
export interface Refused {
  readonly sessions: ReadonlySet<SessionId>;
  readonly cause: unknown;
}

/** Turns wait for the database as long as it takes; the journal slows agents down meanwhile. */
export const commitPatience = Infinity;
const firstPause = 50;
const longestPause = 1_000;

export class Commits {
  readonly #options: CommitOptions;
  /** Batches that were given up while nobody knew whether they are stored; nobody was shown them. */
  #doubtful: Columns[] = [];

  constructor(options: CommitOptions) {
    this.#options = options;
  }

  /** Stores all but the entries of sessions that other hosts own by now. Returns these, and what was said. */
  async store(batch: Batch): Promise<Refused | undefined> {
    try {
      await this.#storeWhole(batch);
      return undefined;
    } catch (cause) {
      if (sqlState(cause) !== raised.notOwner) throw cause;
      const sessions = await this.#patiently(() => this.#foreignIn(batch));
      if (sessions.size === 0) throw cause;
      const entries = batch.entries.filter(({ session }) => !sessions.has(session));
      const summaries = batch.summaries.filter(({ id }) => !sessions.has(id));
      const more = entries.length > 0 ? await this.store({ ...batch, entries, summaries }) : undefined;
      return { sessions: new Set([...sessions, ...(more?.sessions ?? [])]), cause };
    }
  }

  async #storeWhole(batch: Batch): Promise<void> {
    const columns = columnsOf(batch);
    const attempt = async (isRetry: boolean) => {
      if (this.#doubtful.length > 0) await this.#withdraw();
      if (isRetry && (await this.#isStored(columns))) return;
      await this.#append(columns, isRetry);
    };
    await this.#patiently(attempt, () => this.#doubtful.push(columns));
  }

  /** Tries until it is done, or the database was away for too long. */
  async #patiently<T>(attempt: (isRetry: boolean) => Promise<T>, givenUp = () => {}): Promise<T> {
    const started = performance.now();
    let pause = firstPause;
    let told = '';
    for (let isRetry = false; ; isRetry = true) {
      try {
        return await attempt(isRetry);
      } catch (error) {
        if (!isBroken(error)) throw error;
        const why = refusalState(error);
        if (why !== undefined && why !== told) this.#options.waits(error);
        told = why ?? told;
        if (performance.now() - started + pause > this.#options.patience) {
          givenUp();
          throw error;
        }
      }
      await delay(pause);
      pause = Math.min(longestPause, pause * 2);
    }
  }

  /** The sessions that kept a batch from being stored; a new one has no row yet. */
  async #foreignIn({ entries, summaries }: Batch): Promise<ReadonlySet<SessionId>> {
    const rows = await this.#options.connection.query({
      text:
        'SELECT u.id FROM unnest($1::text[]) AS u (id) LEFT JOIN parley.sessions s ON s.id = u.id ' +
        'WHERE s.owner IS DISTINCT FROM $3 AND NOT (s.id IS NULL AND u.id = ANY($2::text[]))',
      values: [
        [...new Set(entries.map(({ session }) => session))],
        summaries.map(({ id }) => id),
        this.#options.me(),
      ],
    });
    return new Set(rows.map(([id]) => String(id)));
  }

  async #append(columns: Columns, isRetry: boolean): Promise<void> {
    try {
      await this.#send(columns);
    } catch (error) {
      // The statement that was cut off may have been carried out after we asked for it.
      if (!isRetry || sqlState(error) !== '23505' || !(await this.#isStored(columns))) throw error;
    }
  }

  async #send(columns: Columns): Promise<void> {
    const { session, seq, pos, at, by, event, formats, crc, ids, summaries, statuses, writers } = columns;
    const { connection, me } = this.#options;
    await connection.query({
      name: 'append',
      text: 'SELECT parley.append_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)',
      values: [
        me(),
        writers,
        session,
        seq,
        pos,
        at,
        by,
        event,
        formats,
        crc,
        ids,
        summaries,
        statuses,
        format,
      ],
    });
  }

  async #isStored({ count, session, seq, crc }: Columns): Promise<boolean> {
    const [[found] = []] = await this.#options.connection.query({
      text:
        'SELECT count(*) FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS u (session, seq, crc) ' +
        'JOIN parley.entries e ON e.session = u.session AND e.seq = u.seq AND e.crc = u.crc',
      values: [session, seq, crc],
    });
    return count > 0 && Number(found) === count;
  }

  /** Takes back what was given up: the sessions have gone on without it. */
  async #withdraw(): Promise<void> {
    while (this.#doubtful[0]) {
      const { session, seq, crc } = this.#doubtful[0];
      await this.#options.connection.query({
        text:
          'DELETE FROM parley.entries e USING unnest($1::text[], $2::bigint[], $3::bigint[]) ' +
          'AS u (session, seq, crc), parley.sessions s WHERE e.session = u.session AND e.seq = u.seq ' +
          'AND e.crc = u.crc AND s.id = e.session AND s.owner = $4',
        values: [session, seq, crc, this.#options.me()],
      });
      this.#doubtful.shift();
    }
  }
}

type Columns = ReturnType<typeof columnsOf>;

/** The arrays that the statement unpacks, as the database reads them: the driver would take longer. */
function columnsOf({ entries, summaries }: Batch) {
  const session: string[] = [];
  const seq: number[] = [];
  const pos: number[] = [];
  const at: number[] = [];
  const by: string[] = [];
  const event: string[] = [];
  const crc: number[] = [];
  for (const { session: id, entry } of entries) {
    const origin = originTexts(entry.by, originOf);
    const text = JSON.stringify(entry.event);
    session.push(id);
    seq.push(entry.seq);
    pos.push(entry.pos);
    at.push(entry.at);
    by.push(origin.element);
    event.push(elementOfJson(text));
    crc.push(checksum(id, `${entry.seq} ${entry.pos} ${entry.at} ${format}`, `${origin.text}\n${text}`));
  }
  const ids = summaries.map(({ id }) => id);
  return {
    count: session.length,
    session: arrayOf(session.map(elementOf)),
    seq: arrayOf(seq),
    pos: arrayOf(pos),
    at: arrayOf(at),
    by: arrayOf(by),
    event: arrayOf(event),
    formats: arrayOf(session.map(() => format)),
    crc: arrayOf(crc),
    ids: arrayOf(ids.map(elementOf)),
    summaries: arrayOf(summaries.map((summary) => elementOfJson(JSON.stringify(summary)))),
    statuses: arrayOf(summaries.map(({ status }) => status)),
    writers: arrayOf([...new Set(session)].filter((id) => !ids.includes(id)).map(elementOf)),
  };
}

function arrayOf(elements: readonly (string | number)[]): string {
  return `{${elements.join()}}`;
}

function elementOf(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** JSON has no control characters, so that what is left to mask is masked in the same way there. */
const elementOfJson: (text: string) => string = JSON.stringify;

/** Streams come from one origin object, so its texts are made once. */
const originTexts = memoPerObject<Origin, { readonly text: string; readonly element: string }>();

function originOf(origin: Origin): { readonly text: string; readonly element: string } {
  const text = JSON.stringify(origin);
  return { text, element: elementOfJson(text) };
}
