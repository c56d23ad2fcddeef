// The methods of an ECA client: which function handles each, and how its params are checked.
import type { output, ZodType } from 'zod';
import { onAbort } from '../../base/waiting.ts';
import { pipeMethods } from '../../host/door.ts';
import { NotStored, isAway, storeIsAway } from '../../host/session/logStore.ts';
import type { Host } from '../../host/host.ts';
import type { DraftPromptResult } from '../../protocols/eca/draft.ts';
import type { Done, Results } from '../../protocols/eca/messages.ts';
import { notifications, read, requests } from '../../protocols/eca/schema.ts';
import type { NotificationMethod, RequestMethod } from '../../protocols/eca/schema.ts';
import type { Handler, RequestContext } from '../../rpc/peer.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { EcaConnection } from './connection.ts';
import { promptDraft } from './draft/prompt.ts';
import { cancelled, invalidParams, unavailable } from './errors.ts';
import { approve, rejectCall } from './inbound/approvals.ts';
import {
  addFlag,
  chatHistory,
  clearChat,
  deleteChat,
  listChats,
  openChat,
  removeFlag,
  rollBack,
  updateChat,
} from './inbound/chats.ts';
import { queryCommands, queryContexts, queryFiles } from './inbound/completions.ts';
import { forkChat } from './inbound/fork.ts';
import { completeCode, rewrite } from './inbound/inlineAssist.ts';
import { killJob, listJobs, readJob } from './inbound/jobs.ts';
import { exit, initialize, initialized, shutdown, workspaceFoldersChanged } from './inbound/lifecycle.ts';
import { prompt, stopPrompt } from './inbound/prompts.ts';
import { handlePipe, repeatedRequest } from './inbound/resume.ts';
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
import { agentSelected, modelSelected } from './inbound/selection.ts';
import { steer, withdrawSteering } from './inbound/steering.ts';
import type { McpAction } from './options.ts';

export function methodHandler(connection: () => EcaConnection): Handler {
  return {
    request(given, parameters, context) {
      const isPiped = forPipes.has(given) && connection().options.resumable === true;
      const { method, params } =
        isPiped && given === pipeMethods.again
          ? repeatedRequest(parameters)
          : { method: given, params: parameters };
      if (isPiped && method === given)
        return respond(connection().host, { context, method }, () =>
          handlePipe(connection(), method, params),
        );
      if (!isMethod(requestRoutes, method))
        throw new RpcError(rpcCodes.methodNotFound, 'Method not found', { method });
      const run = (received: unknown) => requestRoutes[method](connection(), received, context.signal);
      return respond(connection().host, { context, method }, () => withTexts(connection(), params, run));
    },
    /** Ignores an unknown method. Throws on bad params, for the peer to report: there is no response. */
    notification(method, params) {
      const { signal } = connection().lifetime;
      return isMethod(notificationRoutes, method)
        ? withTexts(connection(), params, (received) =>
            notificationRoutes[method](connection(), received, signal),
          )
        : undefined;
    },
  };
}

const forPipes: ReadonlySet<string> = new Set(Object.values(pipeMethods));

/** Handles a message whose chat ids may be numbers; the result then has the numbers again. */
function withTexts(
  { ownChats: { numbered }, profile, sender }: EcaConnection,
  params: unknown,
  handle: (params: unknown) => unknown,
): unknown {
  const received = numbered.receive(params);
  if (!numbered.isUsed) return handle(params);
  if (!profile.draft) sender.sendThrough(numbered);
  const result = handle(received);
  return result instanceof Promise
    ? result.then((value: unknown) => numbered.send(value))
    : numbered.send(result);
}

/**
 * The result of a request: immediate where the handler is, and without waiting further once the request is
 * cancelled. An unexpected error is reported to the host; the client learns only which request failed.
 */
