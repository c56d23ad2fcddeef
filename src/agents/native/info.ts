// Describes the native agent to clients: its models, modes and commands.
import { present } from '../../base/present.ts';
import type { AgentInfo, ModeInfo, ModelInfo } from '../../host/agent.ts';
import { sessionCommands } from '../../host/turns/sessionCommands.ts';
import { primaryAgents } from '../../host/settings/projectKnowledge.ts';
import type { ProjectKnowledge } from '../../host/settings/projectKnowledge.ts';
import { nativeCommands } from './commands.ts';
import type { LanguageModel } from './model.ts';

export function infoOf(models: readonly LanguageModel[], knowledge: ProjectKnowledge): AgentInfo {
  const modes = modesOf(knowledge);
  return {
    id: 'parley',
    name: 'Parley',
    description: 'Built-in agent. Uses the models you sign in to.',
    models: models.map(modelInfo),
    accepts: { images: true, systemPrompt: 'override' },
    commands: [...nativeCommands, ...sessionCommands, ...writtenCommands(knowledge)],
    modes,
    usual: present({ mode: modes[0]?.id, model: models[0]?.id }),
    usesServers: true,
  };
}

function modesOf(knowledge: ProjectKnowledge): readonly ModeInfo[] {
  return primaryAgents(knowledge).map(({ name, description, model, variant }) => ({
    id: name,
    name: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    description,
    ...(model === undefined ? {} : { model }),
    ...(variant === undefined ? {} : { variant }),
  }));
}

/** The commands and skills of the project and the user; they cannot replace a built-in command. */
function writtenCommands({
  commands: written,
  skills,
}: ProjectKnowledge): NonNullable<AgentInfo['commands']> {
  const own = written.map(({ name, description, arguments: args }) => ({
    name,
    description,
    ...(args.length > 0 ? { hint: args.map((each) => each.name).join(' ') } : {}),
  }));
  const taught = skills.map(({ name, description }) => ({ name, description }));
  const taken = new Set([...nativeCommands, ...sessionCommands].map(({ name }) => name));
  return [...own, ...taught].filter(({ name }) => !taken.has(name) && taken.add(name));
}

function modelInfo({ id, name, context, output, variants }: LanguageModel): ModelInfo {
  return {
    id,
    name,
    ...(context === undefined ? {} : { context }),
    ...(output === undefined ? {} : { output }),
    ...(variants === undefined ? {} : { variants }),
  };
}
