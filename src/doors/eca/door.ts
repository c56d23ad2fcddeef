// The ECA door: serves one client until it goes. Knows the method names, and who takes care of each.
import type { output, ZodType } from 'zod';
import type { Door } from '../../host/door.ts';
import type { Host } from '../../host/host.ts';
import type { Done, Results } from '../../protocols/eca/messages.ts';
import type { DraftPromptResult } from '../../protocols/eca/draft.ts';
import { notifications, read, requests } from '../../protocols/eca/schema.ts';
import type { NotificationMethod, RequestMethod } from '../../protocols/eca/schema.ts';
import { createPeer } from '../../rpc/peer.ts';
import type { Peer, RequestContext } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { Transport } from '../../rpc/transports/transport.ts';
import { approve, refuse } from './inbound/approvals.ts';
import { complete, rewrite } from './inbound/inlineAssist.ts';
import {
  addFlag,
  clear,
  history,
  list,
  open,
  remove,
  removeFlag,
  rollback,
  update,
} from './inbound/chats.ts';
import { Connection } from './connection.ts';
import { promptDraft } from './draft/prompt.ts';
import { fork } from './inbound/fork.ts';
import { killJob, listJobs, readJob } from './inbound/jobs.ts';
import {
  catalogueChanged,
  exit,
  foldersChanged,
  initialize,
  initialized,
  shutdown,
} from './inbound/lifecycle.ts';
import type { EcaDoorOptions, McpAction } from './options.ts';
import { prompt, steer, stop, unsteer } from './inbound/prompts.ts';
import { commands, contexts, files } from './inbound/completions.ts';
import { agentSelected, modelSelected } from './inbound/selection.ts';
import {
  actOnServer,
  addServer,
  listProviders,
  login,
  loginInput,
  logout,
  removeServer,
  updateServer,
} from './inbound/providersAndServers.ts';

export function ecaDoor(options: EcaDoorOptions): Door<Transport> {
  return { name: 'eca', serve: (transport, host) => serve(transport, host, options) };
}

async function serve(transport: Transport, host: Host, options: EcaDoorOptions): Promise<void> {
  const peer: Peer = createPeer(transport, {
    cancel: { method: '$/cancelRequest', idKey: 'id' },
    lenient: true,
    ...(options.limits ? { limits: options.limits } : {}),
    problem: ({ kind, detail, error }) =>
      host.report(error ?? new Error(`${kind}: ${detail}`), 'an ECA connection'),
    handle: {
      request: (method, params, context) =>
        guarded(connection, { context, method }, () =>
          request(connection, { method, params, signal: context.signal }),
        ),
      notification: (method, params) => notification(connection, method, params),
    },
  });
  const connection = new Connection(host, peer, options);
  const unfollow = host.follow((change) => catalogueChanged(connection, change));
  await peer.closed;
  unfollow();
  connection.close();
}

/** Takes what came over the wire; what it cannot read is refused before anybody acts on it. */
type Route<R> = (connection: Connection, params: unknown, signal: AbortSignal) => R | Promise<R>;

const routePrompt = route(requests['chat/prompt'], prompt);

const requestRoutes: {
  readonly [M in RequestMethod]: Route<Results[M] | (M extends 'chat/prompt' ? DraftPromptResult : never)>;
} = {
  initialize: route(requests.initialize, initialize),
  shutdown,
  'chat/prompt': (connection, params, signal) =>
    connection.draft
      ? promptDraft(connection, connection.draft, params)
      : routePrompt(connection, params, signal),
  'chat/list': route(requests['chat/list'], list),
  'chat/open': route(requests['chat/open'], open),
  'chat/history': route(requests['chat/history'], history),
  'chat/delete': route(requests['chat/delete'], remove),
  'chat/clear': route(requests['chat/clear'], onceUsed(clear)),
  'chat/update': route(requests['chat/update'], onceUsed(update)),
  'chat/rollback': route(requests['chat/rollback'], rollback),
  'chat/addFlag': route(requests['chat/addFlag'], addFlag),
  'chat/removeFlag': route(requests['chat/removeFlag'], onceUsed(removeFlag)),
  'chat/queryContext': route(requests['chat/queryContext'], contexts),
  'chat/queryFiles': route(requests['chat/queryFiles'], files),
  'chat/queryCommands': route(requests['chat/queryCommands'], commands),
  'chat/fork': route(requests['chat/fork'], fork),
  'providers/list': listProviders,
  'providers/login': route(requests['providers/login'], login),
  'providers/loginInput': route(requests['providers/loginInput'], loginInput),
  'providers/logout': route(requests['providers/logout'], logout),
  'jobs/list': listJobs,
  'jobs/kill': route(requests['jobs/kill'], killJob),
  'jobs/readOutput': route(requests['jobs/readOutput'], readJob),
  'mcp/addServer': route(requests['mcp/addServer'], addServer),
  'mcp/updateServer': route(requests['mcp/updateServer'], updateServer),
  'mcp/removeServer': route(requests['mcp/removeServer'], removeServer),
  'completion/inline': route(requests['completion/inline'], complete),
  'rewrite/prompt': route(requests['rewrite/prompt'], rewrite),
};

