// The ids of calls and texts that a chat has used; an id that the model repeats is replaced by a new one.
import { idMark, idsIn } from '../../../model/lazyTurn.ts';
import type { Turn } from '../../../model/state.ts';

export class UsedIds {
  readonly #used: Set<string>;

  constructor(turns: readonly Turn[]) {
    this.#used = new Set();
    for (const turn of turns) for (const id of idsIn(turn)) this.#used.add(id);
  }

  /** Of stored turns only marks are known. In rare cases one fits a new id, too, which only costs that id. */
  has(id: string): boolean {
    return this.#used.has(id) || this.#used.has(idMark(id));
  }

  add(id: string): void {
    this.#used.add(id);
  }
}
