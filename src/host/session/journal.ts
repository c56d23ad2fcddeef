// Batches the entries that all sessions append and stores each batch in one commit. Knows about events only
// how durable they must be.
import type { Entry, EventKind, SessionId } from '../../model/event.ts';
import { Backlog } from './backlog.ts';
import { TakenOver } from './logStore.ts';
import type { LogPorts } from './logStore.ts';
import type { Summary } from './summary.ts';

/** What the journal needs of a session. */
export interface JournalSession {
  readonly id: SessionId;
  /** The catalogue row after everything appended so far. */
  summary(): Summary;
  /** The next `count` appended entries are durable. */
  stored(count: number): void;
  /** Everything appended since the last stored entry was lost. */
  lost(cause: unknown): void;
}

export interface StoredCounts {
  readonly commits: number;
  readonly failures: number;
  readonly entries: number;
  /** How long all commits took together. */
  readonly milliseconds: number;
}

export class Journal {
  readonly #ports: LogPorts;
  #pos: number;
  #shown: number;
  /** Up to here positions are kept for entries of other hosts. */
  #reserved = 0;
  /** How many positions the next reservation is for. */
  #wanted = 0;
  #reserving: Promise<void> | undefined;
  #advancing: Promise<void> | undefined;
  /** Set while the store owes a position, also between two tries; takes back that clients are told. */
  #asking: (() => void) | undefined;
  #waiting: Waiting[] = [];
  /** Pieces of streams with positions below the floor; they wait for no sync. */
  #passing: Waiting[] = [];
  /** The first entry that waits for the disk. Other sessions may use the positions from `next` up to it. */
  #floor: { readonly pos: number; next: number } | undefined;
  /** The first entry of the commit under way that waits for the disk. */
  #syncing: Waiting | undefined;
  /** The newest position of each session that has written. */
  readonly #last = new WeakMap<JournalSession, number>();
  /** The two sessions that have streamed last. */
  #streamers: readonly { readonly writer: JournalSession; readonly at: number }[] = [];
  /** Cancels the scheduled flush. */
  #recall: (() => void) | undefined;
  #coming: 'soon' | 'later' | undefined;
  #flushedAt = 0;
  #writing: Promise<void> | undefined;
  readonly backlog = new Backlog();
  #stored: StoredCounts = { commits: 0, failures: 0, entries: 0, milliseconds: 0 };

  constructor(ports: LogPorts) {
    this.#ports = ports;
    this.#pos = ports.store.head();
    this.#shown = this.#pos;
  }

