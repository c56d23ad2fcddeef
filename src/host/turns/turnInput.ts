// What an agent is given of a turn: the message, and the turns before it, also where the turn goes on or its chat is about another one. Pure.
import type { UserMessage } from '../../model/event.ts';
import type { Chat, EndedTurn, State, Turn } from '../../model/state.ts';
import { revertedText } from '../workspace/revertedEdits.ts';

export interface Given {
  readonly message: UserMessage;
  readonly history: readonly EndedTurn[];
}

/** A turn that goes on is its own last past, and its message has been heard. */
export function givenTo(state: State, chat: Chat, turn: Turn): Given {
  const before = [...around(state, chat), ...chat.turns];
  if (!turn.items.some((item) => item.type === 'notice' && item.broke))
    return { message: withNews(chat, pointedAt(chat, turn.message)), history: before };
  const so: EndedTurn = { ...turn, outcome: { kind: 'interrupted' }, endedAt: turn.startedAt };
  return {
    message: {
      id: turn.message.id,
      text: goOn,
      ...(turn.message.model === undefined ? {} : { model: turn.message.model }),
    },
    history: [...before, so],
  };
}

const goOn = 'Your last answer broke off. Go on where it stopped; what you have done already stays done.';

/** The conversation that a side chat is about, up to the turn it began at. Side chats may be about side chats. */
function around(state: State, { origin }: Chat, depth = 8): readonly EndedTurn[] {
  if (origin.type !== 'side' || depth === 0) return [];
  const source = Object.hasOwn(state.chats, origin.chat) ? state.chats[origin.chat] : undefined;
  const last = source?.turns.findIndex(({ id }) => id === origin.turn) ?? -1;
  return source ? [...around(state, source, depth - 1), ...source.turns.slice(0, last + 1)] : [];
}

/** What a side chat was pointed at goes with its first message. */
function pointedAt({ origin, turns }: Chat, message: UserMessage): UserMessage {
  if (origin.type !== 'side' || !origin.about || turns.length > 0) return message;
  return withText(message, 'What this is about', origin.about.text);
}

/** An agent that goes on believing in changes that were taken back does harm. */
function withNews(chat: Chat, message: UserMessage): UserMessage {
  const text = revertedText(chat);
  return text === undefined ? message : withText(message, 'What happened since', text);
}

/** What is added stands behind what the message has itself. */
function withText(message: UserMessage, label: string, text: string): UserMessage {
  return { ...message, attachments: [...(message.attachments ?? []), { type: 'text', label, text }] };
}
