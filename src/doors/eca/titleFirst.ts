// For tests of clients: holds back what a new chat is told after its first message until the chat has its title. Nothing of it is used otherwise.
import type { Session } from '../../host/session.ts';
import type { ChatId } from '../../model/event.ts';
import type { EcaMessage } from './message.ts';
import { titleOf } from './replay.ts';

/** How long a title is waited for once the answer is there, in milliseconds. */
const patience = 5_000;

export class TitleFirst {
  readonly #held = new Map<ChatId, EcaMessage[]>();

  /** True where the message is kept for later. */
  holds(message: EcaMessage): boolean {
    const held = this.#held.get(message.root);
    if (!held || isFirst(message)) return false;
    held.push(message);
    return true;
  }

  begin(chat: ChatId): void {
    this.#held.set(chat, []);
  }

  /** Waits for the title of a chat that is not told about yet, and gives back what was kept, the title in front. */
  async end({ session, chat, after }: { readonly session: Session; readonly chat: ChatId; readonly after: (milliseconds: number, call: () => void) => () => void }): Promise<readonly EcaMessage[]> {
    if (!this.#held.has(chat)) return [];
    await new Promise<void>((resolve) => {
      const named = () => titleOf(session.state, chat) !== '';
      if (named()) return resolve();
      const leave = session.follow(() => named() && done());
      const recall = after(patience, () => done());
      const done = () => {
        leave();
        recall();
        resolve();
      };
    });
    const held = this.#held.get(chat) ?? [];
    this.#held.delete(chat);
    return [...held.filter(isTitle), ...held.filter((message) => !isTitle(message))];
  }
}

function isTitle(message: EcaMessage): boolean {
  return message.kind === 'notification' && message.method === 'chat/contentReceived' && 'content' in message.params && message.params.content.type === 'metadata';
}

/** The opening of a chat and the user's own words come at once. */
function isFirst(message: EcaMessage): boolean {
  if (message.kind !== 'notification') return false;
  return message.method === 'chat/opened' || (message.method === 'chat/contentReceived' && 'role' in message.params && message.params.role === 'user');
}
