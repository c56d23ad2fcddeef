// The task of a subagent, read from the arguments of the call that started its chat.
import { depthOf } from '../../../host/turns/subagents.ts';
import { primaryAgents } from '../../../host/settings/projectKnowledge.ts';
import type { AgentDefinition, ProjectKnowledge } from '../../../host/settings/projectKnowledge.ts';
import type { ChatId, Json } from '../../../model/event.ts';
import { findTool } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import { textField } from '../tools/json.ts';

export interface SubagentTask {
  readonly definition: AgentDefinition | undefined;
  readonly variant: string | undefined;
}

/** A subagent cannot delegate. */
const deepest = 1;

/** True if the agent in this chat may start subagents. */
export function mayDelegate(state: State, chat: ChatId): boolean {
  return depthOf(state, chat) < deepest;
}

/** Undefined for a chat that the user started. */
export function subagentTask(
  state: State,
  chat: ChatId,
  knowledge: ProjectKnowledge,
): SubagentTask | undefined {
  if (depthOf(state, chat) === 0) return undefined;
  const args = argumentsOf(state, chat);
  const helpers = knowledge.agents.filter(({ mode }) => mode !== 'primary');
  const named = helpers.find(({ name }) => name === textField(args, 'agent'));
  // A definition that no longer exists is replaced by a read-only one, never by one with more rights.
  return {
    definition: named ?? helpers.find(({ readOnly }) => readOnly) ?? primaryAgents(knowledge)[0],
    variant: textField(args, 'variant'),
  };
}

/** The tools that a subagent does not get: it does not talk to the user and has no task list. */
export const withheldTools: ReadonlySet<string> = new Set(['task', 'ask_user', 'git', 'spawn_agent']);

/** The arguments of the call that started the chat. */
function argumentsOf(state: State, chat: ChatId): Json | undefined {
  const origin = state.chats[chat]?.origin;
  const parent = origin?.type === 'tool' ? state.chats[origin.chat] : undefined;
  if (!parent || origin?.type !== 'tool') return undefined;
  return [parent.active, ...parent.turns.toReversed()].flatMap((turn) => findTool(turn, origin.tool) ?? [])[0]
    ?.input;
}
