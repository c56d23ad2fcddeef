// The chats that clients have just created, until the catalogue of the host has them.
import type { Session } from '../../../host/session/session.ts';
import type { ChatId, SessionId } from '../../../model/event.ts';

export class NewChats {
  readonly #sessions = new Map<ChatId, SessionId>();

  /** Remembers a chat until it is stored, so that a client need not wait for the answer before it goes on. */
  add(chat: ChatId, session: Session): void {
    this.#sessions.set(chat, session.id);
    void session
      .settled()
      .catch(() => {})
      .then(() => this.#sessions.delete(chat));
  }

  sessionOf(chat: ChatId): SessionId | undefined {
    return this.#sessions.get(chat);
  }
}
