// The one line that says what a chat is doing, read off its state, so that it is the same live and after opening. Pure.
import { preparationOf } from '../../../host/session/turnPreparation.ts';
import type { Step } from '../../../host/session/session.ts';
import type { ChatId, PreparationStage } from '../../../model/event.ts';
import type { Chat, NoticeItem, State, ToolItem, Turn } from '../../../model/state.ts';
import { say } from './message.ts';
import type { EcaMessage, ChatPosition } from './message.ts';
import { chatsOf, isSpawn } from './tools/toolDetails.ts';

/** Nothing while the chat is idle: what ended a turn has said `finished`; and nothing before its agent begins. */
export function progress(
  state: State,
  place: ChatPosition,
  stage: PreparationStage = stageOf(state, place.chat),
): readonly EcaMessage[] {
  const chat = state.chats[place.chat];
  if (!chat?.active || stage !== 'agent') return [];
  const waiting = chat.queue.length === 0 ? '' : ` (${chat.queue.length} queued)`;
  return [
    say(place, 'system', {
      type: 'progress',
      state: 'running',
      text: doing(state, chat, chat.active) + waiting,
    }),
  ];
}

/** Whether the running turn of a chat has begun, or waits for programs of the user. */
export function stageOf(state: State, chat: ChatId): PreparationStage {
  return preparationOf(state, state.chats[chat]?.active)?.stage ?? 'agent';
}

/** The line where it says something else now. */
export function newProgress({ before, after }: Step, place: ChatPosition): readonly EcaMessage[] {
  const [old, now] = [before.chats[place.chat], after.chats[place.chat]];
  const isSame =
    old?.active && now?.active && doing(before, old, old.active) === doing(after, now, now.active);
  return isSame ? [] : progress(after, place);
}

/** Nothing has come from the agent yet. */
function isSilent(turn: Turn): boolean {
  return turn.items.every(({ type }) => type !== 'text' && type !== 'image' && type !== 'tool');
}

/** Refusal in a way that ends the turn: until it has ended, the chat goes on waiting for its user. */
export function endsTurn({ approval }: ToolItem): boolean {
  return approval?.answer.kind === 'option' && approval.answer.stop === true;
}

const callingTool = 'Calling tool';

/** What is said of a call that failed before it could run. */
export function calling(place: ChatPosition): EcaMessage {
  return say(place, 'system', { type: 'progress', state: 'running', text: callingTool });
}

/** A call that does nothing but ask is over with its answer. */
function isAnswered({ items }: Turn, { id, name, source }: ToolItem): boolean {
  return (
    source === 'native' &&
    name === 'ask_user' &&
    items.some((item) => item.type === 'ask' && item.ask.kind === 'question' && item.ask.tool === id)
  );
}

/** In the words that users of ECA know; the time of day is that of the host. */
function untilRetry({ at, text, retry }: NoticeItem): string {
  if (!retry) return text;
  const {
    problem: { code, message },
    attempt,
    of,
    wait,
    asked,
  } = retry;
  const until =
    asked && code === 'rate-limited'
      ? `Resuming at ${timeOfDay(at + wait)} (in ${seconds(wait)}, `
      : `Retrying in ${seconds(wait)} (`;
  return `${code === 'rate-limited' ? 'Rate limited' : message.replace(/\.$/, '')}. ${until}attempt ${attempt}/${of})`;
}

function seconds(milliseconds: number): string {
  return `${Math.max(1, Math.round(milliseconds / 1_000))}s`;
}

function timeOfDay(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes()].map((each) => String(each).padStart(2, '0')).join(':');
}

function doing(state: State, chat: Chat, turn: Turn): string {
  const asks = Object.values(chat.asks);
  const tools = turn.items.filter((item) => item.type === 'tool');
  if (tools.some((tool) => tool.status === 'asking' || endsTurn(tool)))
    return 'Waiting for tool call approval';
  if (asks.length > 0) return 'Waiting answer';
  const running = tools.filter(({ status }) => status === 'running');
  if (running.some((tool) => isSpawn(tool) || chatsOf({ state, chat: chat.id, tool }).length > 0))
    return 'Waiting subagent';
  if (running.some((tool) => isAnswered(turn, tool))) return 'Waiting answer';
  if (running.length > 0) return callingTool;
  const last = turn.items.at(-1);
  // Such as a provider that has too much to do.
  if (last?.type === 'notice' && last.waits) return `⏳ ${untilRetry(last)}`;
  return isSilent(turn) ? 'Waiting model' : 'Generating';
}
