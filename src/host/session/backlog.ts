// What waits to be stored: how much it is, whether agents must wait, and whether the store takes long.
import type { Entry } from '../../model/event.ts';

/** Beyond either, agents wait: the number of entries, and their size in characters. */
const mostEntries = 4_096;
const mostSize = 8 * 1_024 * 1_024;

/** What clients are told. It is not in the log, which cannot be written meanwhile. */
export const storageWaits =
  'The database does not answer. Turns wait for it and go on when it is back; nothing is lost.';
export const storageGoesOn = 'The database is back. Everything that waited is stored.';

export class Backlog {
  #entries = 0;
  #size = 0;
  #room: { readonly given: Promise<void>; give(): void } | undefined;
  /** Each with whether it was told that entries wait. */
  readonly #followers = new Map<(isWaiting: boolean) => void, boolean>();

  get waiting(): { readonly entries: number; readonly size: number } {
    return { entries: this.#entries, size: this.#size };
  }

  /**
   * Undefined if agents may go on; else resolves when they may. Nothing is refused: the little that comes
   * without asking is stored, too.
   */
  room(): Promise<void> | undefined {
    if (this.#entries < mostEntries && this.#size < mostSize) return undefined;
    this.#room ??= newRoom();
    return this.#room.given;
  }

  add(entry: Entry): void {
    this.#entries += 1;
    this.#size += sizeOf(entry);
  }

  /** Entries that are being stored now, or are lost. */
  remove(entries: readonly Entry[]): void {
    this.#entries -= entries.length;
    this.#size -= entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
    const room = this.#room;
    if (!room || this.#entries >= mostEntries || this.#size >= mostSize) return;
    this.#room = undefined;
    room.give();
  }

  /** Calls back when a database lets entries or messages wait for long, and then when it has answered. */
  follow(follower: (isWaiting: boolean) => void): () => void {
    this.#followers.set(follower, false);
    return () => void this.#followers.delete(follower);
  }

  tell(isWaiting: boolean): void {
    for (const [follower, knows] of this.#followers) {
      if (knows === isWaiting) continue;
      this.#followers.set(follower, isWaiting);
      follower(isWaiting);
    }
  }
}

function newRoom() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** Pieces of a stream are counted cheaply, because they are many. */
function sizeOf({ event }: Entry): number {
  return event.kind === 'text.added' || event.kind === 'tool.input'
    ? event.text.length
    : JSON.stringify(event).length;
}
