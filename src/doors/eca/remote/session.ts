// What browsers of the remote API get first: the workspace, its chats, and what can be chosen.
import type { AgentInfo } from '../../../host/agent.ts';
import type { ChatRow } from '../../../protocols/eca/messages.ts';
import { choices, wholeConfig } from '../outbound/catalogue.ts';
import type { AgentChoice } from '../outbound/catalogue.ts';
import { listChats } from '../inbound/chats.ts';
import type { EcaConnection } from '../connection.ts';
import { welcome } from '../initialize.ts';
import type { RemoteClient } from './remoteClient.ts';

export function sessionOf({ connection, trust, startedAt }: RemoteClient): object {
  const { options, workspace, selection } = connection;
  const { roots, configuration } = workspace;
  const agents = workspace.agents();
  const models = [
    ...new Map(agents.flatMap((agent) => agent.models).map((model) => [model.id, model])).values(),
  ];
  const { selectModel, selectAgent, variants, selectVariant } = wholeConfig(agents, selection.defaults);
  return {
    version: options.version,
    protocolVersion: '1.0',
    workspaceFolders: roots,
    startedAt: new Date(startedAt).toISOString(),
    trust,
    welcomeMessage: configuration.welcomeMessage ?? welcome,
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

/** The description of the mode, else of the agent. */
function descriptionOf(agents: readonly AgentInfo[], { agent, mode }: AgentChoice): string {
  const info = agents.find(({ id }) => id === agent);
  return info?.modes?.find(({ id }) => id === mode)?.description ?? info?.description ?? '';
}

/** The newest chat is last, because browsers show the last one. */
export function chatsOf(
  connection: EcaConnection,
): readonly (ChatRow & { readonly pendingApprovalCount: number })[] {
  const { chats } = listChats(connection, { limit: undefined, sortBy: undefined });
  return chats.toReversed().map((row) => ({ ...row, pendingApprovalCount: approvalsIn(connection, row.id) }));
}

function approvalsIn(connection: EcaConnection, chat: string): number {
  return Object.values(connection.chats.opened(chat)?.state.chats[chat]?.asks ?? {}).filter(
    ({ ask }) => ask.kind === 'approval',
  ).length;
}
