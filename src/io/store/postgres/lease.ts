// The lease of a host: a row that it renews. Only the clock of the database counts. Hosts that do not renew
// theirs are removed by the others, and can store nothing from then on.
import { randomUUID } from 'node:crypto';
import type { LeaseHolder } from '../durableStore.ts';
import type { Connection } from './connection.ts';
import { isBroken } from './databaseError.ts';

/** How long a host may be silent before others take its sessions, in milliseconds. */
const leaseTime = 10_000;
/** How often it renews its lease and looks what others have done, in milliseconds. */
const beatTime = 1_000;
/** The shortest time between two renewals, in milliseconds. */
const shortestBeat = 100;
/** A renewal that is not answered for so long is tried again over a new connection, in milliseconds. */
export const leaseAnswerTime = 3_000;
/**
 * How long the database may be away, in milliseconds, and a host that lives still has time to come back
 * before its lease is over: it has renewed it a beat before that, and one more renewal may fail.
 */
const shortAbsence = leaseTime - leaseAnswerTime - 2 * beatTime;

export interface LeaseOptions {
  readonly connection: Connection;
  /** The same after a restart. The caller knows that no other process has this name. */
  readonly name: string;
  readonly version: string;
  readonly report: (problem: unknown, about: string) => void;
  /** Runs with every renewal. */
  readonly onBeat: () => Promise<void>;
  readonly onLost: () => void;
}

export class Lease {
  /** A host that comes back is another one, so no row is used twice. */
  readonly id = randomUUID();
  readonly #options: LeaseOptions;
  #timer: NodeJS.Timeout | undefined;
  #beat: Promise<void> | undefined;
  /** What runs with the renewals; the next one does not wait for it. */
  #following: Promise<void> | undefined;
  #ended = false;
  /** A beat came while the last one was still followed. */
  #followAgain = false;
  /** When the last renewal began that has reached the database. */
  #reachedAt = -Infinity;
  /** Since when the database was never away for long. */
  #reachedSince = Infinity;
  /** When the first lease of another host ends, unless it is renewed; Infinity if that is not known. */
  #firstEnd = Infinity;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  async take(): Promise<void> {
    const { connection, name, version } = this.#options;
    // The last process of this name is gone, so nobody has to wait for the end of its lease.
    await connection.query({ text: 'DELETE FROM parley.hosts WHERE name = $1', values: [name] });
    await connection.query({
      text:
        'INSERT INTO parley.hosts (id, name, version, started, until) VALUES ($1, $2, $3, ' +
        `clock_timestamp(), clock_timestamp() + ${lease})`,
      values: [this.id, name, version],
    });
    await this.#renew();
    this.#plan();
  }

  /** Everybody who has a lease. */
  async holders(): Promise<readonly LeaseHolder[]> {
    const rows = await this.#options.connection.query({
      text:
        'SELECT h.name, h.version, extract(epoch FROM h.started) * 1000, ' +
        'extract(epoch FROM h.until - clock_timestamp()), h.id, ' +
        '(SELECT count(*) FROM parley.sessions s WHERE s.owner = h.id), l.address FROM parley.hosts h ' +
        'LEFT JOIN parley.links l ON l.host = h.id ORDER BY h.name',
    });
    return rows.map(([name, version, started, left, id, sessions, address]) => ({
      name: String(name),
      version: String(version),
      started: Math.round(Number(started)),
      left: Number(left),
      sessions: Number(sessions),
      isMe: id === this.id,
      ...(typeof address === 'string' ? { address } : {}),
    }));
  }

  /** Renews it no more. */
  async stop(): Promise<void> {
    this.#ended = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#beat, this.#following]);
  }

  /** Ends the lease, which frees all sessions of this host. */
  async end(): Promise<void> {
    await this.stop();
    await this.#options.connection
      .query({ text: 'DELETE FROM parley.hosts WHERE id = $1', values: [this.id] })
      .catch((error: unknown) => this.#options.report(error, 'ending the lease'));
  }

  #plan(): void {
    if (this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#beat = this.#renew()
        .then(() => this.#follow())
        // The next beat tries again.
        .catch((error: unknown) => {
          this.#firstEnd = Infinity;
          this.#report(error);
        })
        .then(() => this.#plan());
    }, this.#untilNext());
    this.#timer.unref();
  }

  /** The sessions of a dead host are taken over as soon as its lease is over. */
  #untilNext(): number {
    const removal = Math.max(this.#firstEnd, this.#reachedSince + leaseTime) - performance.now();
    return Math.min(beatTime, Math.max(shortestBeat, removal));
  }

  #follow(): void {
    this.#followAgain = true;
    this.#following ??= this.#followAll().finally(() => {
      this.#following = undefined;
    });
  }

  async #followAll(): Promise<void> {
    while (this.#followAgain && !this.#ended) {
      this.#followAgain = false;
      await this.#options.onBeat().catch((error: unknown) => this.#report(error));
    }
  }

  #report(error: unknown): void {
    if (!isBroken(error)) this.#options.report(error, 'renewing the lease');
  }

  /**
   * Renews, and removes hosts that have not done so in time. After the database was away for long all get the
   * time to come back: a host removes others only if it has reached the database itself for the whole time.
   */
  async #renew(): Promise<void> {
    const now = performance.now();
    const since = now - this.#reachedAt > shortAbsence ? now : this.#reachedSince;
    const mayRemove = now - since >= leaseTime;
    const [[mine, left] = []] = await this.#options.connection.query({
      name: 'renew',
      text:
        `WITH mine AS (UPDATE parley.hosts SET until = clock_timestamp() + ${lease} WHERE id = $1 RETURNING 1), ` +
        'late AS (SELECT id FROM parley.hosts WHERE id <> $1 AND until < clock_timestamp() AND $2 ' +
        'FOR UPDATE SKIP LOCKED), ' +
        'dead AS (DELETE FROM parley.hosts WHERE id IN (SELECT id FROM late)) SELECT ' +
        '(SELECT count(*) FROM mine), (SELECT extract(epoch FROM min(until)) * 1000 - ' +
        'extract(epoch FROM clock_timestamp()) * 1000 FROM parley.hosts WHERE id <> $1 AND ' +
        'id NOT IN (SELECT id FROM late))',
      values: [this.id, mayRemove],
    });
    this.#reachedAt = now;
    this.#reachedSince = since;
    this.#firstEnd = left === null ? Infinity : performance.now() + Number(left);
    if (Number(mine) > 0 || this.#ended) return;
    this.#ended = true;
    this.#options.onLost();
  }
}

const lease = `interval '${leaseTime} milliseconds'`;
