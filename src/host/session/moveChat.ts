// A chat that goes from one session to another with its past and the chats inside its tool calls.
import { isRejection, reject } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { ChatId, Entry, EventKind, Origin, SessionId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { Past, Session } from './session.ts';

/** Where a chat is to be: behind a chat of a session, at its end, or in a session of its own. */
export interface ChatPlace {
  readonly session?: SessionId;
  readonly after?: ChatId | undefined;
}

interface Move {
  readonly chat: ChatId;
  readonly to: ChatPlace;
  readonly by: Origin;
  readonly now: number;
}

interface Sessions {
  /** The session that the chat is in. */
  source(): Promise<Session | Rejection>;
  open(id: SessionId): Promise<Session | Rejection>;
  /** A session without a past, which nobody knows before it is kept. */
  create(id: SessionId): Session;
  keep(session: Session): Promise<Session>;
}

export async function moveChat(move: Move, sessions: Sessions): Promise<Session | Rejection> {
  const { chat, to, by } = move;
  const source = await sessions.source();
  if (isRejection(source)) return source;
  const target = to.session === undefined ? undefined : await sessions.open(to.session);
  if (target && isRejection(target)) return target;
  if (target && to.after !== undefined && !Object.hasOwn(target.head.chats, to.after))
    return reject('unknown-chat', 'There is no such chat to stand behind.');
  if (target === source)
    return (
      staysPut(source.head, chat) ??
      source.dispatch({ kind: 'orderChats', order: orderWith(source.head.order, chat, to.after) }, by) ??
      source
    );
  await source.settled();
  const entries: Entry[] = [];
  for await (const entry of source.entries()) entries.push(entry);
  // From here to the end of the step nothing else can happen in either session.
  const stays = staysPut(source.head, chat);
  if (stays || source.head.seq !== entries.at(-1)?.seq)
    return stays ?? reject('turn-active', 'Something is happening in this session; try again.');
  const chats = family(source.head, chat);
  const moved = target ?? sessions.create(chat);
  if (target)
    target.adopt(movedPast(entries, chats, source.head.agent === target.head.agent ? 'same' : 'other'));
  else moved.adopt([created(source.head, move), ...movedPast(entries, chats, 'same')]);
  if (target && to.after !== undefined)
    target.dispatch({ kind: 'orderChats', order: orderWith(target.head.order, chat, to.after) }, by);
  for (const id of chats.toReversed()) source.dispatch({ kind: 'removeChat', chat: id }, by);
  return target ?? (await sessions.keep(moved));
}

/** How a session begins that a chat moves out into. */
function created({ agent, roots, model, mode, options, chats }: State, { chat, by, now }: Move): Past {
  const title = chats[chat]?.title;
  return {
    at: now,
    by,
    event: {
      kind: 'session.created',
      session: chat,
      agent,
      roots,
      options,
      ...(model === undefined ? {} : { model }),
      ...(mode === undefined ? {} : { mode }),
      ...(title ? { title } : {}),
    },
  };
}

/** A chat and the chats inside it, the outer ones first. */
function family({ order, chats }: State, chat: ChatId): readonly ChatId[] {
  const found = [chat];
  for (const outer of found) {
    for (const id of order) {
      const origin = chats[id]?.origin;
      if (origin?.type === 'tool' && origin.chat === outer && !found.includes(id)) found.push(id);
    }
  }
  return found;
}

/** Why a chat cannot leave its place, or nothing. */
function staysPut(state: State, chat: ChatId): Rejection | undefined {
  const found = Object.hasOwn(state.chats, chat) ? state.chats[chat] : undefined;
  if (!found) return reject('unknown-chat', 'There is no such chat.');
  if (state.order[0] === chat) return reject('invalid', 'The default chat goes only with its session.');
  if (found.origin.type === 'tool')
    return reject('invalid', 'A chat inside a tool call stays with that call.');
  return family(state, chat).some((id) => state.chats[id]?.active)
    ? reject('turn-active', 'A turn is running in this chat; stop it first.')
    : undefined;
}

/** What happened in some chats, as another session can begin or go on with it. Agents find their conversations again where they stay the same. */
function movedPast(
  entries: readonly Entry[],
  chats: readonly ChatId[],
  agent: 'same' | 'other',
): readonly Past[] {
  return entries.flatMap(({ at, by, event }) => {
    const moves =
      'chat' in event &&
      chats.includes(event.chat) &&
      !left.has(event.kind) &&
      (agent === 'same' || event.kind !== 'agent.bound');
    return moves ? [{ at, by, event }] : [];
  });
}

const left: ReadonlySet<EventKind> = new Set<EventKind>(['chat.removed', 'hook.ran']);

/** The order of a session's chats with one of them behind another, or at the end. */
function orderWith(order: readonly ChatId[], chat: ChatId, after: ChatId | undefined): readonly ChatId[] {
  const others = order.filter((id) => id !== chat);
  const at = after === undefined ? others.length : others.indexOf(after) + 1;
  return [...others.slice(0, at), chat, ...others.slice(at)];
}
