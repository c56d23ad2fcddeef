// The only writer of one log: decides commands, appends events, and publishes them when they are durable.
// While another host owns the log, commands are forwarded to that host and its entries are published here.
import { isRejection, reject } from '../../model/command.ts';
import { EditChecks } from './editChecks.ts';
import { ForwardedCommands } from '../ownership/forwardedCommands.ts';
import type { Carry } from '../ownership/forwardedCommands.ts';
import type { Command, Rejection } from '../../model/command.ts';
import { decide } from '../../model/decide.ts';
import { withRuleOrigin } from '../../model/decideAsk.ts';
import type { Entry, Origin, SessionId } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { CutTurns } from './cutTurns.ts';
import type { Journal, JournalSession } from './journal.ts';
import { LogDamage, LogNewer, NotStored, NotCarriedOut } from './logStore.ts';
import type { LogPorts } from './logStore.ts';
import type { Knowledge } from '../settings/projectKnowledge.ts';
import { entriesAfter } from './damagedLog.ts';
import { foldUntil, keptTurns } from './foldLog.ts';
import type { LogPoint } from './foldLog.ts';
import { refuseForwarding } from '../ownership/forwardable.ts';
import { withPreparation } from './turnPreparation.ts';
import { summarize } from './summary.ts';
import type { Summary } from './summary.ts';

/** One durable entry with the states around it: all a projection needs. */
export interface Step {
  readonly entry: Entry;
  readonly before: State;
  readonly after: State;
}

/** An event from another log; the session gives it a new number. */
export type ImportedEvent = Pick<Entry, 'at' | 'by' | 'event'>;

export type Follower = (steps: readonly Step[]) => void;

/** Sessions without client followers leave memory when too many are open. */
type Watcher = 'client' | 'host';

interface Waiter {
  readonly seq: number;
  readonly done: () => void;
  readonly failed: (cause: unknown) => void;
}

/** Knowledge says which hooks a turn has to wait for. */
interface SessionPorts extends LogPorts {
  readonly knowledge?: Pick<Knowledge, 'hooks'> | undefined;
}

export interface SessionOptions {
  readonly state: State;
  readonly ports: SessionPorts;
  readonly journal: Journal;
  readonly unreadable?: LogDamage | undefined;
  /** Refuses commands for reasons that are not in the log, such as the settings. */
  readonly check?: (command: Command, head: State, by: Origin) => Rejection | undefined;
}

export class Session {
  readonly #ports: SessionPorts;
  readonly #journal: Journal;
  readonly #check: NonNullable<SessionOptions['check']>;
  readonly #writer: JournalSession;
  readonly #followers = new Map<Follower, Watcher>();
  readonly #losses = new Set<(cause: unknown) => void>();
  #shown: State;
  #head: State;
  #pending: Step[] = [];
  #waiters: Waiter[] = [];
  /** Present while another host owns the log. */
  #forwarded: ForwardedCommands | undefined;
  /** The positions under which this host has published entries of other hosts, by their numbers. */
  readonly #relayed = new Map<number, number>();
  /** Why the last write failed; undefined after one that succeeded. */
  #loss: NotStored | undefined;
  readonly #cut = new CutTurns();
  /** The states before the last turns, for clients that come back. They share most of what they have. */
  #beforeTurns: readonly State[] = [];
  #isClosed = false;
  /** When this process has opened it; positions from before mean nothing to a host that shares its store. */
  readonly openedAt: number;
  /** Where the folders of the session led when this process first used them. */
  readonly places = new Map<string, string>();
  /** Checks arguments that users changed, for the questions that are open. */
  readonly edits = new EditChecks();
  /** Why the log could not be read to its end; such a session is read-only. */
  readonly unreadable: LogDamage | undefined;

  constructor(options: SessionOptions) {
    this.#shown = options.state;
    this.#head = options.state;
    this.#ports = options.ports;
    this.#journal = options.journal;
    this.openedAt = options.ports.clock.elapsed();
    this.#check = options.check ?? (() => undefined);
    this.unreadable = options.unreadable;
    this.#writer = {
      id: options.state.id,
      summary: () => this.summary(this.#head),
      stored: (count) => this.#stored(count),
      lost: (cause) => this.#lost(cause),
    };
  }

  get id(): SessionId {
    return this.#shown.id;
  }

  /** The durable state; clients see this one. */
  get state(): State {
    return this.#shown;
  }

  /** The state decisions are made on; its newest entries may not be durable yet. */
  get head(): State {
    return this.#head;
  }

  /** The name of the host that owns the log, if it is another one. */
  get owner(): string | undefined {
    return this.#forwarded?.owner;
  }

