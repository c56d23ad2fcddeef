// What one client dispatches, in the order it came, also where a session has to be opened first. Knows no action.
import type { Session } from '../../../host/session/session.ts';

export interface Waiting {
  open(): Promise<Session | undefined>;
  act(session: Session): void;
  failed(error: unknown): void;
}

export class Line {
  #last: Promise<void> | undefined;

  /** Acts at once on a session that is open where nothing waits. */
  run(opened: Session | undefined, waiting: Waiting): void {
    if (opened && !this.#last) return waiting.act(opened);
    const last: Promise<void> = this.#after(this.#last, waiting).finally(() => {
      if (this.#last === last) this.#last = undefined;
    });
    this.#last = last;
  }

  async #after(earlier: Promise<void> | undefined, waiting: Waiting): Promise<void> {
    try {
      await earlier;
      const session = await waiting.open();
      if (session) waiting.act(session);
    } catch (error) {
      waiting.failed(error);
    }
  }
}
