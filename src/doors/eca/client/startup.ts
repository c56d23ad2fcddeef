// The first seconds of a connection: the greeting, the configuration, and the models of local servers.
import type { ConfigurationWatch } from '../options.ts';

export class Startup {
  #isGreeted = false;
  #models: Promise<void> | undefined;
  #watch: ConfigurationWatch | undefined;

  /** True for the first `initialized` of a client. */
  greet(): boolean {
    const isFirst = !this.#isGreeted;
    this.#isGreeted = true;
    return isFirst;
  }

  /** The watch that reads the client's configuration; absent before `initialized`. */
  get configuration(): ConfigurationWatch | undefined {
    return this.#watch;
  }

  watchConfiguration(watch: ConfigurationWatch | undefined): void {
    this.#watch = watch;
  }

  /** Prompts wait for this: the models of local servers, before the client first hears of any model. */
  get models(): Promise<void> | undefined {
    return this.#models;
  }

  waitForModels(models: Promise<void>): void {
    this.#models = models.finally(() => {
      this.#models = undefined;
    });
  }
}
