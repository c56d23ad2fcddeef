// Moves a chat to another session, with its history and the chats that its tool calls started.
import { isRejection, reject } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { ChatId, Entry, EventKind, Origin, SessionId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import { onlyAtOwner } from '../ownership/forwardable.ts';
import { keptMode } from './importedPast.ts';
import type { ImportedEvent, Session } from './session.ts';

/** Where a chat moves: behind another chat of a session, to its end, or into a new session. */
export interface ChatTarget {
  readonly session?: SessionId;
  readonly after?: ChatId | undefined;
}

interface Move {
  readonly chat: ChatId;
  readonly to: ChatTarget;
  readonly by: Origin;
  readonly now: number;
}

interface Sessions {
  /** The session of the chat. */
  source(): Promise<Session | Rejection>;
  open(id: SessionId): Promise<Session | Rejection>;
  /** An empty session; it is not listed before `keep`. */
  create(id: SessionId): Session;
  /** Stores the session and lists it. */
  keep(session: Session): Promise<Session>;
}

export async function moveChat(move: Move, sessions: Sessions): Promise<Session | Rejection> {
  const { chat, to } = move;
  const source = await sessions.source();
  if (isRejection(source)) return source;
  const target = to.session === undefined ? undefined : await openTarget(to.session, to.after, sessions);
  if (target && isRejection(target)) return target;
  const elsewhere = refuseForeign(source, target);
  if (elsewhere) return elsewhere;
  if (target === source) return reorder(source, move);
  await source.settled();
  const entries: Entry[] = [];
  for await (const entry of source.entries()) entries.push(entry);
  // Everything from here on runs in one step, so nothing else can change either session.
  const refused = cannotMove(source.head, chat);
  if (refused) return refused;
  if (source.head.seq !== entries.at(-1)?.seq)
    return reject('turn-active', 'The session is changing; try again.');
  const chats = family(source.head, chat);
  const adopter = target ?? sessions.create(chat);
  adopt(adopter, { source, entries, chats, isNew: target === undefined }, move);
  for (const id of chats.toReversed()) source.dispatch({ kind: 'removeChat', chat: id }, move.by);
  return target ?? sessions.keep(adopter);
}

/** Both logs are written in one step, so both must belong to this host. */
function refuseForeign(source: Session, target: Session | undefined): Rejection | undefined {
  const owner = source.owner ?? target?.owner;
  return owner === undefined ? undefined : onlyAtOwner(owner, 'Its chats can be moved only there.');
}

async function openTarget(
  id: SessionId,
  after: ChatId | undefined,
  sessions: Sessions,
): Promise<Session | Rejection> {
  const target = await sessions.open(id);
  if (isRejection(target) || after === undefined || Object.hasOwn(target.head.chats, after)) return target;
  return reject('unknown-chat', 'There is no chat to place this one behind.');
}

function reorder(session: Session, { chat, to, by }: Move): Session | Rejection {
  const order = orderWith(session.head.order, chat, to.after);
  return cannotMove(session.head, chat) ?? session.dispatch({ kind: 'orderChats', order }, by) ?? session;
}

interface MovedChats {
  readonly source: Session;
  readonly entries: readonly Entry[];
  readonly chats: readonly ChatId[];
  /** Whether the chat moves into a new session. */
  readonly isNew: boolean;
}

function adopt(session: Session, { source, entries, chats, isNew }: MovedChats, move: Move): void {
  const { chat, to, by } = move;
  if (isNew) {
    const settings = [created(source.head, move), ...keptMode(source.head, move.now)];
    return session.adopt([...settings, ...movedPast(entries, chats, 'same')]);
  }
  const agent = source.head.agent === session.head.agent ? 'same' : 'other';
  session.adopt(movedPast(entries, chats, agent));
  if (to.after !== undefined)
    session.dispatch({ kind: 'orderChats', order: orderWith(session.head.order, chat, to.after) }, by);
}

/** The first entry of the new session. */
function created(
  { agent, roots, model, mode, options, clientOptions, chats }: State,
  { chat, by, now }: Move,
): ImportedEvent {
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
      clientOptions,
      ...(model === undefined ? {} : { model }),
      ...(mode === undefined ? {} : { mode }),
      ...(title ? { title } : {}),
    },
  };
}

/** The chat and the chats that its tool calls started, outer ones first. */
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

/** Why a chat cannot move; undefined if it can. */
function cannotMove(state: State, chat: ChatId): Rejection | undefined {
  const found = Object.hasOwn(state.chats, chat) ? state.chats[chat] : undefined;
  if (!found) return reject('unknown-chat', 'There is no such chat.');
  if (state.order[0] === chat) return reject('invalid', 'The default chat cannot leave its session.');
  if (found.origin.type === 'tool') return reject('invalid', 'The chat of a tool call stays with that call.');
  const moved = family(state, chat).map((id) => state.chats[id]);
  if (moved.some((each) => each?.active))
    return reject('turn-active', 'A turn is running in this chat; stop it first.');
  return moved.some((each) => each?.stopping)
    ? reject('turn-active', 'The agent of this chat has not stopped yet. Try again in a moment.')
    : undefined;
}

/** The entries of some chats, for another session. Agent bindings move only if the agent is the same. */
function movedPast(
  entries: readonly Entry[],
  chats: readonly ChatId[],
  agent: 'same' | 'other',
): readonly ImportedEvent[] {
  return entries.flatMap(({ at, by, event }) => {
    const moves =
      'chat' in event &&
      chats.includes(event.chat) &&
      !excluded.has(event.kind) &&
      (agent === 'same' || event.kind !== 'agent.bound');
    return moves ? [{ at, by, event }] : [];
  });
}

const excluded: ReadonlySet<EventKind> = new Set<EventKind>(['chat.removed', 'hook.ran', 'job.written']);

/** The order of chats with one of them behind another, or at the end. */
function orderWith(order: readonly ChatId[], chat: ChatId, after: ChatId | undefined): readonly ChatId[] {
  const others = order.filter((id) => id !== chat);
  const at = after === undefined ? others.length : others.indexOf(after) + 1;
  return [...others.slice(0, at), chat, ...others.slice(at)];
}
