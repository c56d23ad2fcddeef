// A turn that this client has started, as a stream of events with a result.
import type { ChatState, ResponsePart } from '../src/protocols/ahp/v1_0/state.ts';
import type { Turn, TurnEvent, TurnRecord } from './api.ts';
import { eventsBetween, turnIn, turnRecord } from './turnEvents.ts';
import type { SendAnswer } from './waiting.ts';

export class OpenTurn implements Turn {
  readonly id: string;
  readonly result: Promise<TurnRecord>;
  readonly #answer: SendAnswer;
  readonly #events: TurnEvent[] = [];
  #parts: readonly ResponsePart[] = [];
  #isOver = false;
  #wake: () => void = () => {};
  #resolve: (record: TurnRecord) => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor(id: string, answer: SendAnswer) {
    this.id = id;
    this.#answer = answer;
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A caller that only iterates gets the error from the iterator.
    this.result.catch(() => {});
  }

  /** Takes the next state of the chat. Returns whether the turn has ended. */
  follow(state: ChatState): boolean {
    const turn = turnIn(state, this.id);
    if (!turn || this.#isOver) return this.#isOver;
    this.#events.push(...eventsBetween(this.#parts, turn.responseParts, this.#answer));
    this.#parts = turn.responseParts;
    if ('state' in turn) {
      this.#isOver = true;
      this.#resolve(turnRecord(turn));
    }
    this.#wake();
    return this.#isOver;
  }

  fail(error: Error): void {
    this.#isOver = true;
    this.#reject(error);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<TurnEvent> {
    for (;;) {
      const next = this.#events.shift();
      if (next) yield next;
      else if (this.#isOver) break;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
    await this.result;
  }
}
