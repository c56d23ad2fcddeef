// Hands messages over one by one in the order of arrival. After a response it lets the code that awaited it run first.

import type { Incoming } from './envelope.ts';

/**
 * A response resolves a promise, and the code behind it runs only after the current call. A notification read from the
 * same chunk must not be handed over before that, so it waits; responses in a row need not wait for each other.
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

  /** Called from inside `take` when a response found someone waiting for it. */
  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    setImmediate(this.#resume);
  }

  /** Nothing more will come; called back when the last message has been handed over. */
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
