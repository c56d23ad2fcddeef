// The end of reasoning: ECA has a message for it, and the log only implies it. Pure.
import type { Step } from '../../../host/session/session.ts';
import type { TextItem, Turn } from '../../../model/state.ts';
import { say } from './message.ts';
import type { EcaMessage, ChatPosition } from './message.ts';

/** Reasoning ends when anything else begins in its turn, or the turn ends. */
export function closeReasoning(
  { entry, before, after }: Step,
  position: ChatPosition,
): readonly EcaMessage[] {
  const turn = before.chats[position.chat]?.active;
  const next = after.chats[position.chat]?.active;
  const thought = turn && lastThought(turn);
  if (!thought || (next && next.items.length === turn.items.length)) return [];
  return [reasonFinished(position, thought, entry.at)];
}

export function reasonFinished(position: ChatPosition, { id, at }: TextItem, endedAt: number): EcaMessage {
  return say(position, 'assistant', { type: 'reasonFinished', id, totalTimeMs: endedAt - at });
}

function lastThought(turn: Turn): TextItem | undefined {
  const last = turn.items.at(-1);
  return last?.type === 'text' && last.channel === 'reasoning' ? last : undefined;
}
