// Delivers messages one by one in the order of arrival. After a response, the code that
// awaited it runs first.

import type { Incoming } from './envelope.ts';

/**
 * A response resolves a promise, and the code that awaits it runs only after the current call. A
 * notification from the same chunk must not be delivered before that, so it waits; consecutive responses
 * need not wait for each other.
 */
export class Inbox {
  readonly #take: (incoming: Incoming) => void;
  #waiting: Incoming[] = [];
  #paused = false;
  #ended: (() => void) | undefined;

  constructor(take: (incoming: Incoming) => void) {
    this.#take = take;
  }

  add(incoming: Incoming): void {
    if (this.#paused && (this.#waiting.length > 0 || !isResponse(incoming))) this.#waiting.push(incoming);
    else this.#take(incoming);
  }

  /** Called from inside `take` when a response has resolved a request. */
  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    setImmediate(this.#resume);
  }

  /** No more messages will arrive. The callback runs after the last one was delivered. */
  end(callback: () => void): void {
    if (this.#paused) this.#ended = callback;
    else callback();
  }

  readonly #resume = () => {
    this.#paused = false;
    const queue = this.#waiting;
    this.#waiting = [];
    for (const incoming of queue) this.add(incoming);
    if (!this.#paused) this.#ended?.();
  };
}

function isResponse(incoming: Incoming): boolean {
  return incoming.kind === 'result' || incoming.kind === 'error';
}
