// Creates, opens, closes and deletes sessions. A session of ACP is a chat of the host.
import { attachExtensions } from '../../../host/turns/clientInstructions.ts';
import type { NewSession } from '../../../host/host.ts';
import { mayAs } from '../../../host/policy/roles.ts';
import type { Session } from '../../../host/session/session.ts';
import { isRejection } from '../../../model/command.ts';
import type { ToolServer } from '../../../host/workspace/workbench.ts';
import type { ChatId, SessionChanges } from '../../../model/event.ts';
import type { NewSessionResponse, SessionSettings } from '../../../protocols/acp/v1/messages.ts';
import type {
  McpServer,
  NewSessionParams,
  OpenSessionParams,
} from '../../../protocols/acp/v1/agentSchema.ts';
import type { AcpConnection } from '../connection.ts';
import { invalidParams, rejectionError, unknownSession } from '../errors.ts';
import { isAbsolute, samePath } from '../../../base/fileUri.ts';
import { readExtensions } from './extensions.ts';
import { cwdOf } from './sessionList.ts';
import type { OpenChat } from '../outbound/openChat.ts';
import { keepServers } from './keptValues.ts';
import { replay } from '../outbound/replay.ts';
import { selectedAgent, modelsOf, sessionSettings } from './sessionSettings.ts';
import { clientServer } from '../unstable/mcpOverAcp.ts';
import { giveSystemPrompt, readSystemPrompt } from '../unstable/systemPrompt.ts';

/** The response is sent before any update about the new session. */
export async function newSession(
  connection: AcpConnection,
  params: NewSessionParams,
  agent: string | undefined,
): Promise<NewSessionResponse> {
  const { host, origin } = connection;
  const roots = rootsOf(params);
  const missing = host.missingFolder(roots);
  if (missing !== undefined) throw invalidParams(`There is no folder ${missing}.`, { path: missing });
  const request: NewSession = { roots, ...(agent !== undefined && { agent }) };
  const prompt = readSystemPrompt(
    params.systemPrompt,
    host.agents().find(({ id }) => id === (agent ?? host.usualAgent(roots))),
  );
  const extensions = readExtensions(params);
  const session = host.create(request, origin);
  if (isRejection(session)) throw rejectionError(session, '');
  giveSystemPrompt(session, prompt, origin);
  if (extensions) session.dispatch(attachExtensions(extensions), origin);
  await session.settled();
  return openNew(connection, session, params.mcpServers);
}

/** Opens a session that was just created. */
export function openNew(
  connection: AcpConnection,
  session: Session,
  servers: readonly McpServer[],
): NewSessionResponse {
  lendServers(connection, session, servers);
  keepServers(connection, session.id, servers);
  const chat = connection.open(session, session.id);
  chat.follow();
  connection.afterResponse(() => chat.release());
  return { sessionId: chat.id, ...settingsOf(connection, session) };
}

/** Replays the chat before the response; pending questions and new updates follow the response. */
export async function loadSession(
  connection: AcpConnection,
  params: OpenSessionParams,
  signal: AbortSignal,
): Promise<SessionSettings> {
  const chat = await openChat(connection, params);
  const upTo = chat.follow();
  try {
    await replay({ connection, chat, upTo, signal });
  } catch (error) {
    connection.closeChat(chat.id);
    throw error;
  }
  connection.afterResponse(() => chat.release());
  return settingsOf(connection, chat.session);
}

/** Opens a chat without a replay. A chat that is already open stays open. */
export async function resumeSession(
  connection: AcpConnection,
  params: OpenSessionParams,
): Promise<SessionSettings> {
  const chat = await openChat(connection, params);
  if (!chat.following) {
    chat.follow();
    connection.afterResponse(() => chat.release());
  }
  return settingsOf(connection, chat.session);
}

/** Stops the running turn and closes the chat; the session can be loaded again. */
export async function closeSession(connection: AcpConnection, id: ChatId): Promise<object> {
  const chat = connection.find(id);
  if (!chat && connection.host.sessionOf(id) === undefined) throw unknownSession(id);
  if (chat) await stop(connection, chat);
  connection.closeChat(id);
  return {};
}

/** Deleting an unknown session succeeds. */
export async function deleteSession(connection: AcpConnection, id: ChatId): Promise<object> {
  const { host } = connection;
  const chat = connection.find(id);
  if (chat) await stop(connection, chat);
  const owner = host.sessionOf(id);
  if (owner === id) {
    const rejection = await host.remove(id);
    if (rejection && rejection.rejected !== 'not-found') throw rejectionError(rejection, id);
  } else if (owner !== undefined) await removeChat(connection, owner, id);
  return {};
}

/** Dispatches commands and waits until they are durable. */
export async function changeSession(
  connection: AcpConnection,
  chat: OpenChat,
  changes: SessionChanges,
): Promise<void> {
  const rejection = chat.session.dispatch({ kind: 'changeSession', changes }, connection.origin);
  if (rejection) throw rejectionError(rejection, chat.id);
  await chat.session.settled();
}

