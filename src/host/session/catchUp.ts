// Brings a subscriber of one or several sessions up to date from their logs when it was too slow for the
// live messages.
import { coalesce } from '../../model/coalesce.ts';
import type { Entry } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import type { State } from '../../model/state.ts';
import type { Session, Step } from './session.ts';

export interface CatchUpOptions<Subscriber extends LateSubscriber> {
  /** The sessions that are followed now. */
  readonly followed: () => readonly Subscriber[];
  /** Whether the client accepts more now. */
  readonly ready: () => boolean;
  /** Takes the steps that were missed, and moves each `at` forward. */
  readonly deliver: (missed: readonly MissedStep<Subscriber>[]) => void;
  /** Told when the client is too slow: `resume` is to be called when it accepts more again. */
  readonly fellBehind?: () => void;
  /** Told whenever the client has caught up. */
  readonly live?: () => void;
}

/** How a client that comes back is brought up to date. */
export interface ReturnOptions<Subscriber> {
  /** Follows sessions from earlier states; false if that is impossible. */
  readonly begin: () => Promise<boolean>;
  /** Takes the steps that were missed, and moves each `at` forward; false if they are too many. */
  readonly take: (missed: readonly MissedStep<Subscriber>[]) => boolean;
  /** Keeps the first entry of a session from being merged with what came after it. */
  readonly isSeenInPart: (entry: Entry) => boolean;
  /** Called in the step in which the client gets live messages again. */
  readonly done: (isComplete: boolean) => void;
}

export class CatchUp<Subscriber extends LateSubscriber> {
  readonly #options: CatchUpOptions<Subscriber>;
  /**
   * Live messages are dropped while the client cannot take more, and while the log is read: they come
   * from there, in order.
   */
  #mode: 'live' | 'waiting' | 'reading' = 'live';
  #whenLive: (() => void)[] = [];

  constructor(options: CatchUpOptions<Subscriber>) {
    this.#options = options;
  }

  /** Begins behind: the subscriber first gets what it has missed. */
  begin(): void {
    this.#mode = 'waiting';
    if (this.#options.ready()) void this.resume();
    else this.#options.fellBehind?.();
  }

  get isLive(): boolean {
    return this.#mode === 'live';
  }

  /** Resolves when the client was sent everything that is durable; it may have fallen behind since. */
  caughtUp(): Promise<void> {
    return this.isLive ? Promise.resolve() : new Promise((resolve) => this.#whenLive.push(resolve));
  }

  /** Whether live messages are to be delivered now; those that are not are read from the log later. */
  accepts(): boolean {
    if (this.isLive && !this.#options.ready()) this.#wait();
    return this.isLive;
  }

  /** The client accepts more again. */
  async resume(): Promise<void> {
    if (this.#mode !== 'waiting') return;
    this.#mode = 'reading';
    try {
      while (this.#late().length > 0 && this.#options.ready()) {
        const missed = await this.#next();
        if (!missed) break;
        this.#options.deliver(missed);
      }
    } finally {
      if (this.#late().length > 0) this.#wait();
      else this.#goLive();
    }
  }

  /** Brings a client that comes back up to date, however much it accepts at a time. */
  async bringBack({ begin, take, isSeenInPart, done }: ReturnOptions<Subscriber>): Promise<void> {
    this.#mode = 'reading';
    try {
      let isComplete = await begin();
      while (isComplete && this.#late().length > 0) {
        const missed = await this.#next(isSeenInPart);
        isComplete = missed !== undefined && take(missed);
      }
      // What the client is told from here on comes behind all that it has missed.
      this.#mode = 'live';
      done(isComplete);
    } finally {
      this.#goLive();
    }
  }

  #wait(): void {
    this.#mode = 'waiting';
    this.#options.fellBehind?.();
  }

  #goLive(): void {
    this.#mode = 'live';
    this.#options.live?.();
    for (const resolve of this.#whenLive.splice(0)) resolve();
  }

  #late(): readonly Subscriber[] {
    return this.#options.followed().filter(({ at, session }) => at.seq < session.state.seq);
  }

  /** Undefined if the logs have nothing more, as that of a deleted session. */
  async #next(
    isSeenInPart?: (entry: Entry) => boolean,
  ): Promise<readonly MissedStep<Subscriber>[] | undefined> {
    const missed = await missedSteps(this.#late(), isSeenInPart);
    if (missed.length === 0) return undefined;
    // The client may have left a session while its log was read.
    const followed = new Set(this.#options.followed());
    return missed.filter(({ subscriber }) => followed.has(subscriber));
  }
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
 * sessions. `isSeenInPart` keeps the first entry from being merged with what came after it.
 */
async function missedSteps<Subscriber extends LateSubscriber>(
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

/** The state of a session after an entry; the current one if there is no such entry. */
export async function stateAt(session: Session, seq: number): Promise<State> {
  if (session.state.seq <= seq) return session.state;
  return session.stateBefore((entry) => entry.seq > seq);
}
