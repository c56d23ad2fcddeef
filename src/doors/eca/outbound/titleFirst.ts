// The fixed order of messages that a client asks for with ECA's configuration key `env: "test"`, as ECA's
// integration suite does: after the first message of a chat, and after the third, with which the chat may be
// renamed, the title comes before everything else. `inbound/prompts.ts` answers a prompt when its turn is
// over, and asks agents for `fixedOrder`.
import type { Session } from '../../../host/session/session.ts';
import type { ChatId } from '../../../model/event.ts';
import { chatPosition, say } from './message.ts';
import type { EcaMessage } from './message.ts';
import { titleOf } from './replay.ts';

/** How long to wait for the title after the answer, in milliseconds. */
const patience = 5_000;

export class TitleFirst {
  readonly #held = new Map<ChatId, EcaMessage[]>();
  /** Chats whose first turn has not started; messages before it are sent immediately. */
  readonly #fresh = new Set<ChatId>();

  /** True if the message is held back. */
  holds(message: EcaMessage): boolean {
    const held = this.#held.get(message.root);
    if (begins(message)) this.#fresh.delete(message.root);
    if (!held || this.#fresh.has(message.root)) return false;
    held.push(message);
    return true;
  }

  begin(chat: ChatId): void {
    this.#held.set(chat, []);
    this.#fresh.add(chat);
  }

  /** Waits for the title and returns the messages that were held back, the title first. */
  async end({
    session,
    chat,
    after,
  }: {
    readonly session: Session;
    readonly chat: ChatId;
    readonly after: (milliseconds: number, call: () => void) => () => void;
  }): Promise<readonly EcaMessage[]> {
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
    this.#fresh.delete(chat);
    const told = held.filter(isTitle);
    const same = say(chatPosition(session.state, chat), 'system', {
      type: 'metadata',
      title: titleOf(session.state, chat),
    });
    return [...(told.length === 0 ? [same] : told), ...held.filter((message) => !isTitle(message))];
  }
}

function isTitle(message: EcaMessage): boolean {
  return (
    message.kind === 'notification' &&
    message.method === 'chat/contentReceived' &&
    'content' in message.params &&
    message.params.content.type === 'metadata'
  );
}

function begins(message: EcaMessage): boolean {
  return message.kind === 'notification' && message.method === 'chat/statusChanged';
}
