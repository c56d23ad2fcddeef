// What a stopped turn still does. It has ended for everybody, so what it changes is recorded in the next turn
// of the chat, or in one of its own.
import type { Ids } from '../ports.ts';
import type { Content, Outcome } from '../../model/event.ts';
import { reportChanges } from './reportChanges.ts';
import type { Reporting } from './reportChanges.ts';

export interface LateChangesOptions {
  /** Starts a turn without a message of the user; nothing happens while one is running. */
  readonly aside: { wake(text: string, work: (turn: Reporting) => Promise<Outcome>): boolean };
  readonly ids: Ids;
  /** Who changed the files, for people. */
  readonly who: string;
}

export class LateChanges {
  readonly #options: LateChangesOptions;
  readonly #changes: Content[] = [];

  constructor(options: LateChangesOptions) {
    this.#options = options;
  }

  /** The stopped turn goes on: says so in a turn of its own, which lasts until the other one has ended. */
  wait(seconds: number): void {
    this.#wake(`Waiting for ${this.#options.who} to stop. It is ended after ${seconds} seconds.`);
  }

  keep(changes: readonly Content[]): void {
    if (changes.length === 0) return;
    this.#changes.push(...changes);
    this.#wake(`${this.#options.who} changed files before it stopped.`);
  }

  tell(context: Reporting): void {
    const changes = this.#changes.splice(0);
    reportChanges(context, { tool: this.#options.ids.next(), title: 'Changed before the stop', changes });
  }

  #wake(text: string): void {
    this.#options.aside.wake(text, (context) => {
      this.tell(context);
      return Promise.resolve({ kind: 'completed' });
    });
  }
}
