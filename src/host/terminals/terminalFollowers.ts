// The followers of one terminal. All get the same events; a slow one is waited for briefly, then
// skipped until it catches up.
import type { Sink } from '../session/live.ts';
import type { Clock } from '../ports.ts';
import type { TerminalEvent, TerminalState } from './terminal.ts';

/** How long all wait for a slow follower, in milliseconds. */
const slowTimeout = 250;

interface FollowerState {
  readonly sink: Sink<TerminalEvent>;
  behind: boolean;
}

export class TerminalFollowers {
  readonly #followers = new Set<FollowerState>();
  readonly #clock: Clock;
  readonly #report: (problem: unknown) => void;
  readonly #state: () => TerminalState;
  /** What continues when all followers are ready, or the time is up. */
  #then: (() => void) | undefined;
  #stopTimer = () => {};

  constructor(options: { clock: Clock; report: (problem: unknown) => void; state: () => TerminalState }) {
    this.#clock = options.clock;
    this.#report = options.report;
    this.#state = options.state;
  }

  add(sink: Sink<TerminalEvent>): () => void {
    const follower: FollowerState = { sink, behind: false };
    this.#followers.add(follower);
    return () => {
      this.#followers.delete(follower);
      this.#goOn();
    };
  }

  /**
   * Calls `then` when all followers are ready, and returns whether they were immediately. One wait at a time.
   */
  whenReady(then: () => void): boolean {
    const late = this.#late();
    if (late.length === 0) {
      then();
      return true;
    }
    this.#then = then;
    this.#stopTimer = this.#clock.after(slowTimeout, () => {
      for (const follower of this.#late()) follower.behind = true;
      this.#goOn();
    });
    for (const follower of late) this.#await(follower);
    return !this.#then;
  }

  tell(events: readonly TerminalEvent[]): void {
    for (const follower of [...this.#followers]) if (!follower.behind) this.#deliver(follower, events);
  }

  #late(): readonly FollowerState[] {
    return [...this.#followers].filter(({ sink, behind }) => !behind && !sink.ready());
  }

  #await(follower: FollowerState): void {
    follower.sink.whenReady(() => {
      if (!this.#followers.has(follower)) return;
      if (!follower.sink.ready()) this.#await(follower);
      else if (follower.behind) this.#catchUp(follower);
      else this.#goOn();
    });
  }

  /** Pending events reach it together with the others. */
  #catchUp(follower: FollowerState): void {
    follower.behind = false;
    this.#deliver(follower, [{ type: 'restarted', state: this.#state() }]);
  }

  #goOn(): void {
    if (!this.#then || this.#late().length > 0) return;
    const then = this.#then;
    this.#then = undefined;
    this.#stopTimer();
    then();
  }

  #deliver(follower: FollowerState, events: readonly TerminalEvent[]): void {
    try {
      follower.sink.deliver(events);
    } catch (error) {
      this.#report(error);
    }
  }
}
