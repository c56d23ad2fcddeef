// What a stopped turn has changed. It has ended for everybody, so the changes are recorded in the next turn
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

  keep(changes: readonly Content[]): void {
    if (changes.length === 0) return;
    const { aside, who } = this.#options;
    this.#changes.push(...changes);
    aside.wake(`${who} changed files before it stopped.`, (context) => {
      this.tell(context);
      return Promise.resolve({ kind: 'completed' });
    });
  }

  tell(context: Reporting): void {
    const changes = this.#changes.splice(0);
    reportChanges(context, { tool: this.#options.ids.next(), title: 'Changed before the stop', changes });
  }
}
