// Prompts of MCP servers as commands: `/server:prompt` with positional arguments.
import type { TypedCommand } from '../../../host/settings/promptCommands.ts';
import type { CommandInfo } from '../../../protocols/eca/messages.ts';
import type { EcaConnection } from '../connection.ts';
import type { CommandEffect } from './run.ts';

export function mcpPrompts(connection: EcaConnection): readonly CommandInfo[] {
  return promptsOf(connection).map(({ server, prompt }) => ({
    name: `${server}:${prompt.name}`,
    description: prompt.description ?? '',
    type: 'mcpPrompt',
    arguments: prompt.arguments ?? [],
  }));
}

/** Undefined if no server has the prompt. */
export async function calledPrompt(
  connection: EcaConnection,
  { name, args }: TypedCommand,
): Promise<CommandEffect | undefined> {
  const { options, workspace } = connection;
  const found = promptsOf(connection).find(({ server, prompt }) => `${server}:${prompt.name}` === name);
  if (!found || !options.mcp) return undefined;
  const wanted = found.prompt.arguments ?? [];
  const missing = wanted
    .filter(({ required }, at) => required && args[at] === undefined)
    .map((argument) => argument.name);
  if (missing.length > 0) return { say: `/${name} needs ${missing.join(', ')}.` };
  const given = Object.fromEntries(
    wanted.flatMap((argument, at) => (args[at] === undefined ? [] : [[argument.name, args[at]]])),
  );
  const made = await options.mcp.prompt(
    { server: found.server, prompt: found.prompt.name, arguments: given },
    workspace.roots,
  );
  return 'refused' in made ? { say: made.refused } : { ask: made.text };
}

function promptsOf({ options, workspace }: EcaConnection) {
  return (options.mcp?.list(workspace.roots) ?? []).flatMap(({ name: server, prompts }) =>
    (prompts ?? []).map((prompt) => ({ server, prompt })),
  );
}
