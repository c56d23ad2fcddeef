// What another agent has asked of ours, where a chat was begun by a call: read off the call's arguments in the log.
import { depthOf } from '../../../host/turns/subagents.ts';
import { primaryAgents } from '../../../host/settings/projectKnowledge.ts';
import type { AgentDefinition, ProjectKnowledge } from '../../../host/settings/projectKnowledge.ts';
import type { ChatId, Json } from '../../../model/event.ts';
import { findTool } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import { textIn } from '../tools/json.ts';

export interface Tasked {
  readonly definition: AgentDefinition | undefined;
  readonly variant: string | undefined;
}

/** Whoever works for another agent gives nothing on. */
const deepest = 1;

/** Whether an agent in this chat may give tasks to others. */
export function mayDelegate(state: State, chat: ChatId): boolean {
  return depthOf(state, chat) < deepest;
}

/** Undefined for a chat of the user's own. */
export function taskedIn(state: State, chat: ChatId, knowledge: ProjectKnowledge): Tasked | undefined {
  if (depthOf(state, chat) === 0) return undefined;
  const given = givenWith(state, chat);
  const helpers = knowledge.agents.filter(({ mode }) => mode !== 'primary');
  const named = helpers.find(({ name }) => name === textIn(given, 'agent'));
  // A definition that is gone is replaced by one that changes nothing, never by one that may do more.
  return {
    definition: named ?? helpers.find(({ readOnly }) => readOnly) ?? primaryAgents(knowledge)[0],
    variant: textIn(given, 'variant'),
  };
}

/** What an agent that works for another one does without: it does not speak with the user and keeps no list of its own. */
export const withheldTools: ReadonlySet<string> = new Set(['task', 'ask_user', 'git', 'spawn_agent']);

/** The arguments of the call that began a chat. */
function givenWith(state: State, chat: ChatId): Json | undefined {
  const origin = state.chats[chat]?.origin;
  const parent = origin?.type === 'tool' ? state.chats[origin.chat] : undefined;
  if (!parent || origin?.type !== 'tool') return undefined;
  return [parent.active, ...parent.turns.toReversed()].flatMap((turn) => findTool(turn, origin.tool) ?? [])[0]
    ?.input;
}
