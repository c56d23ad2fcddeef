// Counts the crashes of one server and decides when it is restarted.

/** A server that crashes this often within the window (in milliseconds) is given up. */
export const mostCrashes = 5;
const crashWindow = 180_000;
const longestDelay = 30_000;

export class Crashes {
  /** The delay before the first restart; it doubles with every crash. */
  readonly #firstDelay: number;
  #times: readonly number[] = [];

  constructor(firstDelay: number) {
    this.#firstDelay = firstDelay;
  }

  /** Counts a crash; the result is the delay before the restart, undefined if there were too many. */
  add(): number | undefined {
    const now = performance.now();
    this.#times = [...this.#times.filter((at) => now - at < crashWindow), now];
    if (this.#times.length >= mostCrashes) return undefined;
    return Math.min(longestDelay, this.#firstDelay * 2 ** (this.#times.length - 1));
  }

  forget(): void {
    this.#times = [];
  }
}
