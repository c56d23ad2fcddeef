// The list of all sessions in memory: written with the entries, and brought up to date with what other hosts
// change. Knows who owns which session.
import type { SessionOwner } from '../../../host/ownership/hostLinks.ts';
import type { ForeignChange } from '../../../host/session/logStore.ts';
import { summarize } from '../../../host/session/summary.ts';
import type { Summary } from '../../../host/session/summary.ts';
import type { SessionId } from '../../../model/event.ts';
import { emptyState } from '../../../model/state.ts';
import { isNewer } from '../../../model/upgrade.ts';
import type { Connection, DatabaseRow } from './connection.ts';
import { SharedStatements } from './sharedStatements.ts';

export interface SharedCatalogueOptions {
  readonly connection: Connection;
  /** For what hosts settle among each other, and for what they do. */
  readonly settling: Connection;
  /** The id of this host's lease. */
  readonly me: () => string;
}

/** Who has which of the sessions that this host wants. */
export interface Claims {
  readonly ours: readonly SessionId[];
  readonly owners: ReadonlyMap<SessionId, SessionOwner>;
  readonly exist: ReadonlySet<SessionId>;
}

interface KnownSession {
  readonly text: string;
  readonly summary: Summary;
  /** Whether another host that was alive owned it when the row was read. */
  readonly isForeign: boolean;
}

const rowsAtOnce = 5_000;

/** Changes may become visible a little later than the time they bear, in seconds. */
const overlap = 20;

const isAlive = 'EXISTS (SELECT 1 FROM parley.hosts h WHERE h.id = s.owner)';
const columns = `s.id, s.summary, s.damage, s.format, (s.owner IS DISTINCT FROM $1 AND ${isAlive})`;

/** The owners of sessions that are alive, with the addresses for links. */
const ownerColumns = 'h.name, h.id, l.address, l.fingerprint, h.until::text';
const sessionsWithOwners =
  'parley.sessions s LEFT JOIN parley.hosts h ON h.id = s.owner LEFT JOIN parley.links l ON l.host = h.id';

function ownerIn([name, lease, url, fingerprint, renewed]: DatabaseRow): SessionOwner | undefined {
  if (typeof name !== 'string' || typeof lease !== 'string') return undefined;
  const address =
    typeof url === 'string' ? { url, ...(typeof fingerprint === 'string' && { fingerprint }) } : undefined;
  return { host: name, lease, renewed: String(renewed), ...(address && { address }) };
}

const parseJson: (text: string) => Summary = JSON.parse;

function parseSummary(text: string): Summary | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Entries are the truth; a row that cannot be read costs the title in the list, and nothing else. */
function unreadable(id: SessionId): Summary {
  return summarize(emptyState(id));
}

export class SharedCatalogue {
  readonly #connection: Connection;
  readonly #settling: Connection;
  readonly #me: () => string;
  readonly #owners = new SharedStatements(100, (sessions: readonly SessionId[]) => this.#ownersOf(sessions));
  readonly #sessions = new Map<SessionId, KnownSession>();
  readonly #followers: ((change: ForeignChange) => void)[] = [];
  /** The time of the database up to which changes are known. */
  #seen: unknown;

  constructor({ connection, settling, me }: SharedCatalogueOptions) {
    this.#connection = connection;
    this.#settling = settling;
    this.#me = me;
  }

