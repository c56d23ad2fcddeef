// Those who follow one terminal: all get the same events, and the one who cannot keep up is waited for a moment, then left behind until it can.
import type { Sink } from '../session/live.ts';
import type { Clock } from '../ports.ts';
import type { TerminalEvent, TerminalState } from './terminal.ts';

/** How long everybody waits for a follower that cannot take more, in milliseconds. */
const patience = 250;

interface Seat {
  readonly sink: Sink<TerminalEvent>;
  behind: boolean;
}

export class Audience {
  readonly #seats = new Set<Seat>();
  readonly #clock: Clock;
  readonly #report: (problem: unknown) => void;
  readonly #state: () => TerminalState;
  /** What goes on once everybody can take more, or time is up. */
  #then: (() => void) | undefined;
  #stopTimer = () => {};

  constructor(options: { clock: Clock; report: (problem: unknown) => void; state: () => TerminalState }) {
    this.#clock = options.clock;
    this.#report = options.report;
    this.#state = options.state;
  }

  add(sink: Sink<TerminalEvent>): () => void {
    const seat: Seat = { sink, behind: false };
    this.#seats.add(seat);
    return () => {
      this.#seats.delete(seat);
      this.#goOn();
    };
  }

  /** Goes on once everybody can take more, and says whether that was at once. One wait at a time. */
  whenReady(then: () => void): boolean {
    const late = this.#late();
    if (late.length === 0) {
      then();
      return true;
    }
    this.#then = then;
    this.#stopTimer = this.#clock.after(patience, () => {
      for (const seat of this.#late()) seat.behind = true;
      this.#goOn();
    });
    for (const seat of late) this.#await(seat);
    return !this.#then;
  }

  tell(events: readonly TerminalEvent[]): void {
    for (const seat of [...this.#seats]) if (!seat.behind) this.#deliver(seat, events);
  }

  #late(): readonly Seat[] {
    return [...this.#seats].filter(({ sink, behind }) => !behind && !sink.ready());
  }

  #await(seat: Seat): void {
    seat.sink.whenReady(() => {
      if (!this.#seats.has(seat)) return;
      if (!seat.sink.ready()) this.#await(seat);
      else if (seat.behind) this.#catchUp(seat);
      else this.#goOn();
    });
  }

  /** What is still gathered comes to it with the others' next events. */
  #catchUp(seat: Seat): void {
    seat.behind = false;
    this.#deliver(seat, [{ type: 'restarted', state: this.#state() }]);
  }

  #goOn(): void {
    if (!this.#then || this.#late().length > 0) return;
    const then = this.#then;
    this.#then = undefined;
    this.#stopTimer();
    then();
  }

  #deliver(seat: Seat, events: readonly TerminalEvent[]): void {
    try {
      seat.sink.deliver(events);
    } catch (error) {
      this.#report(error);
    }
  }
}
