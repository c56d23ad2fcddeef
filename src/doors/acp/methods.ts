// The methods of ACP clients: which function handles each, and how its params are checked.
import {
  initializeParams,
  newSessionParams,
  openSessionParams,
  promptParams,
  sessionParams,
  setConfigOptionParams,
  setModelParams,
  setModeParams,
} from '../../protocols/acp/v1/agentSchema.ts';
import type { Handler } from '../../rpc/peer.ts';
import { roleRefusal, mayAs } from '../../host/policy/roles.ts';
import { pipeMethods } from '../../host/door.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import { signingIn } from './inbound/accounts.ts';
import { bothVersions, repeatRequest } from './inbound/bothVersions.ts';
import { call } from './inbound/readParams.ts';
import type { MethodHandler, Caller, Feature, NotificationHandler } from './inbound/readParams.ts';
import { explainLoss } from './errors.ts';
import { initializeResult } from './initialize.ts';
import { resumption } from './inbound/resume.ts';
import { prompt } from './inbound/prompts.ts';
import { firstGeneration, isFirstGeneration } from './outbound/firstGeneration.ts';
import { version1 } from './outbound/wireVersion.ts';
import * as later from './v2/methods.ts';
import { roleFor } from './roles.ts';
import { loadSession, newSession, resumeSession } from './inbound/sessions.ts';
import { configOptionsOf } from './inbound/sessionSettings.ts';
import { setOption } from './inbound/setOption.ts';
import { archive } from './unstable/archive.ts';
import { authStatus } from './unstable/authStatus.ts';
import { forkMethods } from './unstable/fork.ts';
import { mcpMessages, mcpNotifications } from './unstable/mcpOverAcp.ts';
import { nes, nesNotifications, nesOffer } from './unstable/nes/nes.ts';
import { providerMethods } from './unstable/providers.ts';
import { status } from './unstable/status.ts';
import { setTitle } from './unstable/title.ts';

export function methodHandler(caller: () => Caller): Handler {
  return {
    request(method, params, context) {
      const known = (isLater(caller()) ? later.requests : requests).get(method);
      if (!known || (isForPipes(method) && !caller().connection.resumable))
        throw new RpcError(rpcCodes.methodNotFound, `There is no method ${method}.`, { method });
      if (method !== 'initialize' && !caller().connection.client)
        throw new RpcError(rpcCodes.invalidRequest, 'The first request must be initialize.');
      const { role } = caller().connection;
      const needed = roleFor(method);
      if (!mayAs(role, needed))
        throw new RpcError(rpcCodes.invalidRequest, roleRefusal(role, needed), { needed });
      const result = known(caller(), params, context);
      return result instanceof Promise ? result.catch(rethrow) : result;
    },
    notification(method, params) {
      if (mayAs(caller().connection.role, roleFor(method)))
        (isLater(caller()) ? later.notifications : notifications).get(method)?.(caller(), params);
    },
  };
}

/** Whether the client speaks version 2. */
function isLater({ connection }: Caller): boolean {
  return connection.version.number === 2;
}

const forPipes: ReadonlySet<string> = new Set(Object.values(pipeMethods));

function isForPipes(method: string): boolean {
  return forPipes.has(method);
}

function rethrow(error: unknown): never {
  throw explainLoss(error);
}

const features: readonly Feature[] = [
  forkMethods,
  setTitle,
  archive,
  status,
  authStatus,
  mcpMessages,
  providerMethods,
  nes,
];

/** Requests that may be handled again by another host, because the second time changes nothing more. */
const repeatable: ReadonlySet<string> = new Set([
  'authenticate',
  'session/list',
  'session/resume',
  'session/close',
  'session/delete',
  'session/set_mode',
  'session/set_model',
  'session/set_config_option',
]);

const again = repeatRequest({
  prompt,
  repeatable: (method) => (repeatable.has(method) ? requests.get(method) : undefined),
});

const initialize = call(initializeParams, ({ connection, options }, { clientInfo, clientCapabilities }) => {
  connection.client = { info: clientInfo, capabilities: clientCapabilities };
  connection.version = isFirstGeneration(clientInfo, clientCapabilities) ? firstGeneration : version1;
  const hello = initializeResult(options.version, clientCapabilities);
  return { ...hello, agentCapabilities: { ...hello.agentCapabilities, ...nesOffer(clientCapabilities) } };
});

const requests: ReadonlyMap<string, MethodHandler> = new Map<string, MethodHandler>([
  ...features.flat(),
  ...bothVersions,
  ...signingIn,
  ...resumption,
  [pipeMethods.again, again],
  [
    'initialize',
    (caller, params, context) =>
      (later.asksForVersion2(params) ? later.initialize : initialize)(caller, params, context),
  ],
  [
    'session/new',
    call(newSessionParams, ({ connection, options }, params) =>
      newSession(connection, params, options.agent),
    ),
  ],
  [
    'session/load',
    call(openSessionParams, ({ connection }, params, { signal }) => loadSession(connection, params, signal)),
  ],
  ['session/resume', call(openSessionParams, ({ connection }, params) => resumeSession(connection, params))],
  [
    'session/prompt',
    call(promptParams, ({ connection }, params, context) => prompt(connection, params, context)),
  ],
  [
    'session/set_mode',
    call(setModeParams, async ({ connection }, { sessionId, ...choice }) => {
      await setOption(
        connection,
        sessionId,
        'modeId' in choice
          ? { configId: 'mode', value: choice.modeId }
          : { configId: 'model', value: choice.modelId },
      );
      return {};
    }),
  ],
  [
    'session/set_model',
    call(setModelParams, async ({ connection }, { sessionId, modelId }) => {
      await setOption(connection, sessionId, { configId: 'model', value: modelId });
      return {};
    }),
  ],
  [
    'session/set_config_option',
    call(setConfigOptionParams, async ({ connection }, { sessionId, ...choice }) => {
      await setOption(connection, sessionId, choice);
      const { state } = connection.chat(sessionId).session;
      return {
        configOptions: configOptionsOf(connection.host.agents(state.roots), state, connection.switches),
      };
    }),
  ],
]);

/** Ignores unknown notifications and bad params, because a notification has no response. */
const notifications: ReadonlyMap<string, NotificationHandler[1]> = new Map<string, NotificationHandler[1]>([
  [
    'session/cancel',
    ({ connection }, params) => {
      const read = sessionParams.safeParse(params);
      if (read.success) connection.find(read.data.sessionId)?.cancel();
    },
  ],
  mcpNotifications,
  ...nesNotifications,
]);
