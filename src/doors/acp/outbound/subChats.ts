// Finds the chats that tools of another chat have started, directly or through other chats. Pure.
import type { ChatId } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';

export function isWithin({ chats }: Pick<State, 'chats'>, chat: ChatId, whole: ChatId): boolean {
  const seen = new Set<ChatId>();
  for (let at = chat; !seen.has(at);) {
    seen.add(at);
    const origin = Object.hasOwn(chats, at) ? chats[at]?.origin : undefined;
    if (origin?.type !== 'tool') return false;
    if (origin.chat === whole) return true;
    at = origin.chat;
  }
  return false;
}
