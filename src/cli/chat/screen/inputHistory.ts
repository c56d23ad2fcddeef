// What the user has typed in `parley chat`, in any session: the arrow keys bring it back.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from '../../../io/files/privateFiles.ts';

/** How many messages are kept. The file grows to twice as many before it is shortened. */
const most = 500;
/** A longer message is rather a paste, which nobody looks for with the arrow keys. */
const longest = 4_000;

export class InputHistory {
  readonly #path: string;

  constructor(dataDirectory: string) {
    this.#path = join(dataDirectory, 'chat-history.jsonl');
  }

  /** The oldest first, none of them twice. */
  read(): readonly string[] {
    const messages = this.#lines();
    if (messages.length > 2 * most) this.#keep(messages.slice(-most));
    return [...new Set(messages.toReversed())].slice(0, most).toReversed();
  }

  add(message: string): void {
    if (message.length > longest) return;
    try {
      appendFileSync(this.#path, `${JSON.stringify(message)}\n`, { mode: 0o600 });
    } catch {
      // A chat does not fail because its history cannot be kept.
    }
  }

  #lines(): readonly string[] {
    try {
      return readFileSync(this.#path, 'utf8').split('\n').flatMap(messageIn);
    } catch {
      return [];
    }
  }

  #keep(messages: readonly string[]): void {
    try {
      writePrivately(this.#path, messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    } catch {
      // As above.
    }
  }
}

/** A line that is damaged, or not written to its end, costs itself. */
function messageIn(line: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? [value] : [];
  } catch {
    return [];
  }
}
