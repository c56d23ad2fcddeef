// Sessions and chats come and go at a client's wish. Disposing of a session ends its work and archives it;
// its history stays.
import type { Session } from '../../../../host/session/session.ts';
import { isRejection } from '../../../../model/command.ts';
import type { Chat } from '../../../../model/state.ts';
import type { Requests } from '../../../../protocols/ahp/v1_0/commands.ts';
import { present } from '../../../../base/present.ts';
import { readChannel } from '../../channels/channels.ts';
import { ahpError, refusedBy } from '../../errors.ts';
import { filePath } from '../../../../base/fileUri.ts';
import { locate, openLocated } from '../../channels/locate.ts';
import {
  agentFor,
  chosenSettings,
  disposeOf,
  forkOf,
  rootsFor,
  whenStored,
} from '../../inbound/newSession.ts';
import type { V1_0Connection } from '../connection.ts';
import { applyAction } from '../../inbound/actions.ts';
import { emptyMessage, isEmpty } from '../../inbound/prompts.ts';
import type { ChatId } from '../../../../model/event.ts';
import type { Message } from '../../../../protocols/ahp/v1_0/message.ts';
import { fromMessage } from '../../outbound/messages.ts';

export async function createSession(
  client: V1_0Connection,
  params: Requests['createSession']['params'],
): Promise<null> {
  const { host } = client;
  const { channel: uri, activeClient, config } = params;
  const channel = readChannel(uri);
  if (channel?.kind !== 'session')
    throw ahpError('invalidParams', 'channel: a session is named as <provider>:/<id>');
  if (activeClient && activeClient.clientId !== client.opening.client.id)
    throw ahpError('invalidParams', 'activeClient: a client can only declare itself active');
  const agent = agentFor(host, { uri, provider: params.provider });
  const roots = rootsFor(params.workingDirectories ?? []);
  const session = host.create(
    {
      id: channel.session,
      agent,
      roots,
      ...(config === undefined ? {} : chosenSettings(host, { agent, roots }, config)),
    },
    client.origin(),
  );
  if (isRejection(session)) throw refusedBy(session, 'sessionAlreadyExists');
  client.names.remember(uri);
  if (activeClient) {
    applyAction(
      {
        host,
        clients: client.clients,
        session,
        channel: 'session',
        chat: session.id,
        client: activeClient.clientId,
        role: client.role,
        by: client.origin(),
      },
      { type: 'session/activeClientSet', activeClient },
    );
  }
  return whenStored(session);
}

/**
 * Archives the session for everybody and holds its queued messages: the client has left, and deleting them
 * would lose work.
 */
export async function disposeSession(
  client: V1_0Connection,
  { channel }: Requests['disposeSession']['params'],
): Promise<null> {
  const session = await sessionAt(client, channel);
  return disposeOf(client, session, channel);
}

export async function createChat(
  client: V1_0Connection,
  { channel, chat: uri, initialMessage, source, workingDirectories }: Requests['createChat']['params'],
): Promise<null> {
  const id = newChatId(uri);
  if (initialMessage && isEmpty(initialMessage))
    throw ahpError('invalidParams', `initialMessage: ${emptyMessage}`);
  const session = openedAt(client, channel) ?? (await sessionAt(client, channel));
  if (workingDirectories?.some((directory) => !session.head.roots.includes(filePath(directory) ?? '')))
    throw ahpError('invalidParams', 'workingDirectories: a chat uses the working directories of its session');
  if (client.host.sessionOf(id) !== undefined || client.host.opened(id))
    throw ahpError('alreadyExists', 'A chat of that name already exists.');
  if (source?.kind === 'fork') await fork(client, session, { id, source });
  else if (source) await beside(client, session, { id, source });
  else {
    const created = session.dispatch(
      { kind: 'createChat', chat: id, origin: { type: 'user' } },
      client.origin(),
    );
    if (created) throw refusedBy(created);
  }
  client.clients.newChats.add(id, session);
  if (initialMessage) startFirstTurn(client, session, { id, message: initialMessage });
  return whenStored(session);
}

/** The id that a client chose for a new chat. */
function newChatId(uri: string): string {
  const named = readChannel(uri);
  const inSession = named?.kind === 'chatOf' ? named.name : undefined;
  const id = named?.kind === 'chat' ? named.chat : inSession;
  if (id === undefined || !/^\S{1,256}$/.test(id))
    throw ahpError('invalidParams', 'chat: a chat is named as ahp-chat:/<id>');
  return id;
}

function startFirstTurn(
  client: V1_0Connection,
  session: Session,
  { id, message }: { readonly id: ChatId; readonly message: Message },
): void {
  const { clients, host, opening } = client;
  const ours = clients.attach(opening.client.id, fromMessage(message, host.ids.next()));
  session.dispatch({ kind: 'startTurn', chat: id, turn: host.ids.next(), message: ours }, client.origin());
}

/**
 * The new chat begins with the turns of another chat of the same session, up to and including one of them.
 */