/** Stops the turn and waits until the prompt of this client was answered. */
async function stop(connection: AcpConnection, chat: OpenChat): Promise<void> {
  chat.cancel();
  await chat.session.settled();
  await connection.pause();
}

async function removeChat({ host, origin }: AcpConnection, owner: string, id: ChatId): Promise<void> {
  const session = await host.open(owner);
  if (isRejection(session)) return;
  for (const message of session.head.chats[id]?.queue ?? [])
    session.dispatch({ kind: 'withdrawMessage', chat: id, message: message.id }, origin);
  session.dispatch({ kind: 'stopTurn', chat: id, next: host.ids.next() }, origin);
  const rejection = session.dispatch({ kind: 'removeChat', chat: id }, origin);
  if (rejection && rejection.rejected !== 'unknown-chat') throw rejectionError(rejection, id);
  await session.settled();
}

/**
 * A session keeps its directories: opening it changes nothing for its other clients. Only directories that
 * the client names and the session does not have are added.
 */
async function openChat(connection: AcpConnection, params: OpenSessionParams): Promise<OpenChat> {
  const { host } = connection;
  const id = params.sessionId;
  const named = rootsOf(params);
  const session = await findSessionIn(connection, params);
  const { roots } = session.state;
  // A client that may only observe cannot add servers, folders or instructions.
  if (!mayAs(connection.role, 'control')) return connection.open(session, id);
  giveSystemPrompt(
    session,
    readSystemPrompt(params.systemPrompt, selectedAgent(host.agents(), session.state)),
    connection.origin,
  );
  const chat = connection.open(session, id);
  lendServers(connection, session, params.mcpServers);
  keepServers(connection, id, params.mcpServers);
  const added = named.filter((path) => !roots.some((root) => samePath(root, path)));
  if (added.length > 0 && !session.unreadable)
    await changeSession(connection, chat, { roots: [...roots, ...added] });
  return chat;
}

/** The session gets the tool servers that a client names. */
export function lendServers(
  connection: AcpConnection,
  session: Session,
  servers: readonly McpServer[],
): void {
  connection.host.toolServers.set(
    session.id,
    servers.map((server) => toolServer(connection, server)),
  );
}

/** The session of a chat. Throws an error for the client if there is none. */
export async function sessionNamed({ host }: AcpConnection, id: ChatId): Promise<Session> {
  const owner = host.sessionOf(id);
  const session = owner === undefined ? undefined : await host.open(owner);
  if (session === undefined) throw unknownSession(id);
  if (isRejection(session)) throw rejectionError(session, id);
  if (!session.state.chats[id])
    throw session.readOnly ? rejectionError(session.readOnly, id) : unknownSession(id);
  return session;
}

/** Like `sessionNamed`, and refuses a working directory that is not one of the session's. */
export async function findSessionIn(connection: AcpConnection, params: OpenSessionParams): Promise<Session> {
  rootsOf(params);
  const session = await sessionNamed(connection, params.sessionId);
  const { roots } = session.state;
  if (roots.length > 0 && !roots.some((root) => samePath(root, params.cwd))) {
    throw invalidParams(
      `Session ${params.sessionId} works in ${cwdOf(session.state)}, not in ${params.cwd}.`,
      { cwd: cwdOf(session.state) },
    );
  }
  return session;
}

function settingsOf({ host, client, switches }: AcpConnection, { state }: Session): SessionSettings {
  const settings = sessionSettings(host.agents(state.roots), state, switches);
  // Clients that send no `clientInfo` are older than config options and only know this list of models.
  const models = client?.info === undefined ? modelsOf(host.agents(state.roots), state) : undefined;
  const { extensions } = state;
  return {
    ...settings,
    ...(models && { models }),
    ...(extensions && { _meta: extensions }),
  };
}

function rootsOf({ cwd, additionalDirectories }: NewSessionParams): readonly string[] {
  const paths = [cwd, ...additionalDirectories];
  const relative = paths.find((path) => !isAbsolute(path));
  if (relative !== undefined)
    throw invalidParams(
      `${relative === cwd ? 'cwd' : 'additionalDirectories'} must be an absolute path, not "${relative}".`,
    );
  return paths.filter((path, i) => paths.findIndex((other) => samePath(path, other)) === i);
}

/**
 * Servers may contain secrets, so they are kept in memory only; a client names them again when
 * it opens the session.
 */
function toolServer(connection: AcpConnection, server: McpServer): ToolServer {
  if (server.type === 'acp') return clientServer(connection, server);
  const pairs = (list: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if ('url' in server)
    return { type: server.type, name: server.name, url: server.url, headers: pairs(server.headers) };
  return {
    type: 'process',
    name: server.name,
    command: server.command,
    args: server.args,
    env: pairs(server.env),
  };
}
