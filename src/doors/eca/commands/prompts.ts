// Prompts of MCP servers as commands: `/server:prompt` with its arguments in their order.
import type { Typed } from '../../../host/settings/promptCommands.ts';
import type { CommandInfo } from '../../../protocols/eca/messages.ts';
import type { Connection } from '../connection.ts';
import type { Effect } from './run.ts';

export function mcpPrompts({ options, roots }: Connection): readonly CommandInfo[] {
  return offered({ options, roots }).map(({ server, prompt }) => ({
    name: `${server}:${prompt.name}`,
    description: prompt.description ?? '',
    type: 'mcpPrompt',
    arguments: prompt.arguments ?? [],
  }));
}

/** Nothing where no server has such a prompt. */
export async function calledPrompt(
  { options, roots }: Connection,
  { name, args }: Typed,
): Promise<Effect | undefined> {
  const found = offered({ options, roots }).find(({ server, prompt }) => `${server}:${prompt.name}` === name);
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
    roots,
  );
  return 'refused' in made ? { say: made.refused } : { ask: made.text };
}

function offered({ options, roots }: Pick<Connection, 'options' | 'roots'>) {
  return (options.mcp?.list(roots) ?? []).flatMap(({ name: server, prompts }) =>
    (prompts ?? []).map((prompt) => ({ server, prompt })),
  );
}