  /** The newest position that is stored and published, like all before it. */
  get shown(): number {
    // Nothing of ours is on its way, so everything up to what other hosts have used is published.
    if (!this.#isBusy) this.#shown = Math.max(this.#shown, this.#ports.store.head());
    return this.#shown;
  }

  /** What was stored since the start of the process. */
  get stored(): StoredCounts {
    return this.#stored;
  }

  /** The newest position in use. */
  get pos(): number {
    return this.#pos;
  }

  get #next(): number {
    return Math.max(this.#pos, this.#ports.store.head()) + 1;
  }

  /**
   * Stores an entry of a session with the next position. Positions are published in their order. A piece of a
   * stream gets one before the entries of others that still wait for the disk, if some are left there.
   */
  append(writer: JournalSession, make: (pos: number) => Entry, kind: EventKind): Entry {
    const isPiece = streamed.has(kind);
    if (isPiece) this.#noteStreamer(writer);
    const floor = isPiece ? this.#roomFor(writer) : undefined;
    const from = this.#next;
    const pos = floor?.next ?? (isPiece || !this.#othersStream(writer) ? from : from + room);
    const entry = make(pos);
    this.#last.set(writer, pos);
    this.backlog.add(entry);
    if (floor) {
      floor.next += 1;
      this.#passing.push({ writer, entry, from: pos });
    } else {
      this.#pos = pos;
      this.#waiting.push({ writer, entry, from });
      if (!isPiece) this.#floor ??= { pos, next: from };
    }
    this.#schedule(isPiece && this.#waiting.length + this.#passing.length < fullBatch ? 'later' : 'soon');
    return entry;
  }

  #roomFor(writer: JournalSession): { readonly pos: number; next: number } | undefined {
    const floor = this.#floor;
    if (!floor || floor.next >= floor.pos) return undefined;
    return (this.#last.get(writer) ?? 0) < floor.next ? floor : undefined;
  }

  #noteStreamer(writer: JournalSession): void {
    const other = this.#streamers.find((each) => each.writer !== writer);
    this.#streamers = [{ writer, at: this.#ports.clock.elapsed() }, ...(other ? [other] : [])];
  }

  /** Whether another session streams, and may do so while the disk works. */
  #othersStream(writer: JournalSession): boolean {
    if (this.#ports.store.shared) return false;
    const since = this.#ports.clock.elapsed() - lately;
    return this.#streamers.some((each) => each.writer !== writer && each.at >= since);
  }

  /**
   * To be called before entries are relayed, until it returns undefined: no other host shows a position that
   * is lower than theirs to a client that has seen them here.
   */
  makeRoom(count: number): Promise<void> | undefined {
    if (this.#next + count - 1 <= this.#reserved) return undefined;
    this.#wanted += count;
    this.#reserving ??= this.#reserve().finally(() => {
      this.#wanted = 0;
      this.#reserving = undefined;
    });
    return this.#reserving;
  }

