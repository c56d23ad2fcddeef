// A chat as a client needs it that was not there: what was said, and what stands now. Read off the state, so nothing is loaded. Pure.
import { preparationOf } from '../../../host/session/turnPreparation.ts';
import type { ChatId } from '../../../model/event.ts';
import { findTurn } from '../../../model/state.ts';
import type { Chat, EndedTurn, Item, State, Turn } from '../../../model/state.ts';
import { contentId, flagsOf } from '../inbound/flags.ts';
import type { Flag } from '../inbound/flags.ts';
import { chatPosition, say, tell } from './message.ts';
import type { EcaMessage, ChatPosition } from './message.ts';
import { replayTool } from './tools/toolCalls.ts';
import { answered, notice, outcomeText, picture, plan, reasonText, usage } from './turns.ts';
import type { Paged } from '../inbound/pages.ts';
import { progress, stageOf } from './progress.ts';
import { reasonFinished } from './reasoning.ts';
import { tasks } from './tools/taskList.ts';
import { isTask, planIn } from './tools/toolDetails.ts';

/** One stored message: the smallest thing that pages of a chat are counted in. */
export interface Stored extends Paged {
  messages(): readonly EcaMessage[];
}

/** What a client gets that opens a chat: it starts over, and what was said is followed by what is true now. */
export function opening(
  state: State,
  id: ChatId,
  page: readonly Stored[] = transcript(state, id),
): readonly EcaMessage[] {
  const place = chatPosition(state, id);
  const name = titleOf(state, id);
  return [
    tell(place, 'chat/cleared', { chatId: id, messages: true }),
    tell(place, 'chat/opened', { chatId: id, ...(name === '' ? {} : { title: name }) }),
    ...page.flatMap((stored) => stored.messages()),
    ...title(state, id),
    { kind: 'selection', root: place.root, chat: id, state },
    { kind: 'trust', root: place.root, chat: id, state },
    ...standing(state, id),
  ];
}

/** Everything that was said in a chat, in order; only what is asked for is put into words. */
export function transcript(state: State, id: ChatId): readonly Stored[] {
  const chat = state.chats[id];
  if (!chat) return [];
  const [place, flags] = [chatPosition(state, id), flagsOf(state, id)];
  return [...chat.turns, ...(chat.active ? [chat.active] : [])].flatMap((turn) =>
    storedTurn({ state, place, chat, turn, flags }),
  );
}

/** What is true of a chat now beyond what was said in it: tasks, usage, the running turn and its open questions. */
function standing(state: State, id: ChatId): readonly EcaMessage[] {
  const chat = state.chats[id];
  if (!chat) return [];
  const place = chatPosition(state, id);
  const questions = Object.values(chat.asks).flatMap(({ ask }) =>
    ask.kind === 'question' ? [{ kind: 'question', root: place.root, chat: id, ask } as const] : [],
  );
  return [
    ...(chat.plan.length > 0 && !isShown(chat) ? [plan(place, chat.plan)] : []),
    ...usage(state, place),
    ...(chat.active && stageOf(state, id) === 'agent'
      ? [tell(place, 'chat/statusChanged', { chatId: id, status: 'running' })]
      : []),
    ...progress(state, place),
    ...questions,
  ];
}

/** Whether the last call of the task tool has shown the list as it is. */
function isShown({ turns, active, plan: now }: Chat): boolean {
  const calls = [...turns, ...(active ? [active] : [])].flatMap(({ items }) =>
    items.filter((item) => item.type === 'tool' && isTask(item)),
  );
  const last = calls.at(-1);
  const then = last?.type === 'tool' ? planIn(last) : undefined;
  return then !== undefined && JSON.stringify(tasks(then)) === JSON.stringify(tasks(now));
}

/** All of a chat, for clients that have it open, or open the chat around it. */
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
  readonly place: ChatPosition;
  readonly chat: Chat;
  readonly turn: Turn | EndedTurn;
  readonly flags: readonly Flag[];
}

