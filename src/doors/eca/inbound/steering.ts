// Steering messages: sent into a running turn, and taken back as long as the agent has not read them.
import type { ChatId, MessageId } from '../../../model/event.ts';
import type { NotificationParams } from '../../../protocols/eca/schema.ts';
import type { EcaConnection } from '../connection.ts';
import { messageFrom } from './promptMessage.ts';

/** The steering messages that one client has sent. */
export class SentSteering {
  readonly #sent = new Map<ChatId, Set<MessageId>>();

  add(chat: ChatId, message: MessageId): void {
    this.#sent.set(chat, (this.#sent.get(chat) ?? new Set()).add(message));
  }

  /** The messages sent to a chat; they are forgotten with this call. */
  take(chat: ChatId): ReadonlySet<MessageId> {
    const sent = this.#sent.get(chat) ?? new Set();
    this.#sent.delete(chat);
    return sent;
  }
}

/** Does nothing without words, nor without a running turn: the client sends a prompt instead. */
export function steer(
  { chats, host, ownChats: { steering } }: EcaConnection,
  { chatId: chat, message: text }: NotificationParams<'chat/promptSteer'>,
): void {
  if (text.trim() === '' || !chats.opened(chat)?.head.chats[chat]?.active) return;
  const message = messageFrom({ message: text, contexts: [] }, { id: host.ids.next() });
  steering.add(chat, message.id);
  chats.dispatch(chat, { kind: 'queueMessage', chat, lane: 'steer', message, turn: host.ids.next() });
}

/** Withdraws what this client sent and the agent has not read yet. */
export function withdrawSteering(
  { chats, ownChats: { steering } }: EcaConnection,
  { chatId: chat }: { readonly chatId: ChatId },
): void {
  const waiting = chats.opened(chat)?.head.chats[chat]?.steering ?? [];
  const sent = steering.take(chat);
  for (const { id } of waiting)
    if (sent.has(id)) chats.dispatch(chat, { kind: 'withdrawMessage', chat, message: id });
}
