// Continues an earlier chat in this one: its history is copied under the id of this chat, and the
// earlier chat is archived.
import { present } from '../../../base/present.ts';
import { copyPast, keptMode } from '../../../host/session/importedPast.ts';
import type { ImportedEvent, Session } from '../../../host/session/session.ts';
import { isRejection } from '../../../model/command.ts';
import type { ChatId, Entry } from '../../../model/event.ts';
import { listChats } from '../inbound/chats.ts';
import type { EcaConnection } from '../connection.ts';
import { flagsOf, setFlags } from '../inbound/flags.ts';
import { chatPosition } from '../outbound/message.ts';
import { opening, titleOf } from '../outbound/replay.ts';
import type { CommandCall, CommandEffect } from './run.ts';

export async function resumeCommand({
  connection,
  session,
  chat,
  args: [wanted],
}: CommandCall): Promise<CommandEffect> {
  const { chats } = listChats(connection, { limit: undefined, sortBy: undefined });
  const others = chats.filter(({ id }) => id !== chat);
  if (wanted === undefined)
    return {
      say:
        others.length === 0
          ? 'There are no other chats in this workspace.'
          : 'Chats, newest first; /resume NUMBER goes on with one here:\n' +
            others.map(({ id, title }, at) => `${at + 1}. ${title ?? 'Untitled'} (${id})`).join('\n'),
    };
  const found =
    wanted === 'latest' ? others[0] : (others.find(({ id }) => id === wanted) ?? others[Number(wanted) - 1]);
  const earlier = found && (await connection.chats.look(found.id));
  if (earlier && isRejection(earlier)) return { say: earlier.message };
  if (!found || !earlier) return { say: `There is no chat ${wanted}. /resume lists all chats.` };
  const refused = await takeOver(connection, { session, chat }, { session: earlier, chat: found.id });
  return {
    say: refused ?? `Resumed ${found.title ?? 'Untitled'}. It goes on here; ${found.id} is in the archive.`,
  };
}

interface ChatInSession {
  readonly session: Session;
  readonly chat: ChatId;
}

/** A message if it is not possible; undefined on success. */
async function takeOver(
  connection: EcaConnection,
  { session, chat }: ChatInSession,
  from: ChatInSession,
): Promise<string | undefined> {
  const { origin } = connection.profile;
  if (session === from.session || chatPosition(session.head, chat).root !== chat)
    return 'A chat cannot go on inside the session that it belongs to. Begin a new chat and resume it there.';
  await Promise.all([session.settled(), from.session.settled()]);
  const entries: Entry[] = [];
  for await (const entry of from.session.entries()) entries.push(entry);
  // No await from here to the last dispatch, so nothing else can change either session.
  const problem = obstacle({ session, chat }, from, entries.at(-1)?.seq);
  if (problem !== undefined) return problem;
  const [title, flags, isDefault] = [
    titleOf(from.session.head, from.chat),
    flagsOf(from.session.head, from.chat),
    session.head.order[0] === chat,
  ];
  const past = pastOf(from, entries, { as: chat, isDefault });
  const { agent, model, mode, options, clientOptions } = from.session.head;
  connection.chats.unfollow(chat);
  if ((session.head.chats[chat]?.turns.length ?? 0) > 0)
    session.dispatch({ kind: 'truncateChat', chat }, origin);
  if (isDefault)
    session.dispatch(
      {
        kind: 'changeSession',
        changes: {
          agent,
          options,
          clientOptions,
          ...present({ model, mode, title: title === '' ? undefined : title }),
        },
      },
      origin,
    );
  else if (title !== '') session.dispatch({ kind: 'changeChat', chat, title }, origin);
  session.adopt(past);
  if (flags.length > 0) session.dispatch(setFlags(chat, flags), origin);
  await session.settled();
  await putAway(connection, from);
  connection.chats.follow(session, chat);
  for (const message of opening(session.state, chat)) connection.sender.deliver(message);
  return undefined;
}

/** What was said in a chat; for the default chat of a session also the permission mode. */
function pastOf(
  { session, chat }: ChatInSession,
  entries: readonly Entry[],
  { as, isDefault }: { readonly as: ChatId; readonly isDefault: boolean },
): readonly ImportedEvent[] {
  const copied = copyPast(entries, { state: session.head, chat, as, title: '' });
  const kept = isDefault ? keptMode(session.head, entries.at(-1)?.at ?? 0) : [];
  // The session and the chat are there already.
  return [...kept, ...copied.filter(({ event }) => 'chat' in event && event.kind !== 'chat.created')];
}

/** Why the chats cannot be joined now; `lastSeq` is the last entry that was read from the earlier chat. */
function obstacle(
  { session, chat }: ChatInSession,
  from: ChatInSession,
  lastSeq: number | undefined,
): string | undefined {
  if (session.unreadable || from.session.unreadable)
    return (
      'One of the two chats can only be read: its log is damaged or was written by a newer ' +
      'version of Parley.'
    );
  const [here, there] = [session.head.chats[chat], from.session.head.chats[from.chat]];
  if (!here || !there || here.active || there.active || from.session.head.seq !== lastSeq)
    return 'One of the two chats is running. Stop it first, or wait for it.';
  return undefined;
}

/** Archives the session of a default chat; removes any other chat from its session. */
async function putAway(connection: EcaConnection, { session, chat }: ChatInSession): Promise<void> {
  const wasFollowed = connection.chats.follows(session, chat);
  const isDefault = session.head.order[0] === chat;
  session.dispatch(
    isDefault ? { kind: 'changeSession', changes: { archived: true } } : { kind: 'removeChat', chat },
    connection.profile.origin,
  );
  await session.settled();
  if (isDefault || !wasFollowed) connection.sender.notify('chat/deleted', { chatId: chat });
  connection.chats.unfollow(chat);
}
