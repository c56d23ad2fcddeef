// The requests about providers and MCP servers. Services of the application do the work.
import { samePath } from '../../../base/fileUri.ts';
import type { Done, Results } from '../../../protocols/eca/messages.ts';
import type { ProviderModel, ProviderStatus } from '../../../protocols/eca/serviceMessages.ts';
import type { NotificationParams, RequestParams } from '../../../protocols/eca/schema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import type { EcaConnection } from '../connection.ts';
import { refused as refusedRequest } from '../errors.ts';
import { pathOf } from './paths.ts';
import type { McpAction, PortRefusal } from '../options.ts';

export function listProviders({ options, host }: EcaConnection): Results['providers/list'] {
  return {
    providers:
      options.providers?.list() ??
      providersOf(host.agents().flatMap(({ models }) => models.map(({ id }) => id))),
  };
}

export async function login(
  { options }: EcaConnection,
  { provider, method }: RequestParams<'providers/login'>,
): Promise<Results['providers/login']> {
  const step = await (options.providers?.login(provider, method) ?? unknownProvider(provider));
  return 'refused' in step ? refuse(step) : step;
}

export async function loginInput(
  connection: EcaConnection,
  { provider, data }: RequestParams<'providers/loginInput'>,
): Promise<Results['providers/loginInput']> {
  const step = await (connection.options.providers?.input(provider, data) ?? unknownProvider(provider));
  if ('refused' in step) return refuse(step);
  announceProvider(connection, provider);
  return step;
}

export async function logout(
  connection: EcaConnection,
  { provider }: RequestParams<'providers/logout'>,
): Promise<Done> {
  const refusal = await (connection.options.providers?.logout(provider) ?? unknownProvider(provider));
  if (refusal) return refuse(refusal);
  announceProvider(connection, provider);
  return {};
}

function announceProvider({ options, updates: { announcer } }: EcaConnection, id: string): void {
  const status = options.providers?.list().find((provider) => provider.id === id);
  if (status) announcer.announceProvider(status);
  else announcer.announce();
}

function unknownProvider(provider: string): PortRefusal {
  return { refused: `Unknown provider: ${provider}` };
}

/** The providers that the names of the models imply, for a host without a provider service. */
function providersOf(models: readonly string[]): readonly ProviderStatus[] {
  const providers = new Map<string, ProviderModel[]>();
  for (const model of new Set(models)) {
    const at = model.indexOf('/');
    const id = at < 0 ? model : model.slice(0, at);
    const listed = providers.get(id) ?? [];
    listed.push({
      id: model.slice(at + 1),
      capabilities: { reason: false, vision: false, tools: true, webSearch: false, imageGeneration: false },
    });
    providers.set(id, listed);
  }
  return [...providers].map(([id, all]) => ({
    id,
    configured: true,
    auth: { status: 'local' },
    models: all,
  }));
}

/** The response says that the server is starting; its updates follow the response. */
export async function addServer(
  { options, workspace: { roots }, updates: { servers }, host }: EcaConnection,
  params: RequestParams<'mcp/addServer'>,
): Promise<Results['mcp/addServer']> {
  const { name, scope, workspaceUri, ...config } = params;
  const root = folderFor({ scope, workspaceUri }, roots);
  if (typeof root === 'object') return refuseServer(name, root);
  servers.hold(name);
  try {
    const server = (await options.mcp?.add(name, config, { root, roots })) ?? noServers;
    return 'refused' in server ? refuseServer(name, server) : { server };
  } finally {
    host.clock.defer(() => servers.release(name));
  }
}

/** The folder whose file gets a new server; undefined for the user's own file. */
function folderFor(
  { scope = 'global', workspaceUri }: Pick<RequestParams<'mcp/addServer'>, 'scope' | 'workspaceUri'>,
  roots: readonly string[],
): string | undefined | PortRefusal {
  if (scope === 'global') return undefined;
  if (scope !== 'workspace') return { refused: `The scope is "global" or "workspace", not "${scope}"` };
  const named = workspaceUri === undefined ? roots[0] : pathOf(workspaceUri);
  const root = roots.find((each) => named !== undefined && samePath(each, named));
  if (root !== undefined) return root;
  return {
    refused:
      workspaceUri === undefined
        ? 'No workspace folder is open'
        : `'${workspaceUri}' is not an open workspace folder`,
  };
}

export async function updateServer(
  { options, workspace: { roots }, updates: { servers } }: EcaConnection,
  { name, ...config }: RequestParams<'mcp/updateServer'>,
): Promise<Done> {
  servers.release(name);
  const refusal = options.mcp ? await options.mcp.update(name, config, roots) : unknownServer(name);
  return refusal ? refuseServer(name, refusal) : {};
}

export async function removeServer(
  { options, workspace: { roots }, updates: { servers } }: EcaConnection,
  { name }: RequestParams<'mcp/removeServer'>,
): Promise<Results['mcp/removeServer']> {
  servers.release(name);
  const refusal = options.mcp ? await options.mcp.remove(name, roots) : unknownServer(name);
  return refusal ? refuseServer(name, refusal) : { name, removed: true };
}

/** A notification has no response, so a refusal is shown to the user. */
export async function actOnServer(
  connection: EcaConnection,
  { name }: NotificationParams<'mcp/startServer'>,
  action: McpAction,
): Promise<void> {
  const { mcp } = connection.options;
  const result = mcp ? await mcp.act(name, action, connection.workspace.roots) : unknownServer(name);
  if (!result) return;
  const [type, message] =
    'refused' in result
      ? (['warning', result.refused] as const)
      : (['info', `To sign in to ${name}, go to ${result.visit}`] as const);
  connection.sender.notify('$/showMessage', { type, message });
}

const noServers: PortRefusal = { refused: 'This host does not support MCP servers.' };

function unknownServer(name: string): PortRefusal {
  return { refused: `MCP server '${name}' does not exist` };
}

function refuseServer(name: string, { refused: why }: PortRefusal): never {
  throw refusedRequest(why, { serverName: name });
}

function refuse({ refused: why }: PortRefusal): never {
  throw RpcError.raw({ message: why });
}
