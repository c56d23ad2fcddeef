// Folds the items and the end of a turn. Pure helpers of the reducer.
import type { Entry, EventOf, Outcome, Problem } from './event.ts';
import type { Chat, Item, State, Turn } from './state.ts';

/** `model` is the session's. */
export function addTurn(
  chat: Chat,
  { event, entry }: { readonly event: EventOf<'turn.started'>; readonly entry: Entry },
  model: string | undefined,
): Chat | undefined {
  if (chat.active) return undefined;
  const active: Turn = {
    id: event.turn,
    message: event.message,
    by: entry.by,
    ...(model === undefined ? {} : { model }),
    startedAt: entry.at,
    items: [],
    usage: undefined,
  };
  return {
    ...chat,
    active,
    held: false,
    read: false,
    modifiedAt: entry.at,
    lately: { at: entry.at, failed: false },
  };
}

/** Ends the turn together with its open tool calls and questions. */
export function endTurn(chat: Chat, event: EventOf<'turn.ended'>, entry: Entry): Chat | undefined {
  const { active } = chat;
  if (active?.id !== event.turn) return undefined;
  const kind = event.outcome.kind;
  const failed = kind === 'failed' || kind === 'interrupted';
  const status = kind === 'interrupted' ? 'interrupted' : 'cancelled';
  const items = active.items.map((item) => {
    if (item.type === 'tool' && item.status !== 'ended')
      return { ...item, status: 'ended' as const, endedAt: entry.at, result: { status } as const };
    if (item.type === 'ask' && !item.answered)
      return { ...item, answered: { answer: { kind: 'withdrawn', why: status } as const, by: entry.by } };
    return item;
  });
  return {
    ...chat,
    active: undefined,
    asks: {},
    modifiedAt: entry.at,
    held: failed || (kind === 'cancelled' && chat.queue.length > 0),
    lately: { at: Math.max(active.startedAt, entry.at), failed },
    turns: [...chat.turns, { ...active, items, outcome: event.outcome, endedAt: entry.at }],
  };
}

/** The turn runs again with all its items; the problem that had ended it stays visible. */
export function resumeTurn(chat: Chat, event: EventOf<'turn.resumed'>, entry: Entry): Chat | undefined {
  const last = chat.turns.at(-1);
  const broke = last && brokeBy(last.outcome);
  if (chat.active || !broke || last.id !== event.turn) return undefined;
  const { outcome: _, endedAt: __, ...turn } = last;
  const notice: Item = {
    type: 'notice',
    id: `broke-${entry.seq}`,
    at: entry.at,
    level: 'error',
    text: broke.message,
    broke,
  };
  return {
    ...chat,
    active: withItem(turn, notice),
    turns: chat.turns.slice(0, -1),
    held: false,
    read: false,
    modifiedAt: entry.at,
    lately: { at: chat.lately.at, failed: false },
  };
}

/** The code and message of a failed turn; undefined for a successful one. */
export function brokeBy(outcome: Outcome): Problem | undefined {
  if (outcome.kind === 'failed') return outcome.problem;
  return outcome.kind === 'interrupted'
    ? { code: 'interrupted', message: 'Interrupted: Parley was restarted. Nothing was lost.' }
    : undefined;
}

export function changeChat(
  state: State,
  id: string,
  change: (chat: Chat) => Chat | undefined,
): State | undefined {
  const old = Object.hasOwn(state.chats, id) ? state.chats[id] : undefined;
  const next = old && change(old);
  return next && { ...state, chats: { ...state.chats, [id]: next } };
}

/** Changes the running turn if it has that id. */
export function inTurn(chat: Chat, turn: string, change: (turn: Turn) => Turn | undefined): Chat | undefined {
  const next = chat.active?.id === turn ? change(chat.active) : undefined;
  return next && { ...chat, active: next };
}

/** Changes one item; searches from the end, because streaming changes the last items. */
export function inItem(turn: Turn, id: string, change: (item: Item) => Item | undefined): Turn | undefined {
  const index = turn.items.findLastIndex((item) => item.id === id);
  const old = turn.items[index];
  const next = old && change(old);
  return next && { ...turn, items: turn.items.with(index, next) };
}

export function withItem(turn: Turn, item: Item): Turn {
  return { ...turn, items: [...turn.items, item] };
}
