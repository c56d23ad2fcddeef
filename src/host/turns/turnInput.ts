// The message and the history that an agent gets for a turn, also for a resumed turn and
// for a side chat. Pure.
import type { UserMessage } from '../../model/event.ts';
import type { Chat, EndedTurn, State, Turn } from '../../model/state.ts';
import { revertedText } from '../workspace/revertedEdits.ts';

export interface TurnInput {
  readonly message: UserMessage;
  readonly history: readonly EndedTurn[];
}

/** A resumed turn is the last turn of its own history, and its message only asks the agent to continue. */
export function turnInput(state: State, chat: Chat, turn: Turn): TurnInput {
  const before = [...sourceTurns(state, chat), ...chat.turns];
  if (!turn.items.some((item) => item.type === 'notice' && item.broke))
    return { message: withRevertedEdits(state, chat, withSelection(chat, turn.message)), history: before };
  const interrupted: EndedTurn = { ...turn, outcome: { kind: 'interrupted' }, endedAt: turn.startedAt };
  return {
    message: {
      id: turn.message.id,
      text: continuePrompt,
      ...(turn.message.model === undefined ? {} : { model: turn.message.model }),
    },
    history: [...before, interrupted],
  };
}

const continuePrompt =
  'Your last answer broke off. Go on where it stopped; what you have done already stays done.';

/**
 * The conversation that a side chat is about, up to the turn where it started. A side chat may
 * be about another one.
 */
function sourceTurns(state: State, { origin }: Chat, depth = 8): readonly EndedTurn[] {
  if (origin.type !== 'side' || depth === 0) return [];
  const source = Object.hasOwn(state.chats, origin.chat) ? state.chats[origin.chat] : undefined;
  const last = source?.turns.findIndex(({ id }) => id === origin.turn) ?? -1;
  return source ? [...sourceTurns(state, source, depth - 1), ...source.turns.slice(0, last + 1)] : [];
}

/** The selection that a side chat is about goes with its first message. */
function withSelection({ origin, turns }: Chat, message: UserMessage): UserMessage {
  if (origin.type !== 'side' || !origin.about || turns.length > 0) return message;
  return withText(message, 'What this is about', origin.about.text);
}

/** An agent that does not know about reverted edits would do harm. */
function withRevertedEdits(state: State, chat: Chat, message: UserMessage): UserMessage {
  const text = revertedText(chat, state);
  return text === undefined ? message : withText(message, 'What happened since', text);
}

/** Adds the text after the message's own attachments. */
function withText(message: UserMessage, label: string, text: string): UserMessage {
  return { ...message, attachments: [...(message.attachments ?? []), { type: 'text', label, text }] };
}
