// Reads the entries of sessions from PostgreSQL in pages and stops at the first invalid one. Sessions that
// are read at the same time share their statements, so that many of them need no longer than one.
import { LogDamage, LogNewer } from '../../../host/session/logStore.ts';
import type { Entry, SessionId } from '../../../model/event.ts';
import { decode, entryColumns } from '../sqlite/record.ts';
import type { Connection, DatabaseRow } from './connection.ts';
import { SharedStatements } from './sharedStatements.ts';

export interface Span {
  readonly after: number;
  /** The number of entries that the log must have; fewer means that its end is lost. */
  readonly vouched: () => number;
  /** How many rows are asked for at a time, if fewer than usual are wanted. */
  readonly most?: number | undefined;
}

/** How many sessions share a statement. */
const mostSessions = 32;
/** How many rows a statement gives for all its sessions, and for one of them. */
const allRows = 1_024;
const mostRows = 512;
/** Entries with pictures are long: the pages of a statement end when they have so many bytes together. */
const allBytes = 1_000_000;
/** How many entries behind damage are tried. */
const patience = 10_000;

type EntryRow = Parameters<typeof decode>[2];

interface Page {
  readonly rows: readonly EntryRow[];
  readonly isLast: boolean;
}

interface PageRequest extends Pick<Span, 'after' | 'most'> {
  readonly session: SessionId;
}

export class EntryPages {
  readonly #pages: SharedStatements<PageRequest, Page>;

  constructor(connection: Connection) {
    this.#pages = new SharedStatements(mostSessions, (batch) => askPages(connection, batch));
  }

  async *pieces(session: SessionId, { after, vouched, most }: Span): AsyncGenerator<readonly Entry[]> {
    let last = after;
    for (;;) {
      // Asked before the rows: while they are on their way, more may be written or all removed.
      const known = vouched();
      const { rows, isLast } = await this.#pages.ask({ session, after: last, most });
      const entries: Entry[] = [];
      let problem: LogDamage | undefined;
      for (const row of rows) {
        const entry = decode(session, last + entries.length + 1, row);
        if (entry instanceof LogDamage) {
          problem = entry;
          break;
        }
        entries.push(entry);
      }
      last += entries.length;
      if (entries.length > 0) yield entries;
      if (problem) throw await this.#withNext(problem);
      if (!isLast) continue;
      if (last < known && vouched() > 0)
        throw new LogDamage(session, last + 1, `Entry ${last + 1} is missing.`);
      return;
    }
  }

  /** Finds where the log goes on after damage. */
  async #withNext(damage: LogDamage): Promise<LogDamage> {
    if (damage instanceof LogNewer) return damage;
    const { session } = damage;
    let after = damage.seq - 1;
    for (let tries = 0; tries < patience;) {
      const { rows, isLast } = await this.#pages.ask({ session, after });
      tries += rows.length;
      for (const row of rows) {
        after = Number(row[0]);
        if (decode(session, after, row) instanceof LogDamage) continue;
        damage.next = after;
        return damage;
      }
      if (isLast) return damage;
    }
    return damage;
  }
}

/** The pages in the order of the requests. */
async function askPages(connection: Connection, batch: readonly PageRequest[]): Promise<readonly Page[]> {
  const share = Math.min(mostRows, Math.floor(allRows / batch.length));
  const limits = batch.map(({ most = share }) => Math.min(most, share));
  const bytes = Math.floor(allBytes / batch.length);
  const rows = await connection.query({
    name: 'entries',
    text:
      `SELECT w.place, e.size, ${entryColumns} FROM unnest($1::text[], $2::bigint[], $3::bigint[]) ` +
      'WITH ORDINALITY AS w (session, after, most, place), ' +
      'LATERAL (SELECT *, sum(octet_length(event)) OVER (ORDER BY seq) AS size FROM (' +
      'SELECT * FROM parley.entries WHERE session = w.session AND seq > w.after ORDER BY seq ' +
      'LIMIT w.most) AS page) AS e WHERE e.size - octet_length(e.event) < $4 ORDER BY w.place, e.seq',
    values: [batch.map(({ session }) => session), batch.map(({ after }) => after), limits, bytes],
  });
  const pages = limits.map((limit) => ({ rows: [] as EntryRow[], limit, isLast: true }));
  for (const [place, size, ...row] of rows) {
    const page = pages[Number(place) - 1];
    if (!page) continue;
    page.rows.push(entryRow(row));
    page.isLast = page.rows.length < page.limit && Number(size) < bytes;
  }
  return pages;
}

/** The driver gives large numbers as text. */
function entryRow([seq, pos, at, by, event, format, crc]: DatabaseRow): EntryRow {
  return [Number(seq), Number(pos), Number(at), String(by), String(event), Number(format), Number(crc)];
}
