// A projection of a session that its subscribers share. A slow subscriber falls behind and
// catches up from the log.
import type { Entry, TurnId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import { CatchUp } from './catchUp.ts';
import type { Session, Step } from './session.ts';

/** The messages for one entry; pure, so that live streaming and replay give the same result. */
export type Projection<M> = (step: Step) => readonly M[];

/** A subscriber. `ready` says whether it accepts more now; `whenReady` calls back once when it does again. */
export interface Sink<M> {
  deliver(messages: readonly M[]): void;
  ready(): boolean;
  whenReady(resume: () => void): void;
  /** The subscriber was delivered everything up to an entry of the session. */
  arrived?(seq: number): void;
}

/** A subscriber that catches up by itself, usually over several sessions. */
export interface LiveSubscriber<M> {
  /** Whether it gets what is published now. */
  accepts(): boolean;
  /** `state` is the durable state after the messages, of which there may be none. */
  deliver(messages: readonly M[], state: State): void;
  /** Messages about what no log holds; in place of `deliver`, for one that counts by positions. */
  tell?(messages: readonly M[]): void;
}

export class Live<M> {
  readonly #session: Session;
  readonly #project: Projection<M>;
  readonly #subscribers = new Set<LiveSubscriber<M>>();
  #unfollow: (() => void) | undefined;
  /** The turns whose end each subscriber was shown before it could be stored. */
  readonly #cut = new WeakMap<LiveSubscriber<M>, Set<TurnId>>();

  constructor(session: Session, project: Projection<M>) {
    this.#session = session;
    this.#project = project;
  }

  /**
   * Delivers everything after the current durable state; take the snapshot in the same step. A client that
   * comes back continues at an earlier state.
   */
  attach(sink: Sink<M>, from: State = this.#session.state): () => void {
    const followed = { session: this.#session, at: from };
    const catchUp = new CatchUp<typeof followed>({
      followed: () => (this.#subscribers.has(subscriber) ? [followed] : []),
      ready: () => sink.ready(),
      fellBehind: () => sink.whenReady(() => void catchUp.resume()),
      deliver: (missed) =>
        subscriber.deliver(
          missed.flatMap(({ step }) => this.#project(step)),
          missed.at(-1)?.step.after ?? followed.at,
        ),
    });
    const subscriber: LiveSubscriber<M> = {
      accepts: () => catchUp.accepts(),
      deliver: (messages, state) => {
        followed.at = state;
        if (messages.length === 0) return;
        sink.deliver(messages);
        sink.arrived?.(state.seq);
      },
    };
    const leave = this.add(subscriber);
    if (from.seq < this.#session.state.seq) catchUp.begin();
    return leave;
  }

  /** The same for a subscriber that catches up by itself. */
  add(subscriber: LiveSubscriber<M>): () => void {
    this.#subscribers.add(subscriber);
    this.#unfollow ??= this.#follow();
    return () => {
      this.#subscribers.delete(subscriber);
      if (this.#subscribers.size > 0) return;
      this.#unfollow?.();
      this.#unfollow = undefined;
    };
  }

  #follow(): () => void {
    const unfollow = this.#session.follow((steps) => this.#publish(steps));
    const unloss = this.#session.onLoss(() => this.#showCut());
    return () => {
      unfollow();
      unloss();
    };
  }

  /**
   * Every attempt to store the end of a turn may fail. Each subscriber is told once, also one that came while
   * nothing could be stored.
   */
  #showCut(): void {
    const steps = this.#session.cutTurns();
    for (const subscriber of this.#subscribers) {
      if (!subscriber.accepts()) continue;
      const known = this.#cut.get(subscriber) ?? new Set();
      this.#cut.set(subscriber, known);
      const messages = steps
        .filter(({ entry }) => !isEndOf(entry, known))
        .flatMap((step) => this.#project(step));
      for (const { entry } of steps) if (entry.event.kind === 'turn.ended') known.add(entry.event.turn);
      if (messages.length === 0) continue;
      if (subscriber.tell) subscriber.tell(messages);
      else subscriber.deliver(messages, this.#session.state);
    }
  }

  #publish(steps: readonly Step[]): void {
    let messages: readonly M[] | undefined;
    const after = steps.at(-1)?.after;
    if (!after) return;
    for (const subscriber of this.#subscribers) {
      if (!subscriber.accepts()) continue;
      const known = this.#cut.get(subscriber);
      // An end that it was shown before is stored as it was shown.
      const news = known ? steps.filter(({ entry }) => !isEndOf(entry, known)) : steps;
      if (news.length === steps.length)
        subscriber.deliver((messages ??= steps.flatMap((step) => this.#project(step))), after);
      else
        subscriber.deliver(
          news.flatMap((step) => this.#project(step)),
          after,
        );
    }
  }
}

function isEndOf({ event }: Entry, turns: ReadonlySet<TurnId>): boolean {
  return event.kind === 'turn.ended' && turns.has(event.turn);
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
