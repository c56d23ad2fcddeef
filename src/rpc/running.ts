// The other side's requests in progress: limited in number and cancellable. Knows no connection.

import type { RequestId } from './envelope.ts';

export class Running {
  readonly #maxPending: number;
  readonly #tasks = new Set<RunningTask>();
  /** The latest task of each id. If the other side uses an id twice, both requests are served. */
  readonly #byId = new Map<unknown, RunningTask>();
  readonly #whenIdle: (() => void)[] = [];

  constructor(maxPending: number) {
    this.#maxPending = maxPending;
  }

  start(id: RequestId): RunningTask | undefined {
    if (this.#tasks.size >= this.#maxPending) return undefined;
    const task = new RunningTask(id);
    this.#tasks.add(task);
    this.#byId.set(id, task);
    return task;
  }

  done(task: RunningTask): void {
    this.#tasks.delete(task);
    if (this.#byId.get(task.id) === task) this.#byId.delete(task.id);
    if (this.#tasks.size === 0) for (const idle of this.#whenIdle.splice(0)) idle();
  }

  cancel(id: unknown): void {
    this.#byId.get(id)?.abort();
  }

  /** Settles when all current requests are answered. */
  idle(): Promise<void> {
    if (this.#tasks.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
    });
  }

  end(): void {
    for (const task of this.#tasks) task.abort();
  }
}

/**
 * The context of a handler. The controller is created on the first use of the signal, which
 * most requests never need.
 */
export class RunningTask {
  readonly id: RequestId;
  #controller: AbortController | undefined;
  aborted = false;

  constructor(id: RequestId) {
    this.id = id;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.aborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.aborted = true;
    this.#controller?.abort();
  }
}
