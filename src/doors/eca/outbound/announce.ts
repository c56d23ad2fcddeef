// Tells a client what it may choose from and which tools there are, as far as it does not know yet.
import type { ChatConfig, ToolInfo } from '../../../protocols/eca/messages.ts';
import { choose, wholeConfig } from './catalogue.ts';
import type { Connection } from '../connection.ts';

/** Sends what has changed since the client was last told; what is as it was is left out. */
export function announce(connection: Connection, more: ChatConfig = {}): void {
  const { host, roots, defaults } = connection;
  const tasked = host.knowledge
    .now(roots)
    .agents.filter(({ mode }) => mode === 'subagent')
    .map(({ name }) => name);
  const now: ChatConfig = { ...wholeConfig(host.agents(roots), defaults, tasked), ...more };
  const before: { readonly [key: string]: unknown } = { ...connection.announced };
  const changed = Object.fromEntries(
    Object.entries(now).filter(([key, value]) => JSON.stringify(before[key]) !== JSON.stringify(value)),
  );
  connection.announced = { ...connection.announced, ...now };
  if (Object.keys(changed).length > 0) connection.tell('config/updated', { chat: changed });
}

/** The models again once they are in step; clients that were not ready for the first push learn them then. */
export function announceModels(connection: Connection): void {
  const { models, selectModel, defaultModel, variants } = connection.announced;
  if (models)
    connection.tell('config/updated', {
      chat: {
        models,
        ...(selectModel === undefined ? {} : { selectModel }),
        ...(defaultModel === undefined ? {} : { defaultModel }),
        ...(variants === undefined ? {} : { variants }),
      },
    });
}

/** What is switched off follows the agent that was chosen last. */
export function announceTools(
  connection: Connection,
  agent: string | undefined = connection.defaults.agent,
): void {
  tellTools(connection, agent);
  for (const server of connection.options.mcp?.list(connection.roots) ?? [])
    connection.tell('tool/serverUpdated', { type: 'mcp', ...server });
}

/** The native tools again where others are switched off now. */
export function renewTools(connection: Connection): void {
  if (JSON.stringify(toolsFor(connection, connection.defaults.agent)) !== connection.toldTools)
    tellTools(connection, connection.defaults.agent);
}

function tellTools(connection: Connection, agent: string | undefined): void {
  const tools = toolsFor(connection, agent);
  connection.toldTools = JSON.stringify(tools);
  connection.tell('tool/serverUpdated', { type: 'native', name: 'ECA', status: 'running', tools });
}

function toolsFor({ options, host, roots }: Connection, agent: string | undefined): readonly ToolInfo[] {
  const mode = choose(host.agents(roots), agent)?.mode;
  return (options.tools?.({ roots, mode }) ?? []).map((tool) => ({
    ...tool,
    disabled: tool.disabled ?? false,
  }));
}
