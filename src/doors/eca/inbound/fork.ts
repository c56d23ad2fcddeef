// Copies of chats: a fork contains another chat up to a message, as a session of its own.
import { copyPast, nextTitle } from '../../../host/session/importedPast.ts';
import type { Session } from '../../../host/session/session.ts';
import { isRejection } from '../../../model/command.ts';
import type { ChatId, Entry } from '../../../model/event.ts';
import type { Done } from '../../../protocols/eca/messages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import { existingSession, storedContent } from './chats.ts';
import type { EcaConnection } from '../connection.ts';
import { refused, unknownMessage } from '../errors.ts';
import { contentsOf, flagsOf, flagTarget, setFlags } from './flags.ts';
import { chatPosition, say, tell } from '../outbound/message.ts';
import { replayAll, titleOf } from '../outbound/replay.ts';

export async function forkChat(
  connection: EcaConnection,
  { chatId: chat, contentId }: RequestParams<'chat/fork'>,
): Promise<Done> {
  const session = await existingSession(connection, chat);
  const until = flagTarget(session.state, chat, storedContent(connection, contentId));
  if (until === undefined) throw unknownMessage(contentId, chat);
  const title = await copyChat(connection, session, { chat, until });
  connection.sender.deliver(
    say(chatPosition(session.state, chat), 'system', { type: 'text', text: `Chat forked to: ${title}` }),
  );
  return {};
}

/** Copies a chat up to a message, shows the copy to the client, and returns its title. */
export async function copyChat(
  connection: EcaConnection,
  session: Session,
  { chat, until }: { readonly chat: ChatId; readonly until?: string },
): Promise<string> {
  await session.settled();
  const { host } = connection;
  const { state } = session;
  const title = nextTitle(
    titleOf(state, chat),
    host.summaries().map((summary) => summary.title),
  );
  const entries: Entry[] = [];
  for await (const entry of session.entries()) entries.push(entry);
  const copy = await host.restore(copyPast(entries, { state, chat, as: host.ids.next(), title, until }));
  if (isRejection(copy)) throw refused(copy.message);
  const copied = contentsOf(copy.state, copy.id);
  const flags = flagsOf(state, chat).filter(({ at }) => copied.includes(at));
  if (flags.length > 0) copy.dispatch(setFlags(copy.id, flags), connection.profile.origin);
  await copy.settled();
  showChat(connection, copy);
  return title;
}

/** Opens a chat in the client that the client has not asked for. */
export function showChat(connection: EcaConnection, session: Session): void {
  const { state, id } = session;
  connection.ownChats.started.add(session);
  connection.chats.follow(session, id);
  const title = titleOf(state, id);
  connection.sender.deliver(
    tell(chatPosition(state, id), 'chat/opened', { chatId: id, ...(title === '' ? {} : { title }) }),
  );
  for (const message of replayAll(state, id)) connection.sender.deliver(message);
}
