// The requests about whole chats: list, open, page through, rename, roll back, flag, delete.
import { present } from '../../../base/present.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Summary } from '../../../host/session/summary.ts';
import { refuseFollowed } from '../../../host/turns/openSessions.ts';
import { afterRollback, changesOf, problemsOf } from '../../../host/workspace/revertEdits.ts';
import type { RevertResult } from '../../../host/workspace/revertEdits.ts';
import { isRejection } from '../../../model/command.ts';
import type { Command, Rejection } from '../../../model/command.ts';
import type { Chat, State } from '../../../model/state.ts';
import type { ChatRow, ChatSelection, Done, Results } from '../../../protocols/eca/messages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import { chatConfig, isTrusted } from '../outbound/catalogue.ts';
import type { EcaConnection } from '../connection.ts';
import { cursorExpired, refused, unknownChat, unknownMessage } from '../errors.ts';
import { contentId as contentIdOf, flagsOf, flagTarget, setFlags } from './flags.ts';
import type { Flag } from './flags.ts';
import { pageOf } from './pages.ts';
import { opening, titleOf, transcript } from '../outbound/replay.ts';
import { changedOptions } from './selection.ts';

/** The chats of the client's workspace. */
export function listChats(
  connection: EcaConnection,
  { limit, sortBy }: RequestParams<'chat/list'>,
): Results['chat/list'] {
  const rows = connection.host
    .summaries()
    .filter(isListed)
    .filter(({ roots }) => connection.workspace.includes(roots))
    .flatMap(rowsOf);
  const key = sortBy === 'createdAt' ? 'createdAt' : 'updatedAt';
  return { chats: rows.toSorted((a, b) => b[key] - a[key]).slice(0, limit ?? rows.length) };
}

/** A chat whose messages were taken back still has its title. */
function isListed({ started, archived, title }: Summary): boolean {
  return !archived && (started || title !== '');
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
        messageCount: chat.items ?? 2 * chat.turns,
        createdAt: summary.createdAt,
        updatedAt: chat.modifiedAt,
        ...present({ model: summary.model }),
      };
    });
}

/** Following starts in the same step as the replay, so nothing is missed or sent twice. */
export async function openChat(
  connection: EcaConnection,
  { chatId: chat, ...range }: RequestParams<'chat/open'>,
): Promise<Results['chat/open']> {
  const session = await connection.chats.find(chat);
  if (!session) return { found: false };
  const { state } = session;
  const page = pageOf(transcript(state, chat), range) ?? cursorExpired();
  connection.chats.follow(session, chat);
  // The response names the agent, so the messages before it need not.
  const chosen = { what: 'agent', by: connection.profile.origin } as const;
  for (const message of opening(state, chat, page.stored))
    connection.sender.deliver(message.kind === 'selection' ? { ...message, chosen } : message);
  const title = titleOf(state, chat);
  const selection = selectionIn(connection, state);
  return { found: true, chatId: chat, ...(title === '' ? {} : { title }), selection, meta: page.meta };
}

export function selectionIn({ workspace }: EcaConnection, state: State): ChatSelection {
  const { selectModel, selectAgent, selectVariant, variants } = chatConfig(workspace.agents(), state);
  return {
    model: selectModel ?? null,
    agent: selectAgent ?? state.agent,
    variant: selectVariant ?? null,
    variants: variants ?? [],
    trust: isTrusted(state),
  };
}

export async function chatHistory(
  connection: EcaConnection,
  { chatId: chat, ...range }: RequestParams<'chat/history'>,
): Promise<Results['chat/history']> {
  const { state } = await existingSession(connection, chat);
  const page = pageOf(transcript(state, chat), range) ?? cursorExpired();
  const messages = page.stored.flatMap((stored) => stored.messages());
  const contents = messages.flatMap((message) =>
    message.kind === 'notification' && message.method === 'chat/contentReceived' ? [message.params] : [],
  );
  return { contents, meta: page.meta };
}

/** Deleting the default chat deletes its session; any other chat is removed from the session. */
export async function deleteChat(
  connection: EcaConnection,
  { chatId: chat }: RequestParams<'chat/delete'>,
): Promise<Done> {
  const session = await connection.chats.find(chat);
  const isFollowed = session && connection.chats.follows(session, chat);
  if (session?.state.order[0] === chat) {
    const rejection = await connection.host.remove(session.id);
    if (rejection && rejection.rejected !== 'not-found') throw refused(rejection.message);
  } else if (session) {
    // Truncating ends the running turn without starting the next.
    if (session.head.chats[chat]?.active) await change(connection, session, { kind: 'truncateChat', chat });
    await change(connection, session, { kind: 'removeChat', chat });
    connection.chats.unfollow(chat);
  }
  if (!isFollowed) connection.sender.notify('chat/deleted', { chatId: chat });
  return {};
}

export async function clearChat(
  connection: EcaConnection,
  { chatId: chat, messages }: RequestParams<'chat/clear'>,
): Promise<Done> {
  const session = await existingSession(connection, chat);
  if (messages === true) await change(connection, session, { kind: 'truncateChat', chat });
  if (messages === true && !connection.chats.follows(session, chat))
    connection.sender.notify('chat/cleared', { chatId: chat, messages });
  return {};
}

