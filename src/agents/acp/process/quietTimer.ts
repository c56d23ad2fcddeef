// Acts after a time without messages. It counts from the last message, with an error of up to its own length.
import type { Clock } from '../../../host/ports.ts';

export class QuietTimer {
  readonly #clock: Clock;
  readonly #milliseconds: number;
  readonly #act: () => void;
  #heard = false;
  #recall: () => void;

  constructor(clock: Clock, milliseconds: number, act: () => void) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
    this.#act = act;
    this.#recall = this.#wait();
  }

  restart(): void {
    this.#heard = true;
  }

  end(): void {
    this.#recall();
  }

  /** Runs at most one timer, however many messages arrive. */
  #wait(): () => void {
    return this.#clock.after(this.#milliseconds, () => {
      if (!this.#heard) return this.#act();
      this.#heard = false;
      this.#recall = this.#wait();
    });
  }
}