  /** Whether clients see entries under positions that only this process knows, now or soon. */
  get isRenumbered(): boolean {
    return this.#forwarded !== undefined || this.#relayed.size > 0;
  }

  /** The number of the last entry that this host knows; it may not be published yet. */
  get known(): number {
    return this.#tail.seq;
  }

  /** Whether a client follows it. */
  get isWatched(): boolean {
    return [...this.#followers.values()].includes('client');
  }

  /** Undefined if its agent may go on; else resolves when the store has caught up. */
  room(): Promise<void> | undefined {
    return this.#journal.backlog.room();
  }

  get settledNow(): boolean {
    return this.#pending.length === 0 && this.#forwarded?.last === undefined;
  }

  summary(state: State = this.#shown): Summary {
    if (!this.unreadable) return summarize(state);
    return {
      ...summarize(state),
      ...(this.unreadable instanceof LogNewer ? { newer: true } : { damage: this.unreadable.message }),
    };
  }

  /** Why nothing can be changed: the log could not be read to its end, or the session has left memory. */
  get readOnly(): Rejection | undefined {
    if (this.#isClosed) return reject('wrong-state', 'The session was closed meanwhile. Open it again.');
    return this.unreadable && refusalOf(this.unreadable);
  }

  /** No agent works on it here any more, and another one may write its log. */
  close(): void {
    this.#isClosed = true;
  }

  /** Decides immediately; the events are published when they are durable. */
  dispatch(command: Command, by: Origin): Rejection | undefined {
    if (this.readOnly) return this.readOnly;
    const refused = this.#check(command, this.#head, by) ?? this.#refuseAfterLoss(command);
    if (refused) return refused;
    const decision = decide(this.#head, command);
    // Clients were shown the end of a turn that still runs for us, because the end could not be stored.
    if (isRejection(decision)) return this.#loss ? reject(decision.rejected, this.#loss.message) : decision;
    const cut = command.kind === 'queueMessage' && this.#head.chats[command.chat]?.active?.id;
    const problem = this.#cut.problemOf(cut || undefined);
    // Nothing comes after that turn: its end will hold the queue, and nobody is told that end again.
    if (problem !== undefined) return reject('turn-active', problem);
    if (this.#forwarded) return this.#forward(this.#forwarded, command, by);
    const at = this.#ports.clock.now();
    const events = withPreparation(
      this.#head,
      command.kind === 'answer' ? withRuleOrigin(decision, this.#head.rules, { by, at }) : decision,
      () => this.#ports.knowledge?.hooks(this.#head.roots) ?? [],
    );
    this.adopt(events.map((event) => this.#cut.asShown({ at, by, event })));
    return undefined;
  }

  #refuseAfterLoss(command: Command): Rejection | undefined {
    const isLate = command.kind === 'report' && this.#cut.has(command.turn);
    return isLate
      ? reject('no-turn', 'That turn was cut off because something could not be stored.')
      : undefined;
  }

  /** Another host owns the log from now on. Everything of this host is stored. */
  leaveTo(owner: () => string, carry: Carry): void {
    this.#forwarded = new ForwardedCommands({
      owner,
      carry,
      reached: (seq) => this.#reached(seq),
      refused: (rejection) => new NotCarriedOut(rejection),
      changed: () => this.#predict(),
    });
  }

  /** This host owns the log from now on. Everything of the other host is published. */
  comeHome(): void {
    this.#forwarded = undefined;
    this.#head = this.#tail;
  }

  /**
   * Publishes entries that another host has stored. They get positions of this host, so that clients never
   * see one that is lower than an earlier one.
   */
  relay(entries: readonly Entry[]): void {
    for (const stored of entries) {
      const before = this.#tail;
      if (stored.seq !== before.seq + 1) continue;
      const entry = this.#journal.relay(this.#writer, (pos) => ({ ...stored, pos }));
      this.#relayed.set(entry.seq, entry.pos);
      this.#pending.push({ entry, before, after: reduce(before, entry) });
    }
    this.#predict();
  }

  /** Appends events that were decided elsewhere. */
  adopt(past: readonly ImportedEvent[]): void {
    if (this.#forwarded) throw new Error(`The host ${this.#forwarded.owner} writes the log of ${this.id}.`);
    for (const { at, by, event } of past) {
      const before = this.#head;
      const entry = this.#journal.append(
        this.#writer,
        (pos) => ({ seq: before.seq + 1, pos, at, by, event }),
        event.kind,
      );
      const after = reduce(before, entry);
      this.#head = after;
      this.#pending.push({ entry, before, after });
    }
  }

  /** Resolves when everything dispatched so far is durable and published; rejects with NotStored. */
  settled(): Promise<void> {
    return this.#forwarded?.last ?? this.#reached(this.#tail.seq);
  }

  /** Resolves when everything is published that this host knows of the log. */
  published(): Promise<void> {
    return this.#reached(this.#tail.seq);
  }

  /** Calls back with every batch of durable entries from now on; the returned function ends it. */
  follow(follower: Follower, who: Watcher = 'client'): () => void {
    this.#followers.set(follower, who);
    return () => void this.#followers.delete(follower);
  }

  /** The durable entries after a sequence number; merged ones end before one that is durable in part. */
  async *entries(after = 0, merged?: 'merged'): AsyncGenerator<Entry> {
    const last = this.#shown.seq;
    for await (const entry of entriesAfter(this.#ports.store, this.id, { after, merged })) {
      if (entry.seq > last) return;
      yield this.#asShown(entry);
    }
  }

  /** With the position under which clients of this host have seen it. */
  #asShown<At extends LogPoint>(entry: At): At {
    const pos = this.#relayed.get(entry.seq);
    return pos === undefined ? entry : { ...entry, pos };
  }

  /** The state before the first durable entry that is behind a point of the log. */
  async stateBefore(isBehind: (at: LogPoint) => boolean): Promise<State> {
    const from = this.#beforeTurns.findLast((state) => !isBehind(state));
    try {
      if (!this.unreadable)
        return await foldUntil(this.#ports.store, this.id, {
          isBehind: (entry) => isBehind(this.#asShown(entry)),
          from,
        });
    } catch (error) {
      if (!(error instanceof LogDamage)) throw error;
    }
    let state = emptyState(this.id);
    for await (const entry of this.entries()) {
      if (isBehind(entry)) break;
      state = reduce(state, entry);
    }
    return state;
  }

  /** The newest entry, decided here or stored elsewhere. */
  get #tail(): State {
    return this.#pending.at(-1)?.after ?? this.#shown;
  }

  #reached(seq: number): Promise<void> {
    if (this.#shown.seq >= seq) return Promise.resolve();
    return new Promise((done, failed) => this.#waiters.push({ seq, done, failed }));
  }

  #forward(forwarded: ForwardedCommands, command: Command, by: Origin): Rejection | undefined {
    const refused = refuseForwarding(command, by, forwarded.owner);
    if (refused) return refused;
    forwarded.add(command, by);
    this.#predict();
    return undefined;
  }

  #predict(): void {
    if (this.#forwarded) this.#head = this.#forwarded.predict(this.#tail, this.#ports.clock.now());
  }

  #stored(count: number): void {
    const steps = this.#pending.splice(0, count);
    const last = steps.at(-1);
    if (!last) return;
    this.#shown = last.after;
    this.#loss = undefined;
    for (const { entry } of steps) this.#cut.stored(entry);
    const begun = steps.filter(({ entry }) => entry.event.kind === 'turn.started');
    if (begun.length > 0)
      this.#beforeTurns = [...this.#beforeTurns, ...begun.map(({ before }) => before)].slice(-keptTurns);
    for (const follower of [...this.#followers.keys()]) {
      try {
        follower(steps);
      } catch (error) {
        this.#ports.report(error, `a follower of session ${this.id}`);
      }
    }
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ seq }) => seq > last.entry.seq);
    for (const { seq, done } of waiters) if (seq <= last.entry.seq) done();
  }

  #lost(cause: unknown): void {
    this.#pending = [];
    this.#head = this.#shown;
    const waiters = this.#waiters;
    this.#waiters = [];
    this.#loss = new NotStored(cause);
    for (const { failed } of waiters) failed(this.#loss);
    this.#cut.cut(this.#shown, cause, this.#ports.clock.now());
    for (const listener of this.#losses) listener(cause);
  }

  /** The ends of turns that a failed write has cut off, until they are stored; no log holds these steps. */
  cutTurns(): readonly Step[] {
    return this.#cut.steps(this);
  }

  /** Calls back when entries could not be stored and were dropped. */
  onLoss(listener: (cause: unknown) => void): () => void {
    this.#losses.add(listener);
    return () => void this.#losses.delete(listener);
  }
}

function refusalOf(why: LogDamage): Rejection {
  if (why instanceof LogNewer)
    return reject(
      'newer',
      'A newer version of Parley wrote this session, so it is read-only here. Update Parley to continue it.',
    );
  return reject('damaged', `The log of this session is damaged, so it is read-only: ${why.message}`);
}