export async function updateChat(
  connection: EcaConnection,
  { chatId: chat, title, trust }: RequestParams<'chat/update'>,
): Promise<Done> {
  const session = await existingSession(connection, chat);
  const isDefault = session.state.order[0] === chat;
  if (title !== undefined)
    await change(
      connection,
      session,
      isDefault ? { kind: 'changeSession', changes: { title } } : { kind: 'changeChat', chat, title },
    );
  const options = changedOptions(session.head.options, { variant: undefined, trust });
  if (options.options) await change(connection, session, { kind: 'changeSession', changes: options });
  return {};
}

export async function rollBack(
  connection: EcaConnection,
  { chatId: chat, contentId, include }: RequestParams<'chat/rollback'>,
): Promise<Done> {
  const session = await existingSession(connection, chat);
  const before = session.head.chats[chat];
  const shown = connection.ownChats.shownCommands;
  const after =
    before && (shown.has(contentId) ? turnOf(before, shown.get(contentId)) : turnBefore(before, contentId));
  if (!after) throw unknownMessage(contentId, chat);
  // Nothing is behind a command that was shown last.
  if (shown.has(contentId) && !before.active && before.turns.at(-1)?.id === after.after) return {};
  const files = include === undefined || include.includes('tools');
  if (include !== undefined && !include.includes('messages')) {
    if (files)
      reportSkipped(
        connection,
        await connection.host.undo(chat, { after: after.after }, connection.profile.origin),
      );
    return {};
  }
  // A background job is known by its folder alone, so a warning about it could name no file.
  const edits = files
    ? changesOf(before, { after: after.after }, session.state).filter((each) => !('job' in each))
    : [];
  // Without its turns nobody could undo them later.
  const foreign = edits.length > 0 && refuseFollowed(session, 'Changes of files can be undone only there.');
  if (foreign) throw refused(foreign.message);
  await change(connection, session, { kind: 'truncateChat', chat, ...after });
  reportSkipped(connection, afterRollback(await connection.host.revertChanges(edits, session)));
  return {};
}

/** Tells the user which files could not be restored; the restored ones are visible in the editor. */
function reportSkipped({ sender }: EcaConnection, undone: RevertResult | Rejection): void {
  const message = isRejection(undone) ? undone.message : problemsOf(undone).join('\n');
  if (message !== '') sender.notify('$/showMessage', { type: 'warning', message });
}

/**
 * Sets a flag after a message, a reasoning block or a tool call, or next to another flag. Some
 * clients send no text.
 */
export async function addFlag(
  connection: EcaConnection,
  { chatId: chat, contentId, text = 'Flag' }: RequestParams<'chat/addFlag'>,
): Promise<Done> {
  const session = await existingSession(connection, chat);
  const flags = flagsOf(session.head, chat);
  const at = flagTarget(session.head, chat, storedContent(connection, contentId));
  if (at === undefined) throw unknownMessage(contentId, chat);
  await storeFlags(connection, { session, chat }, [...flags, { id: connection.host.ids.next(), at, text }]);
  return {};
}

export async function removeFlag(
  connection: EcaConnection,
  { chatId: chat, contentId }: RequestParams<'chat/removeFlag'>,
): Promise<Done> {
  const session = await existingSession(connection, chat);
  await storeFlags(
    connection,
    { session, chat },
    flagsOf(session.head, chat).filter(({ id }) => id !== contentId),
  );
  return {};
}

function storeFlags(
  connection: EcaConnection,
  { session, chat }: { session: Session; chat: string },
  flags: readonly Flag[],
): Promise<void> {
  return change(connection, session, setFlags(chat, flags));
}

/** The last turn to keep when a message and everything after it go; undefined for an unknown message. */
function turnBefore({ turns, active }: Chat, message: string): { readonly after?: string } | undefined {
  const all = active ? [...turns, active] : turns;
  const at = all.findIndex(
    (turn) =>
      turn.message.id === message || turn.items.some(({ type, id }) => type === 'message' && id === message),
  );
  return at < 0 ? undefined : present({ after: turns[at - 1]?.id });
}

/** The last turn to keep when all after a content go: its own. Everything goes if there was none. */
function turnOf({ turns, active }: Chat, content: string | undefined): { readonly after?: string } {
  const all = active ? [...turns, active] : turns;
  const turn = all.find(
    ({ message, items }) => message.id === content || items.some((item) => contentIdOf(item) === content),
  );
  return present({ after: turn?.id });
}

/** A command that was only shown stands for the stored content before it. */
export function storedContent({ ownChats }: EcaConnection, id: string): string {
  return ownChats.shownCommands.get(id) ?? id;
}

/**
 * Dispatches a command and waits until all clients have got its events, so that the
 * response comes after them.
 */
async function change(connection: EcaConnection, session: Session, command: Command): Promise<void> {
  const rejection = session.dispatch(command, connection.profile.origin);
  if (rejection) throw refused(rejection.message);
  await session.settled();
}

/** The session of a chat, or an error response for an unknown chat. */
export async function existingSession(connection: EcaConnection, chat: string): Promise<Session> {
  const session = await connection.chats.find(chat);
  if (!session) throw unknownChat(chat);
  return session;
}
