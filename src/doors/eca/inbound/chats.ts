// The chats of the host as a client manages them: list, open, page through, rename, cut, delete.
import type { Session } from '../../../host/session/session.ts';
import type { Summary } from '../../../host/session/summary.ts';
import { changesOf } from '../../../host/workspace/revertEdits.ts';
import type { Command } from '../../../model/command.ts';
import type { Chat } from '../../../model/state.ts';
import type { ChatRow, Done, Results } from '../../../protocols/eca/messages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { chatConfig, isTrusted } from '../outbound/catalogue.ts';
import type { Connection } from '../connection.ts';
import { flagsOf, pointedAt, setFlags } from './flags.ts';
import type { Flag } from './flags.ts';
import { pageOf } from './pages.ts';
import { tellLeft } from './rollback.ts';
import { opening, titleOf, transcript } from '../outbound/replay.ts';
import { wishedOptions } from './selection.ts';

/** Chats of the client's workspace. */
export function list(
  connection: Connection,
  { limit, sortBy }: RequestParams<'chat/list'>,
): Results['chat/list'] {
  const here = (summary: Summary) => connection.sees(summary.roots);
  const rows = connection.host
    .summaries()
    .filter((summary) => summary.started && !summary.archived && here(summary))
    .flatMap(rowsOf);
  const key = sortBy === 'createdAt' ? 'createdAt' : 'updatedAt';
  return { chats: rows.toSorted((a, b) => b[key] - a[key]).slice(0, limit ?? rows.length) };
}

/** The chats of a session as clients list them. */
export function rowsOf(summary: Summary): readonly ChatRow[] {
  return summary.chats
    .filter(({ origin }) => origin.type !== 'tool')
    .map((chat, at) => {
      const title = at === 0 ? summary.title || chat.title : chat.title;
      return {
        id: chat.id,
        title: title === '' ? null : title,
        status: chat.status === 'running' || chat.status === 'asking' ? 'running' : 'idle',
        // Every turn is a message and an answer.
        messageCount: 2 * chat.turns,
        createdAt: summary.createdAt,
        updatedAt: chat.modifiedAt,
        ...(summary.model === undefined ? {} : { model: summary.model }),
      };
    });
}

/** Everything is told in the step in which hearing begins, so nothing is missed or told twice. */
export async function open(
  connection: Connection,
  { chatId: chat, ...wish }: RequestParams<'chat/open'>,
): Promise<Results['chat/open']> {
  const session = await connection.find(chat);
  if (!session) return { found: false };
  const { state } = session;
  const page = pageOf(transcript(state, chat), wish) ?? expired();
  connection.hear(session, chat);
  // The answer names the agent, so what is told before it need not.
  const chosen = { what: 'agent', by: connection.origin } as const;
  for (const message of opening(state, chat, page.stored))
    connection.deliver(message.kind === 'selection' ? { ...message, chosen } : message);
  const title = titleOf(state, chat);
  const { selectModel, selectAgent, selectVariant, variants } = chatConfig(
    connection.host.agents(connection.roots),
    state,
  );
  const selection = {
    model: selectModel ?? null,
    agent: selectAgent ?? state.agent,
    variant: selectVariant ?? null,
    variants: variants ?? [],
    trust: isTrusted(state),
  };
  return { found: true, chatId: chat, ...(title === '' ? {} : { title }), selection, meta: page.meta };
}

export async function history(
  connection: Connection,
  { chatId: chat, ...wish }: RequestParams<'chat/history'>,
): Promise<Results['chat/history']> {
  const { state } = await known(connection, chat);
  const page = pageOf(transcript(state, chat), wish) ?? expired();
  const messages = page.stored.flatMap((stored) => stored.messages());
  const contents = messages.flatMap((message) =>
    message.kind === 'notification' && message.method === 'chat/contentReceived' ? [message.params] : [],
  );
  return { contents, meta: page.meta };
}

/** The default chat is its session; other chats go alone. */
export async function remove(
  connection: Connection,
  { chatId: chat }: RequestParams<'chat/delete'>,
): Promise<Done> {
  const session = await connection.find(chat);
  const heard = session && connection.hears(session, chat);
  if (session?.state.order[0] === chat) await connection.host.remove(session.id);
  else if (session) {
    // A cut ends the running turn without beginning the next.
    if (session.head.chats[chat]?.active) await change(connection, session, { kind: 'truncateChat', chat });
    await change(connection, session, { kind: 'removeChat', chat });
    connection.hearings.stop(chat);
  }
  if (!heard) connection.tell('chat/deleted', { chatId: chat });
  return {};
}

