// Acts after a time without messages. It counts from the last message, with an error of up to its own length.
import type { Clock } from '../../../host/ports.ts';
import type { ReadingPace } from './readingPace.ts';

export interface QuietTime {
  readonly clock: Clock;
  readonly milliseconds: number;
  /** An agent that cannot be heard is not silent. */
  readonly pace?: Pick<ReadingPace, 'isHeld'>;
}

export class QuietTimer {
  readonly #time: QuietTime;
  readonly #act: () => void;
  #heard = false;
  #recall: () => void;

  constructor(time: QuietTime, act: () => void) {
    this.#time = time;
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
    const { clock, milliseconds, pace } = this.#time;
    return clock.after(milliseconds, () => {
      if (!this.#heard && !pace?.isHeld) return this.#act();
      this.#heard = false;
      this.#recall = this.#wait();
    });
  }
}