function respond(
  host: Host,
  { context, method }: { readonly context: RequestContext; readonly method: string },
  handle: () => unknown,
): unknown {
  const fail = (error: unknown): never => {
    if (error instanceof RpcError || context.signal.aborted) throw error;
    if (error instanceof NotStored)
      throw new RpcError(rpcCodes.internalError, error.message, { id: context.id, method });
    if (isAway(error)) throw unavailable(storeIsAway);
    host.report(error, `the ECA request ${method}`);
    throw new RpcError(rpcCodes.internalError, 'Internal error', { id: context.id, method });
  };
  try {
    const result = handle();
    return result instanceof Promise
      ? Promise.race([result.catch(fail), rejectOnAbort(context.signal)])
      : result;
  } catch (error) {
    return fail(error);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => onAbort(signal, () => reject(cancelled())));
}

/** Checks the params first: bad params are refused before anything happens. */
type Route<R> = (connection: EcaConnection, params: unknown, signal: AbortSignal) => R | Promise<R>;

const routePrompt = route(requests['chat/prompt'], prompt);

const requestRoutes: {
  readonly [M in RequestMethod]: Route<Results[M] | (M extends 'chat/prompt' ? DraftPromptResult : never)>;
} = {
  initialize: route(requests.initialize, initialize),
  shutdown,
  'chat/prompt': (connection, params, signal) =>
    connection.profile.draft
      ? promptDraft(connection, connection.profile.draft, params)
      : routePrompt(connection, params, signal),
  'chat/list': route(requests['chat/list'], listChats),
  'chat/open': route(requests['chat/open'], openChat),
  'chat/history': route(requests['chat/history'], chatHistory),
  'chat/delete': route(requests['chat/delete'], deleteChat),
  'chat/clear': route(requests['chat/clear'], ifCreated(clearChat)),
  'chat/update': route(requests['chat/update'], ifCreated(updateChat)),
  'chat/rollback': route(requests['chat/rollback'], rollBack),
  'chat/addFlag': route(requests['chat/addFlag'], addFlag),
  'chat/removeFlag': route(requests['chat/removeFlag'], ifCreated(removeFlag)),
  'chat/queryContext': route(requests['chat/queryContext'], queryContexts),
  'chat/queryFiles': route(requests['chat/queryFiles'], queryFiles),
  'chat/queryCommands': route(requests['chat/queryCommands'], queryCommands),
  'chat/fork': route(requests['chat/fork'], forkChat),
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
  'completion/inline': route(requests['completion/inline'], completeCode),
  'rewrite/prompt': route(requests['rewrite/prompt'], rewrite),
};

const notificationRoutes: { readonly [M in NotificationMethod]: Route<void> } = {
  initialized,
  exit,
  'workspace/didChangeWorkspaceFolders': route(
    notifications['workspace/didChangeWorkspaceFolders'],
    workspaceFoldersChanged,
  ),
  'mcp/startServer': serverAction('start'),
  'mcp/stopServer': serverAction('stop'),
  'mcp/connectServer': serverAction('connect'),
  'mcp/logoutServer': serverAction('logout'),
  'mcp/disableServer': serverAction('disable'),
  'mcp/enableServer': serverAction('enable'),
  'chat/toolCallApprove': route(notifications['chat/toolCallApprove'], approve),
  'chat/toolCallReject': route(notifications['chat/toolCallReject'], rejectCall),
  'chat/promptStop': route(notifications['chat/promptStop'], stopPrompt),
  'chat/promptSteer': route(notifications['chat/promptSteer'], steer),
  'chat/promptSteerRemove': route(notifications['chat/promptSteerRemove'], withdrawSteering),
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

/** Editors clear, trust and rename a chat before its first prompt creates it; that is no error. */
function ifCreated<P extends { readonly chatId: string }>(
  handle: (connection: EcaConnection, params: P) => Promise<Done>,
): (connection: EcaConnection, params: P) => Promise<Done> {
  return async (connection, params) =>
    (await connection.chats.find(params.chatId)) ? handle(connection, params) : {};
}

function route<S extends ZodType, R>(
  schema: S,
  handle: (connection: EcaConnection, params: output<S>, signal: AbortSignal) => R | Promise<R>,
): Route<R> {
  return (connection, params, signal) => {
    const result = read(schema, params);
    if ('problem' in result) throw invalidParams(result.problem);
    return handle(connection, result.value, signal);
  };
}

function isMethod<T extends object>(table: T, method: string): method is Extract<keyof T, string> {
  return Object.hasOwn(table, method);
}
