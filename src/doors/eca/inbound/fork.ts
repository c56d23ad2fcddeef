// Copies of chats: a fork begins where a message of another chat stands, and both go their own ways.
import { pastOf } from '../../../host/session/importedPast.ts';
import type { Session } from '../../../host/session/session.ts';
import { isRejection } from '../../../model/command.ts';
import type { ChatId, Entry } from '../../../model/event.ts';
import type { Done } from '../../../protocols/eca/messages.ts';
import type { RequestParams } from '../../../protocols/eca/schema.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { known } from './chats.ts';
import type { Connection } from '../connection.ts';
import { contentsOf, flagsOf, pointedAt, setFlags } from './flags.ts';
import { placeOf, say, tell } from '../outbound/message.ts';
import { recall } from './rememberedApprovals.ts';
import { replayAll, titleOf } from '../outbound/replay.ts';

export async function fork(
  connection: Connection,
  { chatId: chat, contentId }: RequestParams<'chat/fork'>,
): Promise<Done> {
  const session = await known(connection, chat);
  const until = pointedAt(session.state, chat, contentId);
  if (until === undefined)
    throw new RpcError(rpcCodes.invalidParams, `There is no message ${contentId} in chat ${chat}.`);
  const title = await copyChat(connection, session, { chat, until });
  connection.deliver(
    say(placeOf(session.state, chat), 'system', { type: 'text', text: `Chat forked to: ${title}` }),
  );
  return {};
}

/** Copies a chat up to a message, shows the copy to the client, and gives its title. */
export async function copyChat(
  connection: Connection,
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
  const copy = await host.restore(pastOf(entries, { state, chat, as: host.ids.next(), title, until }));
  if (isRejection(copy)) throw RpcError.raw({ code: 'invalid_request', message: copy.message });
  const kept = contentsOf(copy.state, copy.id);
  const flags = flagsOf(state, chat).filter(({ at }) => kept.includes(at));
  if (flags.length > 0) copy.dispatch(setFlags(copy.id, flags), connection.origin);
  await copy.settled();
  show(connection, copy);
  return title;
}

/** Shows a chat that the client has not asked for by its id. */
export function show(connection: Connection, session: Session): void {
  const { state, id } = session;
  connection.begun.add(id);
  recall(connection, session);
  connection.hear(session, id);
  const title = titleOf(state, id);
  connection.deliver(
    tell(placeOf(state, id), 'chat/opened', { chatId: id, ...(title === '' ? {} : { title }) }),
  );
  for (const message of replayAll(state, id)) connection.deliver(message);
}

/** "Title (2)", then "Title (3)", whichever is free. */
function nextTitle(title: string, taken: readonly string[]): string {
  const base = (title || 'Untitled').replace(/ \(\d+\)$/, '');
  const numbers = taken.flatMap((other) =>
    other.startsWith(`${base} (`) ? [Number(/\((\d+)\)$/.exec(other)?.[1] ?? 0)] : [],
  );
  return `${base} (${Math.max(1, ...numbers) + 1})`;
}
