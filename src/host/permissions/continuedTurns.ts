// Which turns the next host continues: those that wait for an answer, and those whose subagents do. Pure.
import type { Ask, ChatId } from '../../model/event.ts';
import { findTool } from '../../model/state.ts';
import type { Chat, State } from '../../model/state.ts';
import { RecoveredAsks } from './recoveredAsks.ts';
import type { BegunSubagent } from './recoveredAsks.ts';

/** What an agent can go on with. */
interface Continues {
  readonly continuesAsks?: boolean;
  readonly continuesSubagents?: boolean;
}

/** By chat, with what the turn waited for. */
export function continuedTurns(
  state: State,
  agent: Continues | undefined,
): ReadonlyMap<ChatId, RecoveredAsks> {
  const chats = new Set(
    Object.values(state.chats)
      .filter((chat) => waits(chat))
      .flatMap((chat) => continuedWith(state, chat, agent))
      .flatMap((chat) => (chat.active ? [chat] : [])),
  );
  return new Map(
    [...chats].map((chat) => [chat.id, new RecoveredAsks(asksOf(chat), subagentsOf(chat, chats))]),
  );
}

/** Whether the chat, or a subagent that works for it, waits for an answer. */
export function waitsForAnswer(state: State, id: ChatId): boolean {
  return Object.values(state.chats).some(
    (chat) => waits(chat) && (chat.id === id || callersOf(state, chat)?.some((caller) => caller.id === id)),
  );
}

function waits({ active, asks }: Chat): boolean {
  return active !== undefined && Object.keys(asks).length > 0;
}

/** The chat and those that its agent works for; none if the answer cannot be used any more. */
function continuedWith(state: State, chat: Chat, agent: Continues | undefined): readonly Chat[] {
  if (chat.origin.type !== 'tool') {
    // An agent that has not begun knows nothing of the question.
    const hasBegun = chat.active?.items.some(({ type }) => type !== 'ask' && type !== 'notice') ?? false;
    return !hasBegun || agent?.continuesAsks ? [chat] : [];
  }
  const callers = agent?.continuesSubagents ? callersOf(state, chat) : undefined;
  return callers ? [chat, ...callers] : [];
}

/** The chats that a subagent works for, the nearest first; undefined if the call of one has ended. */
function callersOf(state: State, { origin }: Chat): readonly Chat[] | undefined {
  const callers: Chat[] = [];
  for (let at = origin; at.type === 'tool';) {
    const caller = state.chats[at.chat];
    if (findTool(caller?.active, at.tool)?.status !== 'running' || !caller || callers.includes(caller))
      return undefined;
    callers.push(caller);
    at = caller.origin;
  }
  return callers;
}

function asksOf({ asks }: Chat): readonly Ask[] {
  return Object.values(asks).map(({ ask }) => ask);
}

function subagentsOf({ id }: Chat, continued: ReadonlySet<Chat>): ReadonlyMap<string, BegunSubagent> {
  return new Map(
    [...continued].flatMap(({ id: chat, origin, active }) =>
      origin.type === 'tool' && origin.chat === id && active
        ? [[origin.tool, { chat, turn: active.id }] as const]
        : [],
    ),
  );
}
