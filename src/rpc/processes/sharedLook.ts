// One look at something for all who ask at about the same time. Nobody gets one that began before they asked.

export class SharedLook<T> {
  readonly #look: () => Promise<T>;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<T> | undefined;

  /** The look must not fail. */
  constructor(look: () => Promise<T>) {
    this.#look = look;
  }

  /** The result of the next look, which begins when the running one has ended. */
  next(): Promise<T> {
    this.#next ??= this.#running.then(() => {
      const look = this.#look();
      this.#next = undefined;
      this.#running = look;
      return look;
    });
    return this.#next;
  }
}
