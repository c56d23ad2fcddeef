// A projection of a session that its subscribers share. A slow subscriber falls behind and catches up from the log.
import { coalesce } from '../../model/coalesce.ts';
import type { Entry } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import type { State } from '../../model/state.ts';
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

  constructor(session: Session, project: Projection<M>) {
    this.#session = session;
    this.#project = project;
  }

  /** Delivers everything after the current durable state; take the snapshot in the same step. */
  attach(sink: Sink<M>): () => void {
    const cursor: Cursor<M> = { sink, at: this.#session.state, behind: false };
    this.#cursors.add(cursor);
    this.#unfollow ??= this.#session.follow((steps) => this.#publish(steps));
    return () => {
      this.#cursors.delete(cursor);
      if (this.#cursors.size > 0) return;
      this.#unfollow?.();
      this.#unfollow = undefined;
    };
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
      const missed: Entry[] = [];
      for await (const entry of this.#session.entries(cursor.at.seq))
        if (missed.push(entry) >= portion) break;
      if (!this.#cursors.has(cursor) || missed.length === 0) return;
      const messages = [...coalesce(missed)].flatMap((entry) => {
        const before = cursor.at;
        cursor.at = reduce(before, entry);
        return this.#project({ entry, before, after: cursor.at });
      });
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

/** One live projection per session: `const liveOf = shareLive(project)`, then `liveOf(session).attach(sink)`. */
export function shareLive<M>(project: Projection<M>): (session: Session) => Live<M> {
  const lives = new WeakMap<Session, Live<M>>();
  return (session) => {
    const live = lives.get(session) ?? new Live(session, project);
    lives.set(session, live);
    return live;
  };
}
