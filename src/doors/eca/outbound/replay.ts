// The replay of a chat for a client that opens it: its messages and its current status. Derived
// from the state. Pure.
import { preparationOf } from '../../../host/session/turnPreparation.ts';
import type { ChatId } from '../../../model/event.ts';
import type { Chat, EndedTurn, Item, State, ToolItem, Turn } from '../../../model/state.ts';
import { contentId, flagsOf } from '../inbound/flags.ts';
import type { Flag } from '../inbound/flags.ts';
import { replayItem, replayMessage } from './items.ts';
import { chatPosition, say, tell } from './message.ts';
import type { EcaMessage, ChatPosition } from './message.ts';
import { replayTool } from './tools/toolCalls.ts';
import { outcomeText, plan, usage } from './turns.ts';
import type { PageUnit } from '../inbound/pages.ts';
import { progress, stageOf } from './progress.ts';
import { tasks } from './tools/taskList.ts';
import { isTask, taskListIn } from './tools/toolDetails.ts';

/** One stored message: the unit in which pages of a chat are counted. */
export interface StoredMessage extends PageUnit {
  messages(): readonly EcaMessage[];
}

/** Clears the chat in the client, then sends its messages and its current status. */
export function opening(
  state: State,
  id: ChatId,
  page: readonly StoredMessage[] = transcript(state, id),
): readonly EcaMessage[] {
  const position = chatPosition(state, id);
  const name = titleOf(state, id);
  return [
    tell(position, 'chat/cleared', { chatId: id, messages: true }),
    tell(position, 'chat/opened', { chatId: id, ...(name === '' ? {} : { title: name }) }),
    ...page.flatMap((stored) => stored.messages()),
    ...title(state, id),
    { kind: 'selection', root: position.root, chat: id, state },
    { kind: 'trust', root: position.root, chat: id, state },
    ...(isUsual(state) ? [] : [{ kind: 'permissions', root: position.root, chat: id, state } as const]),
    ...standing(state, id),
  ];
}

/** The mode that clients expect needs no word. */
export function isUsual({ autonomy }: State): boolean {
  return autonomy === undefined || autonomy.level === 'ask';
}

/** The messages of a chat in order, encoded on demand. */
export function transcript(state: State, id: ChatId): readonly StoredMessage[] {
  const chat = state.chats[id];
  if (!chat) return [];
  const [position, flags] = [chatPosition(state, id), flagsOf(state, id)];
  return [...chat.turns, ...(chat.active ? [chat.active] : [])].flatMap((turn) =>
    storedTurn({ state, position, chat, turn, flags }),
  );
}

/** The current status of a chat: tasks, usage, the running turn and its open questions. */
function standing(state: State, id: ChatId): readonly EcaMessage[] {
  const chat = state.chats[id];
  if (!chat) return [];
  const position = chatPosition(state, id);
  return [
    ...(chat.plan.length > 0 && !isShown(chat) ? [plan(position, chat.plan)] : []),
    ...usage(state, position),
    ...(chat.active && stageOf(state, id) === 'agent'
      ? [tell(position, 'chat/statusChanged', { chatId: id, status: 'running' })]
      : []),
    ...progress(state, position),
    ...openQuestions(state, id),
  ];
}

/** The questions of a chat that nobody has answered. */
export function openQuestions(state: State, id: ChatId): readonly EcaMessage[] {
  const { root } = chatPosition(state, id);
  const { asks = {}, active } = state.chats[id] ?? {};
  return Object.values(asks).flatMap(({ ask }) =>
    ask.kind === 'question' ? [{ kind: 'question', root, chat: id, ask, by: active?.by } as const] : [],
  );
}

/** True if the last call of the task tool has shown the current list. */
function isShown({ turns, active, plan: now }: Chat): boolean {
  const calls = [...turns, ...(active ? [active] : [])].flatMap(({ items }) =>
    items.filter((item) => item.type === 'tool' && isTask(item)),
  );
  const last = calls.at(-1);
  const then = last?.type === 'tool' ? taskListIn(last) : undefined;
  return then !== undefined && JSON.stringify(tasks(then)) === JSON.stringify(tasks(now));
}

/** The whole chat, for clients that follow it or its outermost chat. */
export function replayAll(state: State, id: ChatId): readonly EcaMessage[] {
  return [
    ...transcript(state, id).flatMap((stored) => stored.messages()),
    ...title(state, id),
    ...standing(state, id),
  ];
}

function title(state: State, id: ChatId): readonly EcaMessage[] {
  const name = titleOf(state, id);
  return name === '' ? [] : [say(chatPosition(state, id), 'system', { type: 'metadata', title: name })];
}

export function titleOf(state: State, id: ChatId): string {
  const own = state.chats[id]?.title ?? '';
  return state.order[0] === id ? state.title || own : own;
}

interface Within {
  readonly state: State;
  readonly position: ChatPosition;
  readonly chat: Chat;
  readonly turn: Turn | EndedTurn;
  readonly flags: readonly Flag[];
}

function storedTurn(within: Within): readonly StoredMessage[] {
  const { state, position, chat, turn } = within;
  const { stage, early } = preparationOf(state, turn) ?? { stage: 'agent', early: 0 };
  const user: StoredMessage = {
    key: turn.message.id,
    messages: () => [replayMessage(position, turn.message)],
  };
  const compacted = chat.compaction?.after === turn.id ? chat.compaction : undefined;
  const mark: StoredMessage = {
    key: `${turn.id}/compacted`,
    marksCompaction: true,
    messages: () => [compaction(position, chat)],
  };
  const items = turn.items.map((item, at): readonly StoredMessage[] => [
    { key: `${turn.id}/${item.id}`, messages: () => storedItem(within, item, at) },
    ...storedFlags(within, contentId(item)),
    ...(compacted?.item === item.id ? [mark] : []),
  ]);
  const end = 'outcome' in turn ? outcomeText(position, turn) : [];
  return [
    ...items.slice(0, early).flat(),
    ...(stage === 'opening' ? [] : [user, ...storedFlags(within, turn.message.id)]),
    ...items.slice(early).flat(),
    ...(end.length > 0 ? [{ key: `${turn.id}/end`, messages: () => end }] : []),
    ...(compacted && compacted.item === undefined ? [mark] : []),
  ];
}

function storedFlags({ position, flags }: Within, content: string): readonly StoredMessage[] {
  return flags
    .filter(({ at }) => at === content)
    .map(({ id, text }) => ({
      key: id,
      messages: () => [say(position, 'system', { type: 'flag', text, contentId: id })],
    }));
}

export function compaction(position: ChatPosition, chat: Chat | undefined): EcaMessage {
  return say(position, 'system', {
    type: 'text',
    text: `\n── Chat ${isAutomatic(chat) ? 'auto-compacted' : 'compacted'} ──\n`,
  });
}

/** True if the agent compacted the chat without a command. */
export function isAutomatic(chat: Chat | undefined): boolean {
  return chat?.compaction?.trigger === 'automatic';
}

function storedItem({ state, position, turn }: Within, item: Item, at: number): readonly EcaMessage[] {
  const replayCall = (tool: ToolItem) =>
    replayTool({ state, chat: position.chat, tool }, (chat) => replayAll(state, chat));
  return replayItem({ position, turn, at, replayTool: replayCall }, item);
}
