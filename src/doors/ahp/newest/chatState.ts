// A chat as AHP shows it: its summary and its whole state, pure functions of the session's state.
import type { ChatId, ChatOrigin as Origin, Outcome, Usage } from '../../../model/event.ts';
import type { AskItem, Chat, EndedTurn, Item, State, Turn as OurTurn } from '../../../model/state.ts';
import { present } from '../../../protocols/ahp/immutable.ts';
import type { UsageInfo } from '../../../protocols/ahp/newest/content.ts';
import type { ChatInputAnswers } from '../../../protocols/ahp/newest/message.ts';
import type { ActiveTurn, ChatOrigin, ChatState, ChatSummary, ErrorPart, ResponsePart, Turn } from '../../../protocols/ahp/newest/state.ts';
import { statusBits } from '../../../protocols/ahp/status.ts';
import { chatUri } from '../channels.ts';
import { answerDraft, draftOf } from '../notes.ts';
import { toMessage } from './messages.ts';
import { inputRequest, responseOf, submittedAnswers } from './questions.ts';
import type { Inquiry } from './questions.ts';
import { approvalOf, toolCall } from './toolCall.ts';

/** `most` is how many turns are wanted at least to begin with; the older ones are named by a cursor. */
export function chatState(state: State, id: ChatId, most = Number.POSITIVE_INFINITY): ChatState | undefined {
  const chat = chatOf(state, id);
  if (!chat) return undefined;
  const first = Math.max(0, chat.turns.length - most);
  const slot = chat.steering.at(-1);
  return present({
    ...summaryFields(chat), title: chat.firstTitle,
    turns: chat.turns.slice(first).map((turn) => endedTurn(state, chat, turn)),
    turnsNextCursor: first > 0 ? chat.turns[first]?.id : undefined,
    activeTurn: chat.active && activeTurn(state, chat, chat.active),
    steeringMessage: slot && { id: slot.id, message: toMessage(slot) },
    queuedMessages: chat.queue.length > 0 ? chat.queue.map((message) => ({ id: message.id, message: toMessage(message) })) : undefined,
    draft: draftOf(state, id),
  });
}

/** The turns before the one that a cursor names, and where to go on; nothing where there is no such turn. */
export function turnsBefore(state: State, chat: Chat, cursor: string): { readonly turns: readonly Turn[]; readonly turnsNextCursor?: string } | undefined {
  const end = chat.turns.findIndex(({ id }) => id === cursor);
  if (end < 0) return undefined;
  const start = Math.max(0, end - turnPage);
  return present({ turns: chat.turns.slice(start, end).map((turn) => endedTurn(state, chat, turn)), turnsNextCursor: start > 0 ? chat.turns[start]?.id : undefined });
}

/** How many older turns are given at a time. */
const turnPage = 50;

/** What the session's catalogue says of a chat. A chat without a title of its own is called like its session if it is the default one. */
export function chatSummary(state: State, chat: Chat): ChatSummary {
  const title = chat.title === '' && state.order[0] === chat.id ? state.title : chat.title;
  return { ...summaryFields(chat), title };
}

export function chatOf(state: State, id: ChatId): Chat | undefined {
  return Object.hasOwn(state.chats, id) ? state.chats[id] : undefined;
}

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** One part of a turn; `turn` says which. */
export function responsePart(state: State, place: { readonly chat: Chat; readonly turn: OurTurn }, item: Item): ResponsePart {
  const { chat, turn } = place;
  switch (item.type) {
    case 'text': return { kind: item.channel === 'answer' ? 'markdown' : 'reasoning', id: item.id, content: item.text };
    case 'tool': {
      const ask = item.status === 'asking' ? approvalOf(chat, item.id) : undefined;
      return { kind: 'toolCall', toolCall: toolCall(item, { session: state.id, chat: chat.id, turn: turn.id, tool: item.id }, ask) };
    }
    case 'ask': return questionPart(state, chat, item);
    case 'message': return { kind: 'systemNotification', content: `Added meanwhile: ${item.message.text}`, _meta: { message: item.id } };
    case 'notice': return { kind: 'systemNotification', content: item.text, _meta: { level: item.level } };
    default: return item satisfies never;
  }
}

