// The profile of the native agent for one turn: what the project says, which agent definition applies, and
// whom it may delegate to.
import type { TurnContext } from '../../../host/agent.ts';
import { bareKnowledge, definitionOf, spawnableAgents } from '../../../host/settings/projectKnowledge.ts';
import type {
  AgentDefinition,
  Knowledge,
  ProjectKnowledge,
} from '../../../host/settings/projectKnowledge.ts';
import { leftOut, withoutLeftOut } from '../../../host/turns/disabledFeatures.ts';
import { mayDelegate, subagentTask } from '../prompt/subagentTask.ts';
import type { SubagentTask } from '../prompt/subagentTask.ts';

export interface TurnProfile {
  /** The project's knowledge without the features that the user disabled. */
  readonly knowledge: ProjectKnowledge;
  readonly definition: AgentDefinition | undefined;
  /** True in a chat that another agent's call started. */
  readonly isSubagent: boolean;
  /** The reasoning effort: what the calling agent wants, else the session's option, else the definition's. */
  readonly variant: string | undefined;
  /** The agents that it may give tasks to. */
  readonly helpers: readonly AgentDefinition[];
}

/** The profile that the calling agent wants, else the one of the session's mode. */
export async function resolveProfile(
  { session: { roots, mode, chat }, state }: Pick<TurnContext, 'session' | 'state'>,
  knowledge: Knowledge | undefined,
): Promise<TurnProfile> {
  const effective = withoutLeftOut((await knowledge?.of(roots)) ?? bareKnowledge, leftOut(state()));
  const task = subagentTask(state(), chat, effective);
  const primary = definitionOf(effective, mode);
  const definition = task ? delegatedDefinition(task, primary) : primary;
  const { variant: option } = state().options;
  return {
    knowledge: effective,
    definition,
    isSubagent: task !== undefined,
    variant: task?.variant ?? (typeof option === 'string' ? option : definition?.variant),
    helpers: definition && mayDelegate(state(), chat) ? spawnableAgents(effective, definition.name) : [],
  };
}

/** A read-only agent cannot have another agent make changes for it. */
function delegatedDefinition(
  { definition }: SubagentTask,
  primary: AgentDefinition | undefined,
): AgentDefinition | undefined {
  return definition && primary?.readOnly ? { ...definition, readOnly: true } : definition;
}