  /**
   * One reservation is for all who want one at this time. If each made its own, the last would find its
   * positions used when it has them.
   */
  async #reserve(): Promise<void> {
    await Promise.resolve();
    const pos = this.#next + this.#wanted + block;
    await this.#ports.store.shared?.reserve(pos);
    this.#reserved = Math.max(this.#reserved, pos);
  }

  /**
   * Resolves when everything that this host shows from then on has a greater position than all that any host
   * has shown before the call, so that a client of another one may come here.
   */
  async passOthers(): Promise<void> {
    if (this.#ports.store.shared) await this.#skip();
  }

  /** Resolves when `shown` is greater than at the call, be it without an entry. */
  advance(): Promise<void> {
    const { store, clock } = this.#ports;
    if (store.shared) this.#asking ??= clock.after(longWait, () => this.backlog.tell(true));
    this.#advancing ??= this.#skip()
      .then(() => this.#answered())
      .finally(() => {
        this.#advancing = undefined;
      });
    return this.#advancing;
  }

  /** The store has given a position. A commit under way tells clients itself how it ends. */
  #answered(): void {
    this.#asking?.();
    this.#asking = undefined;
    if (!this.#writing) this.backlog.tell(false);
  }

  async #skip(): Promise<void> {
    const pos = await this.#ports.store.takePosition();
    const last = this.#pos;
    while (this.#shown < last && this.#isBusy) {
      if (this.#writing) await this.#writing;
      else this.#flush();
    }
    this.#shown = Math.max(this.#shown, pos);
  }

  /**
   * Publishes an entry that another host has stored, with a position of this host. It waits for entries of
   * this host that have earlier positions.
   */
  relay(writer: JournalSession, make: (pos: number) => Entry): Entry {
    const pos = this.#next;
    this.#pos = pos;
    const entry = make(pos);
    this.#waiting.push({ writer, entry, from: pos, isStored: true });
    this.#schedule('soon');
    return entry;
  }

  get #isBusy(): boolean {
    return this.#waiting.length > 0 || this.#passing.length > 0 || this.#writing !== undefined;
  }

  /** Resolves when everything appended before the call is stored or lost. */
  async drain(): Promise<void> {
    while (this.#isBusy) {
      if (this.#writing) await this.#writing;
      else this.#flush();
    }
  }

  /**
   * A single piece of a stream is stored immediately; pieces in quick succession share a commit
   * every few milliseconds. On a database they also share the next one while one is under way.
   */
  #schedule(when: 'soon' | 'later'): void {
    if (this.#writing && this.#passing.length === 0) return;
    if (this.#coming === 'soon' || this.#coming === when) return;
    const { clock, store } = this.#ports;
    const interval = store.shared ? sharedInterval : ownInterval;
    const left = this.#flushedAt + interval - clock.elapsed();
    const later = when === 'later' && left > 0;
    this.#recall?.();
    this.#recall = undefined;
    this.#coming = later ? 'later' : 'soon';
    // A commit of a database takes its time as well.
    if (later) this.#recall = clock.after(store.shared ? left : interval, () => this.#flush());
    else clock.defer(() => this.#flush());
  }

  #flush(): void {
    this.#recall?.();
    this.#recall = undefined;
    this.#coming = undefined;
    if (this.#writing) return this.#flushPassing();
    const durable = this.#waiting.findIndex(isDurable);
    const before = durable < 0 ? this.#waiting : this.#waiting.slice(0, durable);
    const rest = this.#waiting.slice(before.length);
    const [first] = rest;
    // What others may pass does not wait for the disk; otherwise everything shares one commit.
    if (!first || first.from < first.entry.pos) {
      this.#waiting = rest;
      this.#passing = [...before, ...this.#passing].toSorted((a, b) => a.entry.pos - b.entry.pos);
      this.#flushPassing();
    }
    if (this.#writing || this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    this.#commit(batch);
  }

  /** Everything here has smaller positions than what waits for the disk. */
  #flushPassing(): void {
    const batch = this.#passing;
    this.#passing = [];
    if (batch.length > 0) this.#commit(batch);
  }

  #commit(batch: readonly Waiting[]): void {
    const { store, clock } = this.#ports;
    const began = clock.elapsed();
    this.#flushedAt = began;
    const fresh = batch.filter(({ isStored }) => !isStored);
    this.backlog.remove(fresh.map(({ entry }) => entry));
    const counts = countsOf(fresh);
    const relayed = fresh.length < batch.length ? countsOf(batch.filter(({ isStored }) => isStored)) : counts;
    const last = batch.at(-1)?.entry.pos ?? this.#shown;
    if (fresh.length === 0) return this.#publish(relayed, last);
    const entries = fresh.map(({ writer, entry }) => ({ session: writer.id, entry }));
    const sync = batch.some(isDurable) ? 'disk' : 'kernel';
    const settleFor = (kept: typeof counts) => {
      this.#publish(kept, last);
      this.#count(kept, began);
    };
    const settle = () => {
      settleFor(counts);
      if (relayed !== counts) this.#publish(relayed, last);
    };
    const fail = (error: unknown) => {
      const isLost = (writer: JournalSession) =>
        !(error instanceof TakenOver) || error.sessions.has(writer.id);
      const kept = countsWhere(counts, (writer) => !isLost(writer));
      if (kept.size > 0) settleFor(kept);
      this.#fail(countsWhere(counts, isLost), error);
      if (relayed !== counts) this.#publish(relayed, last);
    };
    if (sync === 'disk') this.#syncing = batch.find(isDurable);
    try {
      const summaries = sync === 'disk' ? [...counts.keys()].map((writer) => writer.summary()) : [];
      const pending = store.write({ entries, summaries, sync });
      if (!pending) return this.#ended(sync, settle);
      // A disk of this machine that is slow is not away.
      const recall = store.shared && clock.after(longWait, () => this.backlog.tell(true));
      const answered = pending.finally(() => {
        recall?.();
        this.backlog.tell(false);
      });
      this.#writing = answered.then(
        () => this.#ended(sync, settle),
        (error: unknown) => this.#ended(sync, () => fail(error)),
      );
    } catch (error) {
      this.#ended(sync, () => fail(error));
    }
  }

  /** What may pass the entries of a commit is published before them, and then others may pass the next. */
  #ended(sync: 'disk' | 'kernel', settle: () => void): void {
    if (sync === 'disk') {
      this.#flushPassing();
      this.#syncing = undefined;
      this.#findFloor();
    }
    // A commit for the kernel may have ended while another one waits for the disk.
    if (!this.#syncing) this.#writing = undefined;
    settle();
    if (this.#waiting.length > 0) this.#schedule(this.#waiting.every(isFreshPiece) ? 'later' : 'soon');
  }

  #findFloor(): void {
    const first = this.#syncing ?? this.#waiting.find(isDurable);
    if (first?.entry.pos !== this.#floor?.pos)
      this.#floor = first && { pos: first.entry.pos, next: first.from };
  }

  #publish(counts: ReadonlyMap<JournalSession, number>, last: number): void {
    for (const [writer, count] of counts) writer.stored(count);
    this.#shown = Math.max(this.#shown, last);
  }

  #count(counts: ReadonlyMap<JournalSession, number>, began: number): void {
    const fresh = [...counts.values()].reduce((sum, each) => sum + each, 0);
    const { commits, failures, entries, milliseconds } = this.#stored;
    this.#stored = {
      commits: commits + 1,
      failures,
      entries: entries + fresh,
      milliseconds: milliseconds + this.#ports.clock.elapsed() - began,
    };
  }

  /** Later entries were decided on the lost ones, so they are dropped too. */
  #fail(counts: ReadonlyMap<JournalSession, number>, cause: unknown): void {
    this.#ports.report(cause, 'storing entries');
    this.#stored = { ...this.#stored, failures: this.#stored.failures + 1 };
    const isLost = ({ writer }: Waiting) => counts.has(writer);
    this.backlog.remove([...this.#waiting, ...this.#passing].filter(isLost).map(({ entry }) => entry));
    this.#waiting = this.#waiting.filter((each) => !isLost(each));
    this.#passing = this.#passing.filter((each) => !isLost(each));
    this.#findFloor();
    for (const writer of counts.keys()) writer.lost(cause);
  }
}

