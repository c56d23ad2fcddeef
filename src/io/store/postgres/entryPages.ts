// Reads one session's entries from PostgreSQL in pages and stops at the first invalid one.
import { LogDamage, LogNewer } from '../../../host/session/logStore.ts';
import type { Entry, SessionId } from '../../../model/event.ts';
import { decode, entryColumns } from '../sqlite/record.ts';
import type { Connection } from './connection.ts';

export interface Span {
  readonly after: number;
  /** The number of entries that the log must have; fewer means that its end is lost. */
  readonly vouched: () => number;
}

const firstRows = 32;
const mostRows = 512;
/** Entries with pictures are long: above this many characters the next page has fewer rows. */
const fullPage = 1_000_000;
/** How many entries behind damage are tried. */
const patience = 10_000;

type EntryRow = Parameters<typeof decode>[2];

export class EntryPages {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async *pieces(session: SessionId, { after, vouched }: Span): AsyncGenerator<readonly Entry[]> {
    let last = after;
    let limit = firstRows;
    for (;;) {
      // Asked before the rows: while they are on their way, more may be written or all removed.
      const known = vouched();
      const rows = await this.#fetch(session, last, limit);
      const entries: Entry[] = [];
      let size = 0;
      let problem: LogDamage | undefined;
      for (const row of rows) {
        const entry = decode(session, last + entries.length + 1, row);
        if (entry instanceof LogDamage) {
          problem = entry;
          break;
        }
        entries.push(entry);
        size += String(row[4]).length;
      }
      last += entries.length;
      if (entries.length > 0) yield entries;
      if (problem) throw await this.#withNext(problem);
      if (rows.length < limit) {
        if (last < known && vouched() > 0)
          throw new LogDamage(session, last + 1, `Entry ${last + 1} is missing.`);
        return;
      }
      limit = size > fullPage ? Math.max(1, limit >> 2) : Math.min(mostRows, limit * 2);
    }
  }

  /** Finds where the log goes on after damage. */
  async #withNext(damage: LogDamage): Promise<LogDamage> {
    if (damage instanceof LogNewer) return damage;
    const { session } = damage;
    let after = damage.seq - 1;
    for (let tries = 0; tries < patience; tries += mostRows) {
      const rows = await this.#fetch(session, after, mostRows);
      for (const row of rows) {
        after = Number(row[0]);
        if (decode(session, after, row) instanceof LogDamage) continue;
        damage.next = after;
        return damage;
      }
      if (rows.length < mostRows) return damage;
    }
    return damage;
  }

  async #fetch(session: SessionId, after: number, limit: number): Promise<readonly EntryRow[]> {
    const rows = await this.#connection.query({
      name: 'entries',
      text: `SELECT ${entryColumns} FROM parley.entries WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
      values: [session, after, limit],
    });
    // The driver gives large numbers as text.
    return rows.map(([seq, pos, at, by, event, format, crc]) => [
      Number(seq),
      Number(pos),
      Number(at),
      String(by),
      String(event),
      Number(format),
      Number(crc),
    ]);
  }
}
