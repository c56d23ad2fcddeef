// The announcements that a client has got. The next host makes them all again; those that say the same are
// dropped.
import { isRecord } from '../../../base/isRecord.ts';

/** The members that say what an announcement is about; their values are part of its key. */
const subjects = ['name', 'chatId', 'taskId', 'type', 'id'];

export class Announcements {
  /** The last text of each key. */
  readonly #last = new Map<string, string>();
  #stale = new Map<string, string>();

  /** The host was lost: the next one repeats what it has to announce, once. */
  expectRepetition(): void {
    this.#stale = new Map(this.#last);
  }

  /** Whether the client has got this announcement from the last host, and nothing else since. */
  isRepeated(method: string, params: unknown, text: string): boolean {
    const key = keyOf(method, params);
    const isSame = this.#stale.get(key) === text;
    this.#stale.delete(key);
    this.#last.set(key, text);
    return isSame;
  }
}

function keyOf(method: string, params: unknown): string {
  if (!isRecord(params)) return method;
  return JSON.stringify([method, Object.keys(params).toSorted(), ...subjects.map((name) => params[name])]);
}
