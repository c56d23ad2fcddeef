// The end of a connection, for whoever must clean up then.
import { onAbort } from '../../../base/waiting.ts';

export class Lifetime {
  readonly #end = new AbortController();

  /** Aborts when the client has disconnected. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  /** Calls back when the client has disconnected. */
  onEnd(clean: (() => void) | undefined): void {
    if (clean) onAbort(this.signal, clean);
  }

  end(): void {
    this.#end.abort();
  }
}