  async load(): Promise<void> {
    const [now] = await this.#connection.query({ text: 'SELECT clock_timestamp()::text' });
    this.#seen = now?.[0];
    for (let after = ''; ;) {
      const rows = await this.#connection.query({
        text: `SELECT ${columns} FROM parley.sessions s WHERE s.id > $2 ORDER BY s.id LIMIT ${rowsAtOnce}`,
        values: [this.#me(), after],
      });
      for (const row of rows) this.#take(row);
      if (rows.length < rowsAtOnce) return;
      after = String(rows.at(-1)?.[0]);
    }
  }

  summaries(): readonly Summary[] {
    return Array.from(this.#sessions.values(), ({ summary }) => summary);
  }

  /** Whether it is there and its log can be read whole, as far as is known. */
  isSound(session: SessionId): boolean {
    const summary = this.#sessions.get(session)?.summary;
    return summary !== undefined && summary.damage === undefined && !summary.newer;
  }

  isForeign(session: SessionId): boolean {
    return this.#sessions.get(session)?.isForeign === true;
  }

  /** The number of entries a session is known to have had. */
  vouched(session: SessionId): number {
    return this.#sessions.get(session)?.summary.seq ?? 0;
  }

  put(summary: Summary): void {
    this.#sessions.set(summary.id, { text: `${JSON.stringify(summary)} null`, summary, isForeign: false });
  }

  forget(session: SessionId): void {
    this.#sessions.delete(session);
  }

  follow(follower: (change: ForeignChange) => void): void {
    this.#followers.push(follower);
  }

  /**
   * Makes this host the owner of all those that are free or whose owners are dead. Who is about to claim one
   * is not waited for: that one exists and is neither ours nor another host's.
   */
  async claim(sessions: readonly SessionId[]): Promise<Claims> {
    const rows = await this.#settling.query({
      name: 'claim',
      text:
        // Without the OR the database would not look again whether the owner of a row that has changed lives.
        'WITH free AS (SELECT s.id FROM parley.sessions s WHERE s.id = ANY($2) AND (s.owner IS NULL OR ' +
        `s.owner <> $1 AND NOT ${isAlive}) FOR UPDATE SKIP LOCKED), ` +
        'mine AS (UPDATE parley.sessions s SET owner = $1 FROM free WHERE s.id = free.id ' +
        `RETURNING ${columns}) SELECT mine.*, true, NULL, NULL, NULL, NULL, NULL FROM mine UNION ALL ` +
        `SELECT ${columns}, s.owner = $1, ${ownerColumns} FROM ${sessionsWithOwners} ` +
        'WHERE s.id = ANY($2) AND s.id NOT IN (SELECT id FROM mine)',
      values: [this.#me(), sessions],
    });
    const ours: SessionId[] = [];
    const owners = new Map<SessionId, SessionOwner>();
    for (const row of rows) {
      const [id, isOurs, owner] = [String(row[0]), row[5] === true, ownerIn(row.slice(6))];
      if (isOurs) ours.push(this.#take(row).summary.id);
      else if (owner) owners.set(id, owner);
    }
    return { ours, owners, exist: new Set(rows.map(([id]) => String(id))) };
  }

  /** Asked again and again for each session whose owner does not answer. */
  ownerOf(session: SessionId): Promise<SessionOwner | undefined> {
    return this.#owners.ask(session);
  }

  async #ownersOf(sessions: readonly SessionId[]): Promise<readonly (SessionOwner | undefined)[]> {
    const rows = await this.#settling.query({
      name: 'owners',
      text:
        `SELECT s.id, ${ownerColumns} FROM ${sessionsWithOwners} ` +
        'WHERE s.id = ANY($2) AND s.owner IS DISTINCT FROM $1',
      values: [this.#me(), sessions],
    });
    const owners = new Map(rows.map(([id, ...owner]) => [id, ownerIn(owner)]));
    return sessions.map((session) => owners.get(session));
  }

  async release(session: SessionId): Promise<void> {
    await this.#settling.query({
      text: 'UPDATE parley.sessions SET owner = NULL WHERE id = $2 AND owner = $1',
      values: [this.#me(), session],
    });
  }

  async mark(session: SessionId, damage: string | undefined): Promise<void> {
    const known = this.#sessions.get(session);
    if (!known || known.summary.newer || known.summary.damage === damage) return;
    const { damage: _, ...sound } = known.summary;
    const summary = damage === undefined ? sound : { ...sound, damage };
    this.#sessions.set(session, { ...known, summary });
    await this.#connection.query({
      text: 'UPDATE parley.sessions SET damage = $2, changed = clock_timestamp() WHERE id = $1',
      values: [session, damage ?? null],
    });
  }

  /** Tells what other hosts have changed since the last time, and what dead ones have left. */
  async followOthers(): Promise<void> {
    const rows = await this.#settling.query({
      name: 'changes',
      text:
        `SELECT ${columns}, clock_timestamp()::text, 'changed' FROM parley.sessions s WHERE s.changed > ` +
        `$2::timestamptz - interval '${overlap} seconds' AND s.owner IS DISTINCT FROM $1 UNION ALL ` +
        `SELECT r.session, NULL, NULL, NULL, NULL, clock_timestamp()::text, 'removed' FROM parley.removals r ` +
        `WHERE r.at > $2::timestamptz - interval '${overlap} seconds' AND NOT EXISTS (SELECT 1 FROM ` +
        'parley.sessions s WHERE s.id = r.session) UNION ALL ' +
        `SELECT ${columns}, clock_timestamp()::text, 'orphaned' FROM parley.sessions s WHERE s.status IN ` +
        `('running', 'asking') AND s.damage IS NULL AND (s.owner IS NULL OR NOT ${isAlive})`,
      values: [this.#me(), this.#seen],
    });
    const orphans = rows.filter((row) => this.#notice(row)).map(([id]) => String(id));
    if (orphans.length > 0) this.#tell({ kind: 'orphaned', sessions: orphans });
    const latest = rows.at(-1)?.[5];
    if (latest !== undefined) this.#seen = latest;
  }

  /** Whether it is an orphan that this host can take over. */
  #notice(row: DatabaseRow): boolean {
    const session = String(row[0]);
    if (row[6] === 'removed') {
      if (this.#sessions.delete(session)) this.#tell({ kind: 'removed', session });
      return false;
    }
    const before = this.#sessions.get(session)?.text;
    const now = this.#take(row);
    if (now.text !== before) this.#tell({ kind: 'changed', summary: now.summary });
    return row[6] === 'orphaned' && !now.summary.newer;
  }

  #tell(change: ForeignChange): void {
    for (const follower of this.#followers) follower(change);
  }

  #take([id, text, damage, format, isForeign]: DatabaseRow): KnownSession {
    const stored = parseSummary(String(text)) ?? unreadable(String(id));
    const summary: Summary = {
      ...stored,
      ...(typeof damage === 'string' ? { damage } : {}),
      ...(isNewer(Number(format)) ? { newer: true as const } : {}),
    };
    const known = { text: `${String(text)} ${String(damage)}`, summary, isForeign: isForeign === true };
    this.#sessions.set(String(id), known);
    return known;
  }
}
