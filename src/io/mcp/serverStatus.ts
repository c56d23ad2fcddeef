// The status of one server, and the calls that wait until it has started.
import { onAbort } from '../../base/waiting.ts';
import type { ServerView } from '../../host/tools/toolServers.ts';

/** How long a call waits for a starting server, in milliseconds. */
const startTimeout = 10_000;

export class ServerStatus {
  readonly #changed: () => void;
  readonly #waiting = new Set<() => void>();
  #status: ServerView['status'] = 'stopped';
  #problem: string | undefined;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get value(): ServerView['status'] {
    return this.#status;
  }

  /** Why the server does not run, or why it was restarted. */
  get problem(): string | undefined {
    return this.#problem;
  }

  set(status: ServerView['status'], problem?: string): void {
    this.#status = status;
    this.#problem = problem;
    if (status !== 'starting') for (const done of this.#waiting) done();
    this.#changed();
  }

  /** Resolves when the server is not starting any more, after the timeout, or when the caller stops. */
  started(signal: AbortSignal): Promise<void> {
    if (this.#status !== 'starting' || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        leave();
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, startTimeout);
      this.#waiting.add(done);
      const leave = onAbort(signal, done);
    });
  }
}
