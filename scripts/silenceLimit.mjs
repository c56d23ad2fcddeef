// Ends a run in which a test file neither goes on nor ends. No time limit of a test stops code that
// never lets other code run.

/** Longer than any single test or hook may take, in milliseconds. */
const longestSilence = 900_000;

/** A reporter of vitest. */
export class SilenceLimit {
  #running = new Set();
  #timer;
  #onSilence;

  /** @param {(files: readonly string[]) => void} onSilence gets the files that are still running. */
  constructor(onSilence) {
    this.#onSilence = onSilence;
  }

  onTestRunStart() {
    this.#wait();
  }

  onTestModuleStart(module) {
    this.#running.add(module.relativeModuleId);
    this.#wait();
  }

  onTestCaseResult() {
    this.#wait();
  }

  onTestModuleEnd(module) {
    this.#running.delete(module.relativeModuleId);
    this.#wait();
  }

  onTestRunEnd() {
    clearTimeout(this.#timer);
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#onSilence([...this.#running]), longestSilence);
  }
}
