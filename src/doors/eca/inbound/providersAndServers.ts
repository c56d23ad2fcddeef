// Providers and MCP servers as a client manages them. The work is done by the services given to the door; without one there is nothing to manage.
import type { Done, Results } from '../../../protocols/eca/messages.ts';
import type { ProviderModel, ProviderStatus } from '../../../protocols/eca/serviceMessages.ts';
import type { NotificationParams, RequestParams } from '../../../protocols/eca/schema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import type { Connection } from '../connection.ts';
import { pathOf } from './toCommand.ts';
import { announce } from '../outbound/announce.ts';
import type { McpAction, Refused } from '../options.ts';

export function listProviders({ options, host }: Connection): Results['providers/list'] {
  return {
    providers:
      options.providers?.list() ?? guessed(host.agents().flatMap(({ models }) => models.map(({ id }) => id))),
  };
}

export async function login(
  { options }: Connection,
  { provider, method }: RequestParams<'providers/login'>,
): Promise<Results['providers/login']> {
  const step = await (options.providers?.login(provider, method) ?? unknown(provider));
  return 'refused' in step ? refuse(step) : step;
}

export async function loginInput(
  connection: Connection,
  { provider, data }: RequestParams<'providers/loginInput'>,
): Promise<Results['providers/loginInput']> {
  const step = await (connection.options.providers?.input(provider, data) ?? unknown(provider));
  if ('refused' in step) return refuse(step);
  tellProvider(connection, provider);
  return step;
}

export async function logout(
  connection: Connection,
  { provider }: RequestParams<'providers/logout'>,
): Promise<Done> {
  const refused = await (connection.options.providers?.logout(provider) ?? unknown(provider));
  if (refused) return refuse(refused);
  tellProvider(connection, provider);
  return {};
}

/** The models first: clients show a provider with what it brings. */
function tellProvider(connection: Connection, id: string): void {
  announce(connection);
  const status = connection.options.providers?.list().find((provider) => provider.id === id);
  if (status) connection.tellProvider(status);
}

function unknown(provider: string): Refused {
  return { refused: `Unknown provider: ${provider}` };
}

/** Where nobody manages providers, those that the models name are simply there. */
function guessed(models: readonly string[]): readonly ProviderStatus[] {
  const providers = new Map<string, ProviderModel[]>();
  for (const model of new Set(models)) {
    const at = model.indexOf('/');
    const id = at < 0 ? model : model.slice(0, at);
    const known = providers.get(id) ?? [];
    known.push({
      id: model.slice(at + 1),
      capabilities: { reason: false, vision: false, tools: true, webSearch: false, imageGeneration: false },
    });
    providers.set(id, known);
  }
  return [...providers].map(([id, all]) => ({
    id,
    configured: true,
    auth: { status: 'local' },
    models: all,
  }));
}

/** The answer says that the server begins; what becomes of it comes behind. */
export async function addServer(
  { options, roots, servers, host }: Connection,
  params: RequestParams<'mcp/addServer'>,
): Promise<Results['mcp/addServer']> {
  const { name, scope, workspaceUri, ...config } = params;
  const root =
    scope === 'workspace'
      ? ((workspaceUri === undefined ? undefined : pathOf(workspaceUri)) ?? roots[0])
      : undefined;
  servers.hold(name);
  try {
    const server = (await options.mcp?.add(name, config, { root, roots })) ?? noServers;
    return 'refused' in server ? refuseServer(name, server) : { server };
  } finally {
    host.clock.defer(() => servers.release(name));
  }
}

export async function updateServer(
  { options, roots, servers }: Connection,
  { name, ...config }: RequestParams<'mcp/updateServer'>,
): Promise<Done> {
  servers.release(name);
  const refused = options.mcp ? await options.mcp.update(name, config, roots) : missing(name);
  return refused ? refuseServer(name, refused) : {};
}

export async function removeServer(
  { options, roots, servers }: Connection,
  { name }: RequestParams<'mcp/removeServer'>,
): Promise<Results['mcp/removeServer']> {
  servers.release(name);
  const refused = options.mcp ? await options.mcp.remove(name, roots) : missing(name);
  return refused ? refuseServer(name, refused) : { name, removed: true };
}

/** A notification has no answer, so a refusal is shown to the user. */
export async function actOnServer(
  connection: Connection,
  { name }: NotificationParams<'mcp/startServer'>,
  action: McpAction,
): Promise<void> {
  const { mcp } = connection.options;
  const result = mcp ? await mcp.act(name, action, connection.roots) : missing(name);
  if (!result) return;
  const [type, message] =
    'refused' in result
      ? (['warning', result.refused] as const)
      : (['info', `To sign in to ${name}, go to ${result.visit}`] as const);
  connection.tell('$/showMessage', { type, message });
}

const noServers: Refused = { refused: 'This host cannot use MCP servers.' };

function missing(name: string): Refused {
  return { refused: `MCP server '${name}' does not exist` };
}

function refuseServer(name: string, { refused }: Refused): never {
  throw RpcError.raw({ code: 'invalid_request', message: refused, data: { serverName: name } });
}

function refuse({ refused }: Refused): never {
  throw RpcError.raw({ message: refused });
}
