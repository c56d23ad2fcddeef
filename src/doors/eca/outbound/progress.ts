// The progress line of a chat, derived from its state, so that it is the same live and in replay. Pure.
import { preparationOf } from '../../../host/session/turnPreparation.ts';
import type { Step } from '../../../host/session/session.ts';
import type { ChatId, PreparationStage } from '../../../model/event.ts';
import type { Chat, NoticeItem, State, ToolItem, Turn } from '../../../model/state.ts';
import { say } from './message.ts';
import type { EcaMessage, ChatPosition } from './message.ts';
import { subagentChats, isSpawn } from './tools/toolDetails.ts';

/**
 * Empty while the chat is idle, because the end of the turn has sent `finished`, and before its agent starts.
 * An agent that has not stopped the turn before is named.
 */
export function progress(
  state: State,
  position: ChatPosition,
  stage: PreparationStage = stageOf(state, position.chat),
): readonly EcaMessage[] {
  const chat = state.chats[position.chat];
  if (!chat || (stage !== 'agent' && !chat.stopping)) return [];
  const text = line(state, chat);
  return text === undefined ? [] : [say(position, 'system', { type: 'progress', state: 'running', text })];
}

export function finished(position: ChatPosition): EcaMessage {
  return say(position, 'system', { type: 'progress', state: 'finished' });
}

/** The stage of the running turn: hooks run before the agent starts. */
export function stageOf(state: State, chat: ChatId): PreparationStage {
  return preparationOf(state, state.chats[chat]?.active)?.stage ?? 'agent';
}

/** The progress line, if it has changed. */
export function newProgress({ before, after }: Step, position: ChatPosition): readonly EcaMessage[] {
  const [old, now] = [before.chats[position.chat], after.chats[position.chat]];
  const isSame = old && now && line(before, old) === line(after, now);
  return isSame ? [] : progress(after, position);
}

/** True if the agent has sent nothing yet. */
function isSilent(turn: Turn): boolean {
  return turn.items.every(({ type }) => type !== 'text' && type !== 'image' && type !== 'tool');
}

/** True for a denial that ends the turn; until the turn has ended, the chat still waits for the user. */
export function endsTurn({ approval }: ToolItem): boolean {
  return approval?.answer.kind === 'option' && approval.answer.stop === true;
}

const callingTool = 'Calling tool';

/** The progress line for a call that failed before it could run. */
export function callingProgress(position: ChatPosition): EcaMessage {
  return say(position, 'system', { type: 'progress', state: 'running', text: callingTool });
}

/** True for a call of the question tool whose question was asked: it ends with the answer. */
function isAnswered({ items }: Turn, { id, name, source }: ToolItem): boolean {
  return (
    source === 'native' &&
    name === 'ask_user' &&
    items.some((item) => item.type === 'ask' && item.ask.kind === 'question' && item.ask.tool === id)
  );
}

/** The wording of ECA; times are in the host's time zone. */
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

/** Undefined while the chat is idle. */
function line(state: State, chat: Chat): string | undefined {
  const text = doing(state, chat);
  if (text === undefined || chat.queue.length === 0) return text;
  return `${text} (${chat.queue.length} queued)`;
}

function doing(state: State, chat: Chat): string | undefined {
  const { active: turn, stopping } = chat;
  if (stopping) return stopping;
  if (!turn) return undefined;
  const asks = Object.values(chat.asks);
  const tools = turn.items.filter((item) => item.type === 'tool');
  if (tools.some((tool) => tool.status === 'asking' || endsTurn(tool)))
    return 'Waiting for tool call approval';
  if (asks.length > 0) return 'Waiting answer';
  const running = tools.filter(({ status }) => status === 'running');
  if (running.some((tool) => isSpawn(tool) || subagentChats({ state, chat: chat.id, tool }).length > 0))
    return 'Waiting subagent';
  if (running.some((tool) => isAnswered(turn, tool))) return 'Waiting answer';
  if (running.length > 0) return callingTool;
  const last = turn.items.at(-1);
  // For example an overloaded provider.
  if (last?.type === 'notice' && last.waits) return `⏳ ${untilRetry(last)}`;
  return isSilent(turn) ? 'Waiting model' : 'Generating';
}