function storedTurn(within: Within): readonly Stored[] {
  const { state, place, chat, turn } = within;
  const { stage, early } = preparationOf(state, turn) ?? { stage: 'agent', early: 0 };
  const user: Stored = {
    key: turn.message.id,
    messages: () => [
      say(place, 'user', { type: 'text', text: `\n${turn.message.text}`, contentId: turn.message.id }),
    ],
  };
  const compacted = chat.compaction?.after === turn.id ? chat.compaction : undefined;
  const mark: Stored = {
    key: `${turn.id}/compacted`,
    marksCompaction: true,
    messages: () => [compaction(place, chat)],
  };
  const items = turn.items.map((item, at): readonly Stored[] => [
    { key: `${turn.id}/${item.id}`, messages: () => storedItem(within, item, at) },
    ...storedFlags(within, contentId(item)),
    ...(compacted?.item === item.id ? [mark] : []),
  ]);
  const end = 'outcome' in turn ? outcomeText(place, turn) : [];
  return [
    ...items.slice(0, early).flat(),
    ...(stage === 'opening' ? [] : [user, ...storedFlags(within, turn.message.id)]),
    ...items.slice(early).flat(),
    ...(end.length > 0 ? [{ key: `${turn.id}/end`, messages: () => end }] : []),
    ...(compacted && compacted.item === undefined ? [mark] : []),
  ];
}

function storedFlags({ place, flags }: Within, content: string): readonly Stored[] {
  return flags
    .filter(({ at }) => at === content)
    .map(({ id, text }) => ({
      key: id,
      messages: () => [say(place, 'system', { type: 'flag', text, contentId: id })],
    }));
}

export function compaction(place: ChatPosition, chat: Chat | undefined): EcaMessage {
  return say(place, 'system', {
    type: 'text',
    text: `\n── Chat ${isUnasked(chat) ? 'auto-compacted' : 'compacted'} ──\n`,
  });
}

/** Nobody asked for a summary that was written on the way through another message. */
export function isUnasked(chat: Chat | undefined): boolean {
  const { after, item } = chat?.compaction ?? {};
  const message =
    chat && item !== undefined && after !== undefined ? findTurn(chat, after)?.message : undefined;
  return message !== undefined && !/^\s*\/compact\b/.test(message.text);
}

function storedItem({ state, place, turn }: Within, item: Item, at: number): readonly EcaMessage[] {
  switch (item.type) {
    case 'text':
      return item.channel === 'reasoning'
        ? thought({ place, turn, at }, item)
        : answer(place, item.text, turn.items.slice(0, at));
    case 'image':
      return [picture(place, item)];
    case 'tool':
      return replayTool({ state, chat: place.chat, tool: item }, (chat) => replayAll(state, chat));
    case 'message':
      return [
        say(place, 'user', { type: 'text', text: `\n${item.message.text}`, contentId: item.message.id }),
      ];
    case 'notice':
      return item.waits ? [] : [notice(place, item)];
    case 'ask':
      return item.ask.kind === 'signin' ? [signIn(place, item.ask)] : [];
    default:
      return item satisfies never;
  }
}

/** A new paragraph, except where the answer only goes on. */
function answer(place: ChatPosition, text: string, earlier: readonly Item[]): readonly EcaMessage[] {
  const previous = earlier.findLast(isVisible);
  const goesOn = previous?.type === 'text' && previous.channel === 'answer';
  return answered(place, text, goesOn ? '' : '\n');
}

/** Questions are asked beside the conversation, not in it, and what was waited for is over. */
function isVisible(item: Item): boolean {
  if (item.type === 'ask') return item.ask.kind === 'signin';
  if (item.type === 'notice') return item.waits !== true;
  return item.type !== 'text' || item.channel === 'reasoning' || item.text !== '';
}

function thought(
  { place, turn, at }: { place: ChatPosition; turn: Turn | EndedTurn; at: number },
  item: Extract<Item, { type: 'text' }>,
): readonly EcaMessage[] {
  const endedAt = turn.items[at + 1]?.at ?? ('endedAt' in turn ? turn.endedAt : undefined);
  return [
    say(place, 'assistant', { type: 'reasonStarted', id: item.id }),
    ...reasonText(place, item.id, item.text),
    ...(endedAt === undefined ? [] : [reasonFinished(place, item, endedAt)]),
  ];
}

export function signIn(
  place: ChatPosition,
  { message, url }: { readonly message: string; readonly url: string },
): EcaMessage {
  return say(place, 'system', { type: 'text', text: `\n${message}\n${url}\n` });
}
