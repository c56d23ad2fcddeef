// A chat that goes from one session to another with its past and the chats inside its tool calls. Pure; reads nothing and stores nothing.
import { reject } from '../model/command.ts';
import type { Rejection } from '../model/command.ts';
import type { ChatId, Entry, EventKind } from '../model/event.ts';
import type { State } from '../model/state.ts';
import type { Past } from './session.ts';

/** A chat and the chats inside it, the outer ones first. */
export function family({ order, chats }: State, chat: ChatId): readonly ChatId[] {
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
export function staysPut(state: State, chat: ChatId): Rejection | undefined {
  const found = Object.hasOwn(state.chats, chat) ? state.chats[chat] : undefined;
  if (!found) return reject('unknown-chat', 'There is no such chat.');
  if (state.order[0] === chat) return reject('invalid', 'The default chat goes only with its session.');
  if (found.origin.type === 'tool') return reject('invalid', 'A chat inside a tool call stays with that call.');
  return family(state, chat).some((id) => state.chats[id]?.active) ? reject('turn-active', 'A turn is running in this chat; stop it first.') : undefined;
}

/** What happened in some chats, as another session can begin or go on with it. Agents find their conversations again where they stay the same. */
export function movedPast(entries: readonly Entry[], chats: readonly ChatId[], agent: 'same' | 'other'): readonly Past[] {
  return entries.flatMap(({ at, by, event }) => {
    const moves = 'chat' in event && chats.includes(event.chat) && !left.has(event.kind) && (agent === 'same' || event.kind !== 'agent.bound');
    return moves ? [{ at, by, event }] : [];
  });
}

/** A terminal does not outlive its host, and belongs to the session it was opened in. */
const left: ReadonlySet<EventKind> = new Set<EventKind>(['terminal.started', 'terminal.ended', 'chat.removed']);

/** The order of a session's chats with one of them behind another, or at the end. */
export function orderWith(order: readonly ChatId[], chat: ChatId, after: ChatId | undefined): readonly ChatId[] {
  const others = order.filter((id) => id !== chat);
  const at = after === undefined ? others.length : others.indexOf(after) + 1;
  return [...others.slice(0, at), chat, ...others.slice(at)];
}
