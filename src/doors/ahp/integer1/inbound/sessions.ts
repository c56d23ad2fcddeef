// Creates, forks and deletes sessions for version 1 clients; a fork is a new session with the history of
// another.
import { isRejection } from '../../../../model/command.ts';
import type { Session } from '../../../../host/session/session.ts';
import type { Requests } from '../../../../protocols/ahp/integer1/commands.ts';
import { readChannel } from '../../channels/channels.ts';
import { ahpError, refusedBy } from '../../errors.ts';
import { openLocated } from '../../channels/locate.ts';
import {
  agentFor,
  chosenSettings,
  disposeOf,
  forkOf,
  rootsFor,
  whenStored,
} from '../../inbound/newSession.ts';
import type { Integer1Connection } from '../connection.ts';
import { applyAction } from './actions.ts';
import { locate } from './locate.ts';

type CreateSessionParams = Requests['createSession']['params'];

export async function createSession(client: Integer1Connection, params: CreateSessionParams): Promise<null> {
  const { session: uri, activeClient } = params;
  const named = readChannel(uri);
  if (named?.kind !== 'session')
    throw ahpError('invalidParams', 'session: a session is named as <provider>:/<id>');
  if (activeClient && activeClient.clientId !== client.opening.client.id)
    throw ahpError('invalidParams', 'activeClient: a client can only declare itself active');
  client.names.remember(uri);
  client.watch.made(named.session);
  const session = params.fork
    ? await fork(client, named.session, params.fork)
    : create(client, named.session, params);
  if (activeClient) {
    const { host } = client;
    applyAction(
      {
        host,
        clients: client.clients,
        session,
        channel: 'chat',
        chat: session.id,
        client: activeClient.clientId,
        role: client.role,
        by: client.origin(),
      },
      { type: 'session/activeClientChanged', session: uri, activeClient },
    );
  }
  return whenStored(session);
}

function create(
  client: Integer1Connection,
  id: string,
  { session: uri, provider, model, workingDirectory, config }: CreateSessionParams,
): Session {
  const agent = agentFor(client.host, { uri, provider });
  const roots = rootsFor(workingDirectory === undefined ? [] : [workingDirectory]);
  const session = client.host.create(
    {
      id,
      agent,
      roots,
      ...(model === undefined ? {} : { model: model.id }),
      ...(config === undefined ? {} : chosenSettings(client.host, { agent, roots }, config)),
    },
    client.origin(),
  );
  if (isRejection(session)) throw refusedBy(session, 'sessionAlreadyExists');
  return session;
}

async function fork(
  client: Integer1Connection,
  id: string,
  { session: uri, turnId }: NonNullable<CreateSessionParams['fork']>,
): Promise<Session> {
  const source = await client.find(uri);
  if (source?.target.kind !== 'chat')
    throw await client.whyNotFound(uri, ahpError('sessionNotFound', 'There is no such session to fork.'));
  const made = await client.host.restore(
    await forkOf(source.session, { chat: source.target.chat, turn: turnId, as: id }),
  );
  if (isRejection(made)) throw refusedBy(made, 'sessionAlreadyExists');
  return made;
}

/**
 * Ends the work of a session and archives it for everybody. Its history stays, and it comes back into this
 * client's list when something happens in it.
 */
export async function disposeSession(
  client: Integer1Connection,
  { session: uri }: Requests['disposeSession']['params'],
): Promise<null> {
  const located = locate(client.host, uri);
  const session =
    located === undefined || located === 'root'
      ? undefined
      : await openLocated(client.host, { id: located.id });
  if (!session) throw await client.whyNotFound(uri, ahpError('sessionNotFound', 'There is no such session.'));
  return disposeOf(client, session, uri);
}