/** The part that says how a turn ended, if that is worth a word. */
export function endingParts(outcome: Outcome): readonly ResponsePart[] {
  switch (outcome.kind) {
    case 'completed': return outcome.stop ? [{ kind: 'systemNotification', content: stops[outcome.stop], _meta: { stop: outcome.stop } }] : [];
    case 'cancelled': return [];
    case 'failed':
    case 'interrupted': return [errorPart(outcome)];
    default: return outcome satisfies never;
  }
}

export function errorPart(outcome: Extract<Outcome, { readonly kind: 'failed' | 'interrupted' }>): ErrorPart {
  const problem = outcome.kind === 'failed' ? outcome.problem : { code: 'interrupted', message: 'The host stopped while this turn was running.' };
  return { kind: 'error', error: { errorType: problem.code, message: problem.message } };
}

export function usageInfo(usage: Usage): UsageInfo {
  const { input, output, cacheRead, model, ...rest } = usage;
  const other = present(rest);
  return present({ inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, model, _meta: Object.keys(other).length > 0 ? other : undefined });
}

/** The half-filled answers of an open or closed question. */
export function draftAnswers(state: State, chat: Chat, ask: Inquiry): ChatInputAnswers {
  if (ask.kind !== 'question') return {};
  return Object.fromEntries(ask.questions.flatMap(({ id }) => {
    const answer = answerDraft(state, { chat: chat.id, ask: ask.id, question: id });
    return answer ? [[id, answer] as const] : [];
  }));
}

const stops = {
  length: 'The model stopped at its length limit.',
  steps: 'The agent stopped at its limit of steps.',
  refusal: 'The model refused to go on.',
} as const;

/** The time is that of the last turn, because AHP's reducers move it with turns only. */
function summaryFields(chat: Chat): Omit<ChatSummary, 'title'> {
  return present({
    resource: chatUri(chat.id), status: statusOf(chat), modifiedAt: iso(chat.lately.at), origin: originOf(chat.origin),
    interactivity: chat.origin.type === 'tool' ? 'read-only' : undefined,
  });
}

function statusOf(chat: Chat): number {
  if (Object.keys(chat.asks).length > 0) return statusBits.inputNeeded;
  if (chat.active) return statusBits.inProgress;
  return chat.lately.failed ? statusBits.error : statusBits.idle;
}

function originOf(origin: Origin): ChatOrigin {
  switch (origin.type) {
    case 'user': return { kind: 'user' };
    case 'fork': return { kind: 'fork', chat: chatUri(origin.chat), turnId: origin.turn };
    case 'side': return { kind: 'sideChat', chat: chatUri(origin.chat), turnId: origin.turn };
    case 'tool': return { kind: 'tool', chat: chatUri(origin.chat), toolCallId: origin.tool };
    default: return origin satisfies never;
  }
}

function activeTurn(state: State, chat: Chat, turn: OurTurn): ActiveTurn {
  return present({
    id: turn.id, startedAt: iso(turn.startedAt), message: toMessage(turn.message), usage: turn.usage && usageInfo(turn.usage),
    responseParts: turn.items.map((item) => responsePart(state, { chat, turn }, item)),
  });
}

function endedTurn(state: State, chat: Chat, turn: EndedTurn): Turn {
  return present({
    id: turn.id, startedAt: iso(turn.startedAt), duration: Math.max(0, turn.endedAt - turn.startedAt), message: toMessage(turn.message),
    responseParts: [...turn.items.map((item) => responsePart(state, { chat, turn }, item)), ...endingParts(turn.outcome)],
    usage: turn.usage && usageInfo(turn.usage), state: endings[turn.outcome.kind],
  });
}

const endings = { completed: 'complete', cancelled: 'cancelled', failed: 'error', interrupted: 'error' } as const;

/** An answer given in the end stands before those that were only drafted. */
function questionPart(state: State, chat: Chat, { ask, answered }: AskItem): ResponsePart {
  if (ask.kind === 'approval') return { kind: 'systemNotification', content: ask.title };
  const drafts = draftAnswers(state, chat, ask);
  if (!answered) return { kind: 'inputRequest', request: inputRequest(ask, drafts) };
  const request = inputRequest(ask, { ...drafts, ...submittedAnswers(ask, answered.answer) });
  return { kind: 'inputRequest', request, response: responseOf(answered.answer) };
}
