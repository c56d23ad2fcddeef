// The features that the user disabled in one session: tool servers, rules, skills, commands and agent
// definitions, by the ids that clients use.
import type { Command } from '../../model/command.ts';
import type { State } from '../../model/state.ts';
import type { ProjectKnowledge } from '../settings/projectKnowledge.ts';

export type LeftOut = ReadonlySet<string>;

export function leftOut({ disabledFeatures }: Pick<State, 'disabledFeatures'>): LeftOut {
  return new Set(disabledFeatures);
}

export function leaveOut(ids: LeftOut): Command {
  return { kind: 'record', fact: { kind: 'features.disabled', ids: [...ids].toSorted() } };
}

/** A whole kind of knowledge can be disabled, or a single piece of it. */
export const leftOutIds = {
  server: (name: string) => `server:${name}`,
  all: (kind: 'rule' | 'skill' | 'prompt' | 'agent') => `parley:${kind}`,
  rule: (id: string) => `rule:${id}`,
  skill: (name: string) => `skill:${name}`,
  prompt: (name: string) => `prompt:${name}`,
  agent: (name: string) => `agent:${name}`,
} as const;

/** Built-in definitions cannot be disabled. */
export function withoutLeftOut(knowledge: ProjectKnowledge, out: LeftOut): ProjectKnowledge {
  if (out.size === 0) return knowledge;
  const stays = (kind: 'rule' | 'skill' | 'prompt' | 'agent', name: string) =>
    !out.has(leftOutIds.all(kind)) && !out.has(leftOutIds[kind](name));
  return {
    ...knowledge,
    instructions: knowledge.instructions.filter(({ path }) => stays('rule', path)),
    rules: knowledge.rules.filter(({ id }) => stays('rule', id)),
    skills: knowledge.skills.filter(({ name }) => stays('skill', name)),
    commands: knowledge.commands.filter(({ name }) => stays('prompt', name)),
    agents: knowledge.agents.filter(({ name, source }) => source === undefined || stays('agent', name)),
  };
}
