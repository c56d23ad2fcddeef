// The durable log in PostgreSQL, which several hosts may share. The catalogue is kept in memory and
// follows the other hosts.
import { setTimeout as delay } from 'node:timers/promises';
import type { SessionOwner } from '../../../host/ownership/hostLinks.ts';
import { entriesAround } from '../../../host/session/damagedLog.ts';
import { LogDamage, LogNewer, TakenOver } from '../../../host/session/logStore.ts';
import type { Batch, ReadHow } from '../../../host/session/logStore.ts';
import { isUnfinished, summarize } from '../../../host/session/summary.ts';
import type { Summary } from '../../../host/session/summary.ts';
import type { Entry, SessionId } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import type { DurableStore, LeaseHolder, SharedHosts, StoreDamage } from '../durableStore.ts';
import { isSameSummary } from '../sqlite/catalogue.ts';
import { StateFiles } from '../stateFiles.ts';
import { StoreError } from '../sqlite/storeError.ts';
import { Commits, commitPatience } from './commits.ts';
import { Connection } from './connection.ts';
import { databaseError } from './databaseError.ts';
import { EntryPages } from './entryPages.ts';
import { Lease, leaseAnswerTime } from './lease.ts';
import { LinkTable } from './linkTable.ts';
import { prepareDatabase } from './schema.ts';
import { SharedCatalogue } from './sharedCatalogue.ts';
import { DatabaseSignIns } from './sharedSignIns.ts';
import { SharedStatements } from './sharedStatements.ts';
import { SharedStates } from './sharedStates.ts';

/** Between two looks at a session that somebody is changing, in milliseconds. */
const claimPause = 50;

export interface PostgresStoreOptions {
  readonly url: string;
  /** The address without the password, for messages. */
  readonly shown: string;
  /** The name of this host; no other process uses it. */
  readonly name: string;
  readonly version: string;
  readonly report: (problem: unknown, about: string) => void;
  /** Another host has taken over: nothing can be stored any more. */
  readonly onLost: () => void;
  /** These sessions belong to this host from now on. Never rejects. */
  readonly onClaim?: (sessions: readonly SessionId[]) => Promise<void>;
  /** A folder of this host for its states of long sessions; without it each opening reads the whole log. */
  readonly states?: string;
  /** How long a commit may wait for a database that is away, in milliseconds. */
  readonly patience?: number;
}

/** So many sessions are claimed with one statement. */
const claimsAtOnce = 100;

/** The owner of a session if another host has it; else when this host has what others have stored for it. */
interface Claimed {
  readonly owner?: SessionOwner;
  readonly filled?: Promise<void> | undefined;
}

