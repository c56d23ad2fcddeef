// The requests of version 1 that this host answers; every other is refused as unknown.
import type { RequestMethod, Requests } from '../../../protocols/ahp/integer1/commands.ts';
import { answerSynchronously } from '../delivery/answers.ts';
import type { SynchronousAnswer } from '../delivery/answers.ts';
import { agentIn, configCompletions, newSessionConfig } from '../inbound/sessionConfig.ts';
import { ahpError } from '../errors.ts';
import type { RpcError } from '../../../rpc/rpcError.ts';
import type { Integer1Connection } from './connection.ts';
import { chatOf } from '../outbound/chat.ts';
import { present } from '../../../base/present.ts';
import { resourceRequests } from '../resources/resources.ts';
import { authenticate } from '../inbound/signIns.ts';
import { createSession, disposeSession } from './inbound/sessions.ts';
import { createTerminal } from './inbound/terminals.ts';
import { endedTurn } from './outbound/sessionState.ts';

type Request<Method extends RequestMethod> = (
  client: Integer1Connection,
  params: Requests[Method]['params'],
) =>
  | Requests[Method]['result']
  | Promise<Requests[Method]['result']>
  | SynchronousAnswer<Requests[Method]['result']>;

export const requests: { readonly [Method in RequestMethod]?: Request<Method> } = {
  subscribe,
  createSession,
  disposeSession,
  listSessions: (client) => ({
    items: client.host.summaries().flatMap((summary) => [...client.watch.sessionsOf(summary).values()]),
  }),
  fetchTurns,
  resourceRead: (client, params) => resourceRequests.resourceRead(client.scope, params),
  resourceWrite: (client, { uri, data, encoding, createOnly }) =>
    resourceRequests.resourceWrite(client.scope, present({ uri, data, encoding, createOnly })),
  resourceList: (client, params) => resourceRequests.resourceList(client.scope, params),
  resourceCopy: (client, params) => resourceRequests.resourceCopy(client.scope, params),
  resourceMove: (client, params) => resourceRequests.resourceMove(client.scope, params),
  resourceDelete: (client, params) => resourceRequests.resourceDelete(client.scope, params),
  createTerminal,
  disposeTerminal: (client, { terminal }) => client.liveResources.disposeTerminal(terminal),
  resolveSessionConfig: (client, params) => newSessionConfig(client.host, params),
  sessionConfigCompletions: async (client, { property, query, ...params }) =>
    configCompletions(await agentIn(client.host, params), present({ property, query })),
  authenticate: (client, params) =>
    authenticate(client.opening.options.signIns, params, {
      unknown: 'authRequired',
      data: (resources) => resources,
    }),
};

function subscribe(
  client: Integer1Connection,
  { resource }: Requests['subscribe']['params'],
): SynchronousAnswer<Requests['subscribe']['result']> {
  return answerSynchronously(async (answer) => {
    const found = await client.find(resource);
    while (!client.sendAll()) await client.caughtUp();
    const snapshot = found && client.enter(found);
    if (!snapshot) throw await client.whyNotFound(resource, noResource(resource));
    answer({ snapshot });
  });
}

function noResource(uri: string): RpcError {
  const isSession = /^[a-z][a-z0-9+.-]*:\/[^/]/i.test(uri) && !uri.startsWith('agenthost');
  return ahpError(isSession ? 'sessionNotFound' : 'notFound', 'There is no such resource.');
}

const usualPage = 50;
const largestPage = 100;

/** The newest turns before a given one, oldest first. */
async function fetchTurns(
  client: Integer1Connection,
  { session: uri, before, limit }: Requests['fetchTurns']['params'],
): Promise<Requests['fetchTurns']['result']> {
  const found = await client.find(uri);
  const state = found && client.shown(found.session);
  const chat = found?.target.kind === 'chat' && state ? chatOf(state, found.target.chat) : undefined;
  if (!chat || !state)
    throw await client.whyNotFound(uri, ahpError('sessionNotFound', 'There is no such session.'));
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
    throw ahpError('invalidParams', 'limit: a positive whole number');
  const end = before === undefined ? chat.turns.length : chat.turns.findIndex(({ id }) => id === before);
  if (end < 0) throw ahpError('invalidParams', 'before: there is no such turn');
  const start = Math.max(0, end - Math.min(limit ?? usualPage, largestPage));
  return {
    turns: chat.turns.slice(start, end).map((turn) => endedTurn(state, chat, turn)),
    hasMore: start > 0,
  };
}
