// The chats in which one client is asked for a permission mode, and the id of each question. Its pipe keeps
// them for the next host.
import type { ChatId } from '../../../model/event.ts';

export class OpenModeQuestions {
  readonly #open = new Map<ChatId, string>();
  readonly #keep: (chat: ChatId, id: string | undefined) => void;

  /** `keep` gets undefined for a question that is over. */
  constructor(keep: (chat: ChatId, id: string | undefined) => void) {
    this.#keep = keep;
  }

  get all(): readonly (readonly [ChatId, string])[] {
    return [...this.#open];
  }

  begin(chat: ChatId, id: string): void {
    this.#open.set(chat, id);
    this.#keep(chat, id);
  }

  end(chat: ChatId, id: string): void {
    if (this.#open.get(chat) !== id) return;
    this.#open.delete(chat);
    this.#keep(chat, undefined);
  }
}