export class PostgresStore implements DurableStore {
  readonly #options: PostgresStoreOptions;
  /** Commits have a connection of their own, so that they wait for no reader. */
  readonly #writing: Connection;
  /** For the news of other hosts' sessions, so that opening a session does not wait for them. */
  readonly #following: Connection;
  /** For what hosts settle among each other, so that nobody who opens sessions delays a takeover. */
  readonly #settling: Connection;
  /** Everything else that the store and its index ask. */
  readonly connection: Connection;
  /** The lease waits for nobody, and notices soon that its connection is dead. */
  readonly #leasing: Connection;
  readonly #commits: Commits;
  readonly #pages: EntryPages;
  readonly #news: EntryPages;
  readonly #catalogue: SharedCatalogue;
  readonly #claims = new SharedStatements(claimsAtOnce, (sessions: readonly SessionId[]) =>
    this.#claimEach(sessions),
  );
  readonly #lease: Lease;
  readonly shared: SharedHosts & { readonly own: LinkTable };
  readonly signIns: DatabaseSignIns;
  readonly #links: LinkTable;
  readonly #stateFiles: StateFiles | undefined;
  readonly states?: SharedStates;
  #head = 0;
  #closing: Promise<void> | undefined;

  private constructor(options: PostgresStoreOptions) {
    this.#options = options;
    this.#writing = new Connection(options.url);
    this.#following = new Connection(options.url);
    this.#settling = new Connection(options.url);
    this.connection = new Connection(options.url);
    this.#leasing = new Connection(options.url, leaseAnswerTime);
    this.#lease = new Lease({
      ...options,
      connection: this.#leasing,
      onBeat: () => this.#followOthers(),
    });
    const me = () => this.#lease.id;
    this.#commits = new Commits({
      connection: this.#writing,
      me,
      patience: options.patience ?? commitPatience,
      waits: (error) => options.report(this.#failure(error, 'Storing entries'), 'a commit that waits'),
    });
    this.#pages = new EntryPages(this.connection);
    this.#news = new EntryPages(this.#following);
    this.#catalogue = new SharedCatalogue({ connection: this.connection, settling: this.#settling, me });
    this.#stateFiles = options.states === undefined ? undefined : this.#filesIn(options.states);
    if (this.#stateFiles)
      this.states = new SharedStates({
        files: this.#stateFiles,
        query: (query) => this.#run('Keeping states', () => this.connection.query(query)),
        me,
        report: options.report,
      });
    this.signIns = new DatabaseSignIns({ ...options, connection: this.#settling });
    this.#links = new LinkTable({ connection: this.#settling, me, name: options.name });
    this.shared = {
      name: options.name,
      own: this.#links,
      signIns: this.signIns,
      holders: () => this.holders(),
      links: this.#links.links,
      claim: (session) => this.#run('Claiming a session', () => this.#claim(session)),
      claimFree: (sessions) => this.#run('Claiming sessions', () => this.#claimFree(sessions)),
      ownerOf: (session) => this.#run('Asking for an owner', () => this.#catalogue.ownerOf(session)),
      reserve: (pos) => this.#run('Reserving positions', () => this.#reserve(pos)),
      release: (session) => this.#run('Giving up a session', () => this.#catalogue.release(session)),
      follow: (follower) => this.#catalogue.follow(follower),
    };
  }

  static async open(options: PostgresStoreOptions): Promise<PostgresStore> {
    const store = new PostgresStore(options);
    try {
      await prepareDatabase(store.connection, options.report);
      await store.#lease.take();
      await store.#seeHead();
      await store.#catalogue.load();
      await store.signIns.refresh();
      return store;
    } catch (error) {
      await store.#lease.stop();
      await store.#disconnect();
      throw databaseError(error, 'Opening the store', options.shown);
    }
  }

  summaries(): readonly Summary[] {
    return this.#catalogue.summaries();
  }

  /** Those that no other host is at work on. */
  unfinished(): readonly SessionId[] {
    return this.#catalogue
      .summaries()
      .filter((summary) => isUnfinished(summary) && !this.#catalogue.isForeign(summary.id))
      .map(({ id }) => id);
  }

  head(): number {
    return this.#head;
  }

  /** Nobody else gets this position, so numbers that belong to it are greater than those of all others. */
  async takePosition(): Promise<number> {
    return this.#run('Asking for positions', async () => {
      const [[head] = []] = await this.#settling.query({
        name: 'take',
        text:
          'UPDATE parley.meta SET head = greatest(head, (SELECT max(pos) FROM parley.entries)) + 1 ' +
          'RETURNING head',
      });
      this.#head = Math.max(this.#head, Number(head ?? 0));
      return this.#head;
    });
  }

  async *read(session: SessionId, after = 0, how?: ReadHow): AsyncGenerator<Entry> {
    const vouched = () => this.#catalogue.vouched(session);
    const pages = how === 'news' ? this.#news : this.#pages;
    const most = how === 'one' ? 1 : undefined;
    try {
      for await (const piece of pages.pieces(session, { after, vouched, most })) {
        this.#seePositions(piece);
        yield* piece;
      }
    } catch (error) {
      if (!(error instanceof LogDamage)) throw this.#failure(error, 'Reading the log');
      this.#remember(session, error);
      throw error;
    }
    if (after === 0) this.#remember(session, undefined);
  }

  async write(batch: Batch): Promise<void> {
    const refused = await this.#run('Storing entries', () => this.#commits.store(batch));
    const isStored = (session: SessionId) => !refused?.sessions.has(session);
    this.#seePositions(batch.entries.filter(({ session }) => isStored(session)).map(({ entry }) => entry));
    for (const summary of batch.summaries) if (isStored(summary.id)) this.#catalogue.put(summary);
    if (refused) throw new TakenOver(refused.sessions, this.#failure(refused.cause, 'Storing entries'));
  }

  /** The positions of a removed session stay used. */
  async remove(session: SessionId): Promise<void> {
    await this.#run('Removing a session', () =>
      this.#writing.query({
        text: 'SELECT parley.remove_1($1, $2, $3)',
        values: [this.#lease.id, session, this.#head],
      }),
    );
    this.#catalogue.forget(session);
    await this.#stateFiles?.remove(session);
  }

  /** Other hosts may have removed sessions while this one was off. */
  async warm(): Promise<void> {
    await this.#stateFiles?.keepOnly(this.#catalogue.summaries().map(({ id }) => id));
  }

  async verify(): Promise<readonly StoreDamage[]> {
    const findings: StoreDamage[] = [];
    for (const row of this.#catalogue.summaries()) {
      const { id } = row;
      let state = emptyState(id);
      const damaged = ({ seq, message }: LogDamage) =>
        findings.push({ part: 'log', session: id, seq, problem: message });
      const before = findings.length;
      for await (const entry of entriesAround(this, id, damaged)) state = reduce(state, entry);
      if (
        findings.length === before &&
        row.seq <= state.seq &&
        !this.#isDerived(row, state.seq, summarize(state))
      )
        findings.push({ part: 'catalogue', session: id, problem: 'The row does not match the entries.' });
    }
    // The damage is to be seen when the session is opened.
    for (const { session } of findings) if (session !== undefined) await this.states?.remove(session);
    return findings;
  }

  /** Who has a lease on this database, with the number of sessions that each one owns. */
  holders(): Promise<readonly LeaseHolder[]> {
    return this.#run('Asking for the hosts', () => this.#lease.holders());
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** A row is written with the entries that change it, so later pieces of a stream may be missing in it. */
  #isDerived(row: Summary, seq: number, derived: Summary): boolean {
    return row.seq < seq || isSameSummary(row, derived);
  }

  async #close(): Promise<void> {
    this.#links.links.close();
    await this.states?.close();
    await this.#lease.end();
    await this.#disconnect();
  }

  async #disconnect(): Promise<void> {
    const all = [this.#writing, this.#following, this.#settling, this.connection, this.#leasing];
    await Promise.all(all.map((each) => each.close()));
  }

  #filesIn(directory: string): StateFiles {
    const { report } = this.#options;
    const isWanted = (session: SessionId) => this.#catalogue.isSound(session);
    const states = new StateFiles({ directory, isWanted, report });
    this.#catalogue.follow((change) => {
      if (change.kind === 'removed') void states.remove(change.session);
    });
    return states;
  }

  async #claim(session: SessionId): Promise<SessionOwner | undefined> {
    const { owner, filled } = await this.#claims.ask(session);
    if (!owner) await filled;
    return owner;
  }

  /** One of which nobody can say whose it is has changed its owner in this very moment. */
  async #claimEach(sessions: readonly SessionId[]): Promise<readonly Claimed[]> {
    const claimed = new Map<SessionId, Claimed>();
    for (let left = sessions; left.length > 0; left = sessions.filter((id) => !claimed.has(id))) {
      const { ours, owners, exist } = await this.#catalogue.claim(left);
      const taken = await this.#takeOver(ours);
      for (const id of ours) claimed.set(id, taken);
      for (const [id, owner] of owners) claimed.set(id, { owner });
      // A session that does not exist yet belongs to whoever writes its first entry.
      for (const id of left) if (!exist.has(id)) claimed.set(id, {});
      if (claimed.size < sessions.length) await delay(claimPause);
    }
    return sessions.map((id) => claimed.get(id) ?? {});
  }

  async #claimFree(sessions: readonly SessionId[]): Promise<readonly SessionId[]> {
    const { ours } = await this.#catalogue.claim(sessions);
    // Turns that were cut off end without what others have stored for later ones.
    await this.#takeOver(ours);
    return ours;
  }

  /** Begins to bring what others have stored for these sessions. */
  async #takeOver(sessions: readonly SessionId[]): Promise<{ readonly filled?: Promise<void> | undefined }> {
    if (sessions.length === 0) return {};
    await this.#seeHead();
    return { filled: this.#options.onClaim?.(sessions) };
  }

  #seePositions(entries: readonly Entry[]): void {
    for (const { pos } of entries) if (pos > this.#head) this.#head = pos;
  }

  /** What this host shows of others is in no row of its own, so it keeps a block of positions for that. */
  async #reserve(pos: number): Promise<void> {
    await this.#settling.query({
      text: 'UPDATE parley.meta SET head = greatest(head, $1)',
      values: [pos],
    });
  }

  /** Positions never run backwards, also behind another host. */
  async #seeHead(): Promise<void> {
    const [[head] = []] = await this.#settling.query({
      text: 'SELECT greatest((SELECT head FROM parley.meta), (SELECT max(pos) FROM parley.entries))',
    });
    this.#head = Math.max(this.#head, Number(head ?? 0));
  }

  async #followOthers(): Promise<void> {
    if (this.#closing) return;
    await this.#catalogue.followOthers();
    // The next beat asks again.
    await this.signIns.refresh().catch((error: unknown) => {
      if (!(error instanceof StoreError && error.code === 'unavailable')) throw error;
    });
    await this.#seeHead();
  }

  /** Damage is found when a log is read; the row remembers it, so that the list can tell without reading. */
  #remember(session: SessionId, damage: LogDamage | undefined): void {
    void this.#catalogue
      .mark(session, damage instanceof LogNewer ? undefined : damage?.message)
      .catch((error: unknown) => this.#options.report(error, 'storing rows of the catalogue'));
  }

  async #run<T>(doing: string, run: () => Promise<T>): Promise<T> {
    if (this.#closing) throw new StoreError('closed', `${doing} failed: the log is closed.`);
    try {
      return await run();
    } catch (error) {
      throw this.#failure(error, doing);
    }
  }

  #failure(error: unknown, doing: string): StoreError {
    return databaseError(error, doing, this.#options.shown);
  }
}
