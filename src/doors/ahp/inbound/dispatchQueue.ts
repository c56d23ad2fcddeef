// Handles the actions of one client in order, also if a session has to be opened first. Independent of the
// actions.
import type { Session } from '../../../host/session/session.ts';

export interface DispatchTask {
  open(): Promise<Session | undefined>;
  /** What must be known before it runs; undefined if nothing. */
  readonly before?: ((session: Session) => Promise<void>) | undefined;
  run(session: Session): void;
  failed(error: unknown): void;
}

export class DispatchQueue {
  #last: Promise<void> | undefined;

  /** Runs the task immediately on a session that is open when no other task is waiting. */
  run(opened: Session | undefined, task: DispatchTask): void {
    if (opened && !this.#last && !task.before) return task.run(opened);
    const last: Promise<void> = this.#after(this.#last, task).finally(() => {
      if (this.#last === last) this.#last = undefined;
    });
    this.#last = last;
  }

  async #after(earlier: Promise<void> | undefined, task: DispatchTask): Promise<void> {
    try {
      await earlier;
      const session = await task.open();
      if (session) await task.before?.(session);
      if (session) task.run(session);
    } catch (error) {
      task.failed(error);
    }
  }
}
