// What browsers of the remote API are shown first: the workspace, what can be chosen, and its chats. Reads, changes nothing.
import type { AgentInfo } from '../../../host/agent.ts';
import type { ChatRow } from '../../../protocols/eca/messages.ts';
import { choices, wholeConfig } from '../outbound/catalogue.ts';
import type { Choice } from '../outbound/catalogue.ts';
import { list } from '../inbound/chats.ts';
import type { Connection } from '../connection.ts';
import { welcome } from '../greeting.ts';
import type { Place } from './remote.ts';

export function sessionOf({ connection, trust, startedAt }: Place): object {
  const { host, options, roots, configured, defaults } = connection;
  const agents = host.agents(roots);
  const models = [
    ...new Map(agents.flatMap((agent) => agent.models).map((model) => [model.id, model])).values(),
  ];
  const { selectModel, selectAgent, variants, selectVariant } = wholeConfig(agents, defaults);
  return {
    version: options.version,
    protocolVersion: '1.0',
    workspaceFolders: roots,
    startedAt: new Date(startedAt).toISOString(),
    trust,
    welcomeMessage: configured.welcomeMessage ?? welcome,
    models: models.map(({ id, name }) => ({
      id,
      name,
      provider: id.includes('/') ? id.slice(0, id.indexOf('/')) : id,
    })),
    agents: choices(agents).map((choice) => ({
      id: choice.name,
      name: choice.name,
      description: descriptionOf(agents, choice),
    })),
    mcpServers: (options.mcp?.list(roots) ?? []).map((server) => ({ type: 'mcp', ...server })),
    chats: chatsOf(connection),
    selectModel: selectModel ?? null,
    selectAgent: selectAgent ?? null,
    variants: variants ?? [],
    selectedVariant: selectVariant ?? null,
  };
}

/** What its way to work is for, else what the agent itself is. */
function descriptionOf(agents: readonly AgentInfo[], { agent, mode }: Choice): string {
  const info = agents.find(({ id }) => id === agent);
  return info?.modes?.find(({ id }) => id === mode)?.description ?? info?.description ?? '';
}

/** The newest last, as browsers take the last one for the one to show. */
export function chatsOf(
  connection: Connection,
): readonly (ChatRow & { readonly pendingApprovalCount: number })[] {
  const { chats } = list(connection, { limit: undefined, sortBy: undefined });
  return chats.toReversed().map((row) => ({ ...row, pendingApprovalCount: approvalsIn(connection, row.id) }));
}

function approvalsIn(connection: Connection, chat: string): number {
  return Object.values(connection.opened(chat)?.state.chats[chat]?.asks ?? {}).filter(
    ({ ask }) => ask.kind === 'approval',
  ).length;
}
