// The beginning and the end of a connection: what its first seconds left, and who must clean up at its end.
import { onAbort } from '../../../base/waiting.ts';
import { Startup } from './startup.ts';

export class Lifetime {
  readonly startup = new Startup();
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