async function fork(
  client: V1_0Connection,
  session: Session,
  { id, source }: { id: string; source: Source },
): Promise<void> {
  const chat = await sourceOf(client, session, source);
  const past = await forkOf(session, { chat, turn: source.turnId, as: id });
  if (Object.hasOwn(session.head.chats, id))
    throw ahpError('alreadyExists', 'A chat of that name already exists.');
  const title = session.state.chats[chat]?.title ?? '';
  const made = {
    kind: 'chat.created',
    chat: id,
    origin: { type: 'fork', chat, turn: source.turnId },
    ...(title === '' ? {} : { title }),
  } as const;
  session.adopt([
    { at: client.host.clock.now(), by: client.origin(), event: made },
    ...past.filter(({ event }) => event.kind !== 'session.created' && event.kind !== 'chat.created'),
  ]);
}

type Source = NonNullable<Requests['createChat']['params']['source']>;

/**
 * A conversation about a turn of another chat, which its agent knows up to there and whose turns
 * are not repeated in it.
 */
async function beside(
  client: V1_0Connection,
  session: Session,
  { id, source }: { id: string; source: Source },
): Promise<void> {
  const chat = await sourceOf(client, session, source);
  const { text, responsePartId } = (source.kind === 'sideChat' ? source.selection : undefined) ?? {};
  const about =
    text === undefined
      ? {}
      : { about: present({ text: text.slice(0, longestSelection), item: responsePartId }) };
  const created = session.dispatch(
    { kind: 'createChat', chat: id, origin: { type: 'side', chat, turn: source.turnId, ...about } },
    client.origin(),
  );
  if (created) throw refusedBy(created);
}

/** The agent gets the referenced items with the first message. */
const longestSelection = 100_000;

async function sourceOf(client: V1_0Connection, session: Session, source: Source): Promise<string> {
  const found = await client.find(source.chat);
  if (!found || found.session !== session || found.target.kind !== 'chat')
    throw ahpError('notFound', 'There is no such chat in this session.');
  const { chat } = found.target;
  if (!session.state.chats[chat]?.turns.some(({ id }) => id === source.turnId))
    throw ahpError('notFound', 'There is no such turn that has ended.');
  return chat;
}

/** Moves a chat to another session; its id, history and subscribers stay. */
export async function moveChatToSession(
  client: V1_0Connection,
  { channel, destination }: Requests['moveChat']['params'],
): Promise<Requests['moveChat']['result']> {
  const found = await client.find(channel);
  const chat = found?.target.kind === 'chat' ? found.target.chat : undefined;
  if (chat === undefined || !found)
    throw await client.whyNotFound(channel, ahpError('notFound', 'There is no such chat.'));
  const target = destination.kind === 'session' ? await sessionAt(client, destination.session) : undefined;
  const after =
    destination.kind === 'session' && destination.after !== undefined
      ? await chatIn(client, target, destination.after)
      : undefined;
  const moved = await client.host.moveChat(
    chat,
    target ? { session: target.id, after } : {},
    client.origin(),
  );
  if (isRejection(moved)) throw refusedBy(moved);
  await whenStored(moved);
  await whenStored(found.session);
  return { session: client.names.of(moved.summary()) };
}

async function chatIn(client: V1_0Connection, session: Session | undefined, uri: string): Promise<string> {
  const found = await client.find(uri);
  if (found?.target.kind !== 'chat' || found.session !== session)
    throw ahpError('notFound', 'The chat to insert after does not exist.');
  return found.target.chat;
}

/** What waits in the chat goes with it, so that the end of its turn does not start the next. */
export async function disposeChat(
  client: V1_0Connection,
  { channel }: Requests['disposeChat']['params'],
): Promise<null> {
  const found = await client.find(channel);
  const chat = found?.target.kind === 'chat' ? found.session.head.chats[found.target.chat] : undefined;
  if (!found || !chat)
    throw await client.whyNotFound(channel, ahpError('notFound', 'There is no such chat.'));
  const { session } = found;
  if (session.head.order[0] === chat.id)
    throw ahpError('invalidParams', 'The default chat can be deleted only with its session.');
  empty(client, session, chat);
  const removed = session.dispatch({ kind: 'removeChat', chat: chat.id }, client.origin());
  if (removed) throw refusedBy(removed);
  return whenStored(session);
}

function empty(client: V1_0Connection, session: Session, chat: Chat): void {
  for (const message of [...chat.queue, ...chat.steering])
    session.dispatch({ kind: 'withdrawMessage', chat: chat.id, message: message.id }, client.origin());
  if (chat.active)
    session.dispatch({ kind: 'stopTurn', chat: chat.id, next: client.host.ids.next() }, client.origin());
}

/** Returns an open session synchronously, so that the client's next request sees the changes of this one. */
function openedAt(client: V1_0Connection, uri: string): Session | undefined {
  const located = locate(client, uri);
  return located === undefined || located === 'root' || located.channel.kind !== 'session'
    ? undefined
    : client.host.opened(located.id);
}

async function sessionAt(client: V1_0Connection, uri: string): Promise<Session> {
  const located = locate(client, uri);
  const session =
    located === undefined || located === 'root' || located.channel.kind !== 'session'
      ? undefined
      : await openLocated(client.host, located);
  if (!session) throw await client.whyNotFound(uri, ahpError('sessionNotFound', 'There is no such session.'));
  client.names.remember(uri);
  return session;
}
