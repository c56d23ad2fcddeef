// How long a command waits for the owner of its session. A host that is dead loses its lease, and then
// another one is the owner; so only one that lives and does not answer is given up.
import { errorText } from '../../base/errorText.ts';
import { reject } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { SessionOwner } from '../ownership/hostLinks.ts';
import type { Clock } from '../ports.ts';

export class OwnerPatience {
  readonly #clock: Clock;
  readonly #patience: number;
  #until: number;
  #lease: string | undefined;
  /** The last renewal of the lease that was known when the patience was over. */
  #renewed: string | undefined;

  constructor(clock: Clock, patience: number) {
    this.#clock = clock;
    this.#patience = patience;
    this.#until = clock.elapsed() + patience;
  }

  /** Whether an owner that has not answered is given up: it has renewed its lease although time is over. */
  isOver({ lease, renewed }: SessionOwner): boolean {
    if (lease !== this.#lease) {
      this.#lease = lease;
      this.#renewed = undefined;
      this.#until = this.#clock.elapsed() + this.#patience;
    }
    if (this.#clock.elapsed() <= this.#until) return false;
    this.#renewed ??= renewed;
    return this.#renewed !== renewed;
  }

  /** The database does not say who the owner is: a refusal if that has taken too long. */
  without(error: unknown): Rejection | { readonly problem: string } {
    const problem = errorText(error, String(error));
    if (this.#clock.elapsed() <= this.#until) return { problem };
    return reject(
      'unavailable',
      `The database does not answer, so this was not done: ${problem} Try again when it is back.`,
    );
  }
}
