// Commands that list the rules, skills, agents and hooks of the project and the user.
import { untrustedLabel } from '../../../host/settings/projectKnowledge.ts';
import type { State } from '../../../model/state.ts';
import { choices } from '../outbound/catalogue.ts';
import type { CommandCall, CommandEffect } from './run.ts';

/** The instruction files for models, and the permission rules for tool calls. */
export async function rules({ connection, session }: CommandCall): Promise<CommandEffect> {
  const { rules: files } = await connection.host.knowledge.of(session.state.roots);
  const texts = files.map(({ name, path, globs, agents, models, untrusted }) => {
    const scope = [
      ...agents.map((agent) => `agent ${agent}`),
      ...models.map((model) => `model ${model}`),
      ...globs,
    ].join(', ');
    return `- ${name}${scope === '' ? '' : ` (${scope})`}: ${path}${untrusted ? ` ${untrustedLabel}` : ''}`;
  });
  return {
    say: [
      `Instructions for agents:\n${texts.join('\n') || '- none'}`,
      [
        'Permissions are checked in this order: deny rules, paths outside the workspace (ask), allow rules.',
        'Reading inside the workspace is allowed; everything else asks.',
      ].join(' '),
      `Rules of this chat:\n${list(session.state)}`,
      `Rules for all chats:\n${list(connection.host.own.state)}`,
    ].join('\n\n'),
  };
}

function list({ rules: permissions }: State): string {
  return permissions.length === 0
    ? '- none'
    : permissions
        .map(({ effect, tool, match }) => `- ${effect} ${tool}${match === undefined ? '' : `: ${match}`}`)
        .join('\n');
}

export async function skills({ connection, session }: CommandCall): Promise<CommandEffect> {
  const { skills: found } = await connection.host.knowledge.of(session.state.roots);
  if (found.length === 0)
    return {
      say: [
        'No skills found. A skill is a folder with a SKILL.md below .parley/skills, .eca/skills or ' +
          '.agents/skills,',
        'or below the skills folder of your configuration.',
      ].join(' '),
    };
  return { say: `Skills:\n${found.map(({ name, description }) => `- ${name}: ${description}`).join('\n')}` };
}

/** The agents that users choose, and the subagents. */
export async function subagents({ connection, session }: CommandCall): Promise<CommandEffect> {
  const agents = connection.host.agents(session.state.roots);
  const { agents: defined } = await connection.host.knowledge.of(session.state.roots);
  const descriptionOf = (agent: string, mode: string | undefined): string =>
    defined.find(({ name }) => name === mode)?.description ??
    agents.find(({ id }) => id === agent)?.description ??
    '';
  const selectable = choices(agents).map(
    ({ name, agent, mode }) =>
      `- ${name}${name === agent ? '' : ` (${agent})`}: ${descriptionOf(agent, mode)}`,
  );
  const subagentRows = defined
    .filter(({ mode }) => mode !== 'primary')
    .map(
      ({ name, description, model }) =>
        `- ${name}: ${description}${model === undefined ? '' : ` (${model})`}`,
    );
  return {
    say: [
      `Agents:\n${selectable.join('\n') || '- none'}`,
      `Subagents:\n${subagentRows.join('\n') || '- none'}`,
    ].join('\n\n'),
  };
}

export function hooksCommand({ connection, session }: CommandCall): CommandEffect {
  const found = connection.host.knowledge.hooks(session.state.roots);
  if (found.length === 0)
    return {
      say:
        'No hooks. Configure them under `hooks`; hooks of a folder run once you trust it with `parley ' +
        'trust`.',
    };
  const rows = found.map(({ name, on, matcher, actions }) => {
    const tools = typeof matcher === 'object' ? Object.keys(matcher).join(', ') : matcher;
    const count = actions.length === 1 ? '1 action' : `${actions.length} actions`;
    return `- ${name}: ${on}${tools === undefined ? '' : ` for ${tools}`}, ${count}`;
  });
  return { say: `Hooks:\n${rows.join('\n')}` };
}