const notificationRoutes: { readonly [M in NotificationMethod]: Route<void> } = {
  initialized,
  exit,
  'workspace/didChangeWorkspaceFolders': route(
    notifications['workspace/didChangeWorkspaceFolders'],
    foldersChanged,
  ),
  'mcp/startServer': serverAction('start'),
  'mcp/stopServer': serverAction('stop'),
  'mcp/connectServer': serverAction('connect'),
  'mcp/logoutServer': serverAction('logout'),
  'mcp/disableServer': serverAction('disable'),
  'mcp/enableServer': serverAction('enable'),
  'chat/toolCallApprove': route(notifications['chat/toolCallApprove'], approve),
  'chat/toolCallReject': route(notifications['chat/toolCallReject'], refuse),
  'chat/promptStop': route(notifications['chat/promptStop'], stop),
  'chat/promptSteer': route(notifications['chat/promptSteer'], steer),
  'chat/promptSteerRemove': route(notifications['chat/promptSteerRemove'], (connection, { chatId }) =>
    unsteer(connection, chatId),
  ),
  'chat/selectedModelChanged': route(notifications['chat/selectedModelChanged'], modelSelected),
  'chat/selectedAgentChanged': route(notifications['chat/selectedAgentChanged'], agentSelected),
  'chat/selectedBehaviorChanged': route(
    notifications['chat/selectedBehaviorChanged'],
    (connection, { chatId, behavior }) => agentSelected(connection, { chatId, agent: behavior }),
  ),
};

function serverAction(action: McpAction): Route<void> {
  return route(notifications[`mcp/${action}Server`], (connection, params) =>
    actOnServer(connection, params, action),
  );
}

/** Editors clear, trust and name a chat that they have made up before they use it; there is nothing to change yet, and that is no error. */
function onceUsed<P extends { readonly chatId: string }>(
  work: (connection: Connection, params: P) => Promise<Done>,
): (connection: Connection, params: P) => Promise<Done> {
  return async (connection, params) =>
    (await connection.find(params.chatId)) ? work(connection, params) : {};
}

function route<S extends ZodType, R>(
  schema: S,
  handle: (connection: Connection, params: output<S>, signal: AbortSignal) => R | Promise<R>,
): Route<R> {
  return (connection, params, signal) => {
    const given = read(schema, params);
    if ('problem' in given) throw new RpcError(rpcCodes.invalidParams, given.problem);
    return handle(connection, given.value, signal);
  };
}

function request(
  connection: Connection,
  {
    method,
    params,
    signal,
  }: { readonly method: string; readonly params: unknown; readonly signal: AbortSignal },
): unknown {
  if (!isKnown(requestRoutes, method))
    throw new RpcError(rpcCodes.methodNotFound, 'Method not found', { method });
  return requestRoutes[method](connection, params, signal);
}

/** A bug is reported to us, and its client is told which request it was. What was answered at once still is, and what is cancelled is waited for no longer. */
function guarded(
  { host }: Connection,
  { context, method }: { readonly context: RequestContext; readonly method: string },
  work: () => unknown,
): unknown {
  const failed = (error: unknown): never => {
    if (error instanceof RpcError || context.signal.aborted) throw error;
    host.report(error, `the ECA request ${method}`);
    throw new RpcError(rpcCodes.internalError, 'Internal error', { id: context.id, method });
  };
  try {
    const result = work();
    return result instanceof Promise
      ? Promise.race([result.catch(failed), onceAborted(context.signal)])
      : result;
  } catch (error) {
    return failed(error);
  }
}

function onceAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new RpcError(rpcCodes.cancelled, 'Request cancelled')), {
      once: true,
    });
  });
}

/** A method nobody knows is ignored; params that cannot be read are reported, as there is nobody to answer. */
function notification(connection: Connection, method: string, params: unknown): unknown {
  return isKnown(notificationRoutes, method)
    ? notificationRoutes[method](connection, params, connection.gone)
    : undefined;
}

function isKnown<T extends object>(table: T, method: string): method is Extract<keyof T, string> {
  return Object.hasOwn(table, method);
}
