// The requests of AHP 1.0 that this host answers; every other is refused as unknown.
import type { RequestMethod, Requests } from '../../../protocols/ahp/v1_0/commands.ts';
import { present } from '../../../base/present.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import { answerSynchronously } from '../delivery/answers.ts';
import type { SynchronousAnswer } from '../delivery/answers.ts';
import { agentIn, configCompletions, newSessionConfig } from '../inbound/sessionConfig.ts';
import { ahpError } from '../errors.ts';
import type { RpcError } from '../../../rpc/rpcError.ts';
import type { V1_0Connection } from './connection.ts';
import { chatOf } from '../outbound/chat.ts';
import { turnsBefore } from './outbound/chatState.ts';
import {
  createChat,
  createSession,
  disposeChat,
  disposeSession,
  moveChatToSession,
} from './inbound/sessions.ts';
import { authenticate } from '../inbound/signIns.ts';
import { resourceRequests } from '../resources/resources.ts';
import { invokeChangesetOperation } from './inbound/changesetOperations.ts';
import { completions } from './inbound/completions.ts';
import { listSessions } from './inbound/sessionList.ts';
import { createTerminal } from './inbound/terminals.ts';

type Request<Method extends RequestMethod> = (
  client: V1_0Connection,
  params: Requests[Method]['params'],
) =>
  | Requests[Method]['result']
  | Promise<Requests[Method]['result']>
  | SynchronousAnswer<Requests[Method]['result']>;

export const requests: { readonly [Method in RequestMethod]?: Request<Method> } = {
  ping: () => null,
  subscribe,
  createSession,
  disposeSession,
  createChat,
  moveChat: moveChatToSession,
  disposeChat,
  listSessions,
  fetchTurns,
  completions,
  resolveSessionConfig: (client, params) => newSessionConfig(client.host, params),
  authenticate: (client, params) =>
    authenticate(client.opening.options.signIns, params, {
      unknown: 'invalidParams',
      data: (resources) => ({ resources }),
    }),
  sessionConfigCompletions: async (client, { property, query, ...params }) =>
    configCompletions(await agentIn(client.host, params), present({ property, query })),
  resourceRead: (client, params) => resourceRequests.resourceRead(client.scope, params),
  resourceWrite: (client, params) => resourceRequests.resourceWrite(client.scope, params),
  resourceList: (client, params) => resourceRequests.resourceList(client.scope, params),
  resourceCopy: (client, params) => resourceRequests.resourceCopy(client.scope, params),
  resourceMove: (client, params) => resourceRequests.resourceMove(client.scope, params),
  resourceDelete: (client, params) => resourceRequests.resourceDelete(client.scope, params),
  resourceResolve: (client, params) => resourceRequests.resourceResolve(client.scope, params),
  resourceMkdir: (client, params) => resourceRequests.resourceMkdir(client.scope, params),
  resourceRequest: (client, params) => resourceRequests.resourceRequest(client.scope, params),
  createResourceWatch: (client, params) => client.liveResources.createWatch(params),
  invokeChangesetOperation,
  createTerminal,
  disposeTerminal: (client, { channel }) => client.liveResources.disposeTerminal(channel),
};

function subscribe(
  client: V1_0Connection,
  { channel, view, delivery }: Requests['subscribe']['params'],
): SynchronousAnswer<Requests['subscribe']['result']> {
  return answerSynchronously(async (answer) => {
    const found = await client.find(channel);
    while (!client.sendAll()) await client.caughtUp();
    const snapshot = found && client.enter(found, { turns: turnsIn(view), latency: delivery?.maxLatencyMs });
    if (!snapshot) throw await client.whyNotFound(channel, noChannel(channel));
    answer({ snapshot });
  });
}

function noChannel(uri: string): RpcError {
  const isSession = !uri.startsWith('ahp-') || uri.startsWith('ahp-session');
  return ahpError(isSession ? 'sessionNotFound' : 'notFound', 'There is no such channel.');
}

/** At least one turn, so that there is something to go on from. */
function turnsIn(view: Requests['subscribe']['params']['view']): number | undefined {
  return view?.turns === undefined || !Number.isFinite(view.turns)
    ? undefined
    : Math.max(1, Math.floor(view.turns));
}

/** Older turns come as an action to the one who asked; without a cursor there is nothing more. */
async function fetchTurns(
  client: V1_0Connection,
  { channel, cursor }: Requests['fetchTurns']['params'],
): Promise<Requests['fetchTurns']['result']> {
  const found = await client.find(channel);
  const state = found && client.shown(found.session);
  const chat = state && found.target.kind === 'chat' ? chatOf(state, found.target.chat) : undefined;
  if (!chat || !state)
    throw await client.whyNotFound(channel, ahpError('notFound', 'There is no such chat.'));
  while (!client.sendAll()) await client.caughtUp();
  const loaded = cursor === undefined ? { turns: [] } : turnsBefore(state, chat, cursor);
  if (!loaded) throw ahpError('invalidParams', 'cursor: unknown cursor');
  client.deliveryOptions.loaded(channel, loaded.turnsNextCursor);
  client.sendQueue.tell((seq) =>
    encodeNotification('action', {
      channel,
      action: { type: 'chat/turnsLoaded', ...loaded },
      serverSeq: seq(),
    }),
  );
  client.sendQueue.flush();
  return {};
}