interface Waiting {
  readonly writer: JournalSession;
  readonly entry: Entry;
  /** The positions from here up to its own are free for others. */
  readonly from: number;
  /** Another host has stored it already. */
  readonly isStored?: true;
}

function isFreshPiece({ entry, isStored }: Waiting): boolean {
  return !isStored && streamed.has(entry.event.kind);
}

function isDurable({ entry, isStored }: Waiting): boolean {
  return !isStored && !streamed.has(entry.event.kind);
}

function countsOf(batch: readonly Waiting[]): ReadonlyMap<JournalSession, number> {
  const counts = new Map<JournalSession, number>();
  for (const { writer } of batch) counts.set(writer, (counts.get(writer) ?? 0) + 1);
  return counts;
}

function countsWhere(
  counts: ReadonlyMap<JournalSession, number>,
  holds: (writer: JournalSession) => boolean,
): ReadonlyMap<JournalSession, number> {
  return new Map([...counts].filter(([writer]) => holds(writer)));
}

/** So many positions are reserved ahead for entries of other hosts. */
const block = 1_000;

/** Positions that an entry leaves free before it for what others stream until it is on the disk. */
const room = 1_024;

/** A session that has streamed within this time goes on, in milliseconds. */
const lately = 1_000;

/** Clients are told about a commit or a position that takes longer than this, in milliseconds. */
const longWait = 800;

/** How long pieces of a stream wait for each other, in milliseconds: a commit of a database costs more. */
const ownInterval = 2;
const sharedInterval = 3;

/** This many entries are flushed without waiting. */
const fullBatch = 512;

/**
 * Pieces of a stream: in the kernel's hands before they are shown, on disk soon after.
 * They change no summary.
 */
const streamed: ReadonlySet<EventKind> = new Set<EventKind>([
  'text.added',
  'tool.input',
  'tool.output',
  'usage.reported',
]);