export async function clear(
  connection: Connection,
  { chatId: chat, messages }: RequestParams<'chat/clear'>,
): Promise<Done> {
  const session = await known(connection, chat);
  if (messages === true) await change(connection, session, { kind: 'truncateChat', chat });
  if (messages === true && !connection.hears(session, chat))
    connection.tell('chat/cleared', { chatId: chat, messages });
  return {};
}

export async function update(
  connection: Connection,
  { chatId: chat, title, trust }: RequestParams<'chat/update'>,
): Promise<Done> {
  const session = await known(connection, chat);
  const isDefault = session.state.order[0] === chat;
  if (title !== undefined)
    await change(
      connection,
      session,
      isDefault ? { kind: 'changeSession', changes: { title } } : { kind: 'changeChat', chat, title },
    );
  const options = wishedOptions(session.head.options, { variant: undefined, trust });
  if (options.options) await change(connection, session, { kind: 'changeSession', changes: options });
  return {};
}

export async function rollback(
  connection: Connection,
  { chatId: chat, contentId, include }: RequestParams<'chat/rollback'>,
): Promise<Done> {
  const session = await known(connection, chat);
  const before = session.head.chats[chat];
  const after = before && turnBefore(before, contentId);
  if (!after) throw new RpcError(rpcCodes.invalidParams, `There is no message ${contentId} in chat ${chat}.`);
  const files = include === undefined || include.includes('tools');
  if (include !== undefined && !include.includes('messages')) {
    if (files)
      tellLeft(connection, await connection.host.undo(chat, { after: after.after }, connection.origin));
    return {};
  }
  const edits = files ? changesOf(before, { after: after.after }) : [];
  await change(connection, session, { kind: 'truncateChat', chat, ...after });
  tellLeft(connection, await connection.host.takeBack(edits, session));
  return {};
}

/** A flag stands behind a message, a thought or a call, or where another flag stands. Some clients do not ask their user for its text. */
export async function addFlag(
  connection: Connection,
  { chatId: chat, contentId, text = 'Flag' }: RequestParams<'chat/addFlag'>,
): Promise<Done> {
  const session = await known(connection, chat);
  const flags = flagsOf(session.head, chat);
  const at = pointedAt(session.head, chat, contentId);
  if (at === undefined)
    throw new RpcError(rpcCodes.invalidParams, `There is no message ${contentId} in chat ${chat}.`);
  await note(connection, { session, chat }, [...flags, { id: connection.host.ids.next(), at, text }]);
  return {};
}

export async function removeFlag(
  connection: Connection,
  { chatId: chat, contentId }: RequestParams<'chat/removeFlag'>,
): Promise<Done> {
  const session = await known(connection, chat);
  await note(
    connection,
    { session, chat },
    flagsOf(session.head, chat).filter(({ id }) => id !== contentId),
  );
  return {};
}

function note(
  connection: Connection,
  { session, chat }: { session: Session; chat: string },
  flags: readonly Flag[],
): Promise<void> {
  return change(connection, session, setFlags(chat, flags));
}

/** The turn that stays when a message and all after it go; nothing at all where the message is unknown. */
function turnBefore({ turns, active }: Chat, message: string): { readonly after?: string } | undefined {
  const all = active ? [...turns, active] : turns;
  const at = all.findIndex(
    (turn) =>
      turn.message.id === message || turn.items.some(({ type, id }) => type === 'message' && id === message),
  );
  const after = turns[at - 1]?.id;
  return at < 0 ? undefined : after === undefined ? {} : { after };
}

/** Carries out a wish and waits until everybody has heard of it, so that the answer comes after. */
async function change(connection: Connection, session: Session, command: Command): Promise<void> {
  const refused = session.dispatch(command, connection.origin);
  if (refused) throw RpcError.raw({ code: 'invalid_request', message: refused.message });
  await session.settled();
}

export async function known(connection: Connection, chat: string): Promise<Session> {
  const session = await connection.find(chat);
  if (!session) throw RpcError.raw({ code: 'chat_not_found', message: `Chat ${chat} not found` });
  return session;
}

export function expired(): never {
  throw RpcError.raw({
    code: 'cursor_expired',
    message: 'Cursor no longer points to an existing message; refetch the latest page',
  });
}
