// Checks arguments that a user has changed before the answer is taken: whoever asked can say what they would
// do now, and why that cannot be.
import type { AskId, Json } from '../../model/event.ts';

/** The title of the call with the changed arguments, or why it cannot be allowed. */
export type EditedCall = { readonly title: string } | { readonly refused: string };

export type CheckEdit = (input: Json) => Promise<EditedCall>;

export class EditChecks {
  readonly #open = new Map<AskId, CheckEdit>();

  /** Offers the check while the question is open. */
  async during<T>(ask: AskId, check: CheckEdit | undefined, asking: Promise<T>): Promise<T> {
    if (!check) return asking;
    this.#open.set(ask, check);
    return asking.finally(() => this.#open.delete(ask));
  }

  /** Whether there is anything that can be checked. */
  get isOffered(): boolean {
    return this.#open.size > 0;
  }

  /** Undefined if nobody can check it. */
  async check(ask: AskId, input: Json): Promise<EditedCall | undefined> {
    return this.#open.get(ask)?.(input);
  }
}
