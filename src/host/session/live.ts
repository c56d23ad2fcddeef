// A projection of a session that its subscribers share. A slow subscriber falls behind and
// catches up from the log.
import { coalesce } from '../../model/coalesce.ts';
import type { Entry, TurnId } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import type { State } from '../../model/state.ts';
import { cutTurns } from './cutTurns.ts';
import type { Session, Step } from './session.ts';

/** The messages for one entry; pure, so that live streaming and replay give the same result. */
export type Projection<M> = (step: Step) => readonly M[];

/** A subscriber. `ready` says whether it accepts more now; `whenReady` calls back once when it does again. */
export interface Sink<M> {
  deliver(messages: readonly M[]): void;
  ready(): boolean;
  whenReady(resume: () => void): void;
}

export class Live<M> {
  readonly #session: Session;
  readonly #project: Projection<M>;
  readonly #cursors = new Set<Cursor<M>>();
  #unfollow: (() => void) | undefined;
  /** The turns whose end was shown before it could be stored. */
  readonly #cut = new Set<TurnId>();

  constructor(session: Session, project: Projection<M>) {
    this.#session = session;
    this.#project = project;
  }

  /** Delivers everything after the current durable state; take the snapshot in the same step. */
  attach(sink: Sink<M>): () => void {
    const cursor: Cursor<M> = { sink, at: this.#session.state, behind: false };
    this.#cursors.add(cursor);
    this.#unfollow ??= this.#follow();
    return () => {
      this.#cursors.delete(cursor);
      if (this.#cursors.size > 0) return;
      this.#unfollow?.();
      this.#unfollow = undefined;
    };
  }

  #follow(): () => void {
    const unfollow = this.#session.follow((steps) => this.#publish(steps));
    const unloss = this.#session.onLoss((cause) => this.#showCut(cause));
    return () => {
      unfollow();
      unloss();
    };
  }

  /** Every attempt to store the end of a turn may fail; its clients are told once. */
  #showCut(cause: unknown): void {
    const steps = cutTurns(this.#session, cause).filter(({ entry: { event } }) => {
      if (event.kind !== 'turn.ended' || this.#cut.has(event.turn)) return false;
      this.#cut.add(event.turn);
      return true;
    });
    const messages = steps.flatMap((step) => this.#project(step));
    if (messages.length === 0) return;
    for (const { sink, behind } of this.#cursors) if (!behind && sink.ready()) sink.deliver(messages);
  }

  #publish(steps: readonly Step[]): void {
    let messages: readonly M[] | undefined;
    const after = steps.at(-1)?.after;
    for (const cursor of this.#cursors) {
      if (cursor.behind || !after) continue;
      if (!cursor.sink.ready()) {
        this.#fallBehind(cursor);
        continue;
      }
      messages ??= steps.flatMap((step) => this.#project(step));
      cursor.at = after;
      if (messages.length > 0) cursor.sink.deliver(messages);
    }
  }

  #fallBehind(cursor: Cursor<M>): void {
    cursor.behind = true;
    cursor.sink.whenReady(() => void this.#catchUp(cursor));
  }

  /** Reads the missed entries from the log, merged, until it has reached the newest one. */
  async #catchUp(cursor: Cursor<M>): Promise<void> {
    while (this.#cursors.has(cursor) && cursor.at.seq < this.#session.state.seq) {
      if (!cursor.sink.ready()) return this.#fallBehind(cursor);
      const missed = await missedSteps([{ session: this.#session, at: cursor.at }]);
      const last = missed.at(-1);
      if (!this.#cursors.has(cursor) || !last) return;
      cursor.at = last.step.after;
      const messages = missed.flatMap(({ step }) => this.#project(step));
      if (messages.length > 0) cursor.sink.deliver(messages);
    }
    cursor.at = this.#session.state;
    cursor.behind = false;
  }
}

interface Cursor<M> {
  readonly sink: Sink<M>;
  at: State;
  behind: boolean;
}

/** How many entries a late subscriber reads at a time. */
const portion = 4_096;

/** A subscriber that has been sent everything up to a state of a session. */
export interface LateSubscriber {
  readonly session: Session;
  readonly at: State;
}

export interface MissedStep<Subscriber> {
  readonly subscriber: Subscriber;
  readonly step: Step;
}

/**
 * The next steps that late subscribers have missed, merged, in the order of their positions over all
 * sessions. The one way from stored entries to live ones. `isSeenInPart` keeps the first entry from being
 * merged with what came after it.
 */
export async function missedSteps<Subscriber extends LateSubscriber>(
  subscribers: readonly Subscriber[],
  isSeenInPart: (entry: Entry) => boolean = () => false,
): Promise<readonly MissedStep<Subscriber>[]> {
  const read = await Promise.all(
    subscribers.map(async (subscriber) => ({ subscriber, entries: await entriesAfter(subscriber) })),
  );
  const ends = read.flatMap(({ entries }) => (entries.length < portion ? [] : (entries.at(-1)?.pos ?? [])));
  const end = Math.min(Number.POSITIVE_INFINITY, ...ends);
  return read
    .flatMap(({ subscriber, entries }) => {
      const [first, ...rest] = entries.filter(({ pos }) => pos <= end);
      if (!first) return [];
      const merged = isSeenInPart(first) ? [first, ...coalesce(rest)] : coalesce([first, ...rest]);
      return stepsFrom(subscriber.at, merged).map((step) => ({ subscriber, step }));
    })
    .toSorted((a, b) => a.step.entry.pos - b.step.entry.pos);
}

async function entriesAfter({ session, at }: LateSubscriber): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.entries(at.seq)) if (entries.push(entry) >= portion) break;
  return entries;
}

function stepsFrom(start: State, entries: Iterable<Entry>): readonly Step[] {
  let after = start;
  return [...entries].map((entry) => {
    const before = after;
    after = reduce(before, entry);
    return { entry, before, after };
  });
}

/**
 * One live projection per session: `const liveOf = shareLive(project)`, then `liveOf(session).attach(sink)`.
 */
export function shareLive<M>(project: Projection<M>): (session: Session) => Live<M> {
  const lives = new WeakMap<Session, Live<M>>();
  return (session) => {
    const live = lives.get(session) ?? new Live(session, project);
    lives.set(session, live);
    return live;
  };
}
