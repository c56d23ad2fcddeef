// Commands that list what a project and its user tell agents: rules, skills, agents and hooks.
import { untrustedLabel } from '../../../host/settings/projectKnowledge.ts';
import type { State } from '../../../model/state.ts';
import { choices } from '../outbound/catalogue.ts';
import type { CommandCall, CommandEffect } from './run.ts';

/** What models are told to heed, and what decides over their calls. */
export async function rules({ connection, session }: CommandCall): Promise<CommandEffect> {
  const { rules: told } = await connection.host.knowledge.of(session.state.roots);
  const texts = told.map(({ name, path, globs, agents, models, untrusted }) => {
    const whom = [
      ...agents.map((agent) => `agent ${agent}`),
      ...models.map((model) => `model ${model}`),
      ...globs,
    ].join(', ');
    return `- ${name}${whom === '' ? '' : ` (${whom})`}: ${path}${untrusted ? ` ${untrustedLabel}` : ''}`;
  });
  return {
    say: [
      `Rules that agents are told:\n${texts.join('\n') || '- none'}`,
      'What may run is decided in this order: what a rule denies, what lies outside the workspace, what a rule allows; reading inside the workspace is free, everything else asks.',
      `Rules of this chat:\n${list(session.state)}`,
      `Rules that hold always:\n${list(connection.host.own.state)}`,
    ].join('\n\n'),
  };
}

function list({ rules: given }: State): string {
  return given.length === 0
    ? '- none'
    : given
        .map(({ effect, tool, match }) => `- ${effect} ${tool}${match === undefined ? '' : `: ${match}`}`)
        .join('\n');
}

export async function skills({ connection, session }: CommandCall): Promise<CommandEffect> {
  const { skills: found } = await connection.host.knowledge.of(session.state.roots);
  if (found.length === 0)
    return {
      say: 'No skills were found. They are folders with a SKILL.md below .parley/skills, .eca/skills or .agents/skills, or below the skills folder of your configuration.',
    };
  return { say: `Skills:\n${found.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}` };
}

/** Those that people choose, and those that other agents give a task. */
export async function subagents({ connection, session }: CommandCall): Promise<CommandEffect> {
  const agents = connection.host.agents(session.state.roots);
  const { agents: defined } = await connection.host.knowledge.of(session.state.roots);
  const chosen = choices(agents).map(
    ({ name, agent, mode }) =>
      `- ${name}${name === agent ? '' : ` (${agent})`}: ${defined.find((each) => each.name === mode)?.description ?? agents.find(({ id }) => id === agent)?.description ?? ''}`,
  );
  const tasked = defined
    .filter(({ mode }) => mode !== 'primary')
    .map(
      ({ name, description, model }) =>
        `- ${name}: ${description}${model === undefined ? '' : ` (${model})`}`,
    );
  return {
    say: [
      `Agents:\n${chosen.join('\n') || '- none'}`,
      `Agents for tasks of others:\n${tasked.join('\n') || '- none'}`,
    ].join('\n\n'),
  };
}

export async function hooks({ connection, session }: CommandCall): Promise<CommandEffect> {
  const { hooks: found } = await connection.host.knowledge.of(session.state.roots);
  if (found.length === 0)
    return {
      say: 'There are no hooks. They are set under hooks in the configuration; those of a folder run once you trust it with parley trust.',
    };
  return {
    say: `Hooks:\n${found.map(({ name, on, matcher, actions }) => `- ${name}: ${on}${matcher === undefined ? '' : ` for ${typeof matcher === 'string' ? matcher : Object.keys(matcher).join(', ')}`}, ${actions.length} ${actions.length === 1 ? 'action' : 'actions'}`).join('\n')}`,
  };
}
