// When a thought is over: ECA clients are told the end of reasoning, which the log only implies. Pure.
import type { Step } from '../../../host/session/session.ts';
import type { TextItem, Turn } from '../../../model/state.ts';
import { say } from './message.ts';
import type { EcaMessage, ChatPosition } from './message.ts';

/** Reasoning ends when anything else begins in its turn, or the turn ends. */
export function closeReasoning({ entry, before, after }: Step, place: ChatPosition): readonly EcaMessage[] {
  const turn = before.chats[place.chat]?.active;
  const next = after.chats[place.chat]?.active;
  const thought = turn && lastThought(turn);
  if (!thought || (next && next.items.length === turn.items.length)) return [];
  return [reasonFinished(place, thought, entry.at)];
}

export function reasonFinished(place: ChatPosition, { id, at }: TextItem, endedAt: number): EcaMessage {
  return say(place, 'assistant', { type: 'reasonFinished', id, totalTimeMs: endedAt - at });
}

function lastThought(turn: Turn): TextItem | undefined {
  const last = turn.items.at(-1);
  return last?.type === 'text' && last.channel === 'reasoning' ? last : undefined;
}
