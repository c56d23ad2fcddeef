// Commands on their way to the host that owns the session: what they will do if it accepts them, and whether
// it has.
import { isRejection } from '../../model/command.ts';
import type { Command, Rejection } from '../../model/command.ts';
import { decide } from '../../model/decide.ts';
import type { Origin } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import type { State } from '../../model/state.ts';

/** The number of the last entry that a command has become, or why it was refused. */
export type Carried = { readonly seq: number } | Rejection;

/** Takes a command to the owner, in the order of the calls. Never rejects. */
export type Carry = (command: Command, by: Origin) => Promise<Carried>;

export interface ForwardedCommandsOptions {
  /** The name of the host that owns the session. */
  readonly owner: () => string;
  readonly carry: Carry;
  /** Resolves when the entry with this number is published here. */
  readonly reached: (seq: number) => Promise<void>;
  /** The error of a command that the owner refuses. */
  readonly refused: (rejection: Rejection) => Error;
  /** A command is done or refused. */
  readonly changed: () => void;
}

interface Forwarded {
  readonly command: Command;
  readonly by: Origin;
  /** Rejects if the owner refuses it. */
  readonly outcome: Promise<void>;
}

export class ForwardedCommands {
  readonly #options: ForwardedCommandsOptions;
  #waiting: Forwarded[] = [];

  constructor(options: ForwardedCommandsOptions) {
    this.#options = options;
  }

  get owner(): string {
    return this.#options.owner();
  }

  /** The outcome of the last command, while it is not known. */
  get last(): Promise<void> | undefined {
    return this.#waiting.at(-1)?.outcome;
  }

  add(command: Command, by: Origin): void {
    const outcome = this.#outcomeOf(this.#options.carry(command, by));
    const forwarded: Forwarded = { command, by, outcome };
    this.#waiting.push(forwarded);
    outcome
      // The caller that waits for the outcome gets the error.
      .catch(() => {})
      .finally(() => {
        this.#waiting = this.#waiting.filter((each) => each !== forwarded);
        this.#options.changed();
      });
  }

  /** The state with everything that is on its way; its numbers are not those that the owner gives. */
  predict(state: State, at: number): State {
    let head = state;
    for (const { command, by } of this.#waiting) {
      const decision = decide(head, command);
      if (isRejection(decision)) continue;
      for (const event of decision) head = reduce(head, { seq: head.seq + 1, pos: head.pos, at, by, event });
    }
    return head;
  }

  async #outcomeOf(carried: Promise<Carried>): Promise<void> {
    const answer = await carried;
    if (isRejection(answer)) throw this.#options.refused(answer);
    await this.#options.reached(answer.seq);
  }
}
