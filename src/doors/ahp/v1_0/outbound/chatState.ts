// A chat as AHP shows it: its summary and its whole state, pure functions of the session's state.
import type { ChatId, ChatOrigin as Origin } from '../../../../model/event.ts';
import type { AskItem, Chat, EndedTurn, Item, State, Turn as OurTurn } from '../../../../model/state.ts';
import { present } from '../../../../base/present.ts';
import type {
  ActiveTurn,
  ChatOrigin,
  ChatState,
  ChatSummary,
  ResponsePart,
  Turn,
} from '../../../../protocols/ahp/v1_0/state.ts';
import { chatUri } from '../../channels/channels.ts';
import {
  activityOf,
  chatOf,
  draftAnswers,
  endingParts,
  errorPart,
  iso,
  usageInfo,
  withMarks,
} from '../../outbound/chat.ts';
import { toMessage, toTurnMessage } from '../../outbound/messages.ts';
import { chatStatus, contentPart, turnEndings } from '../../outbound/chatParts.ts';
import { offeredAnswers } from '../../outbound/offeredAnswers.ts';
import { inputRequest, responseOf, submittedAnswers } from '../../outbound/questions.ts';
import { toolCallIn } from '../../outbound/toolCall.ts';

/** `most` is how many turns are wanted at least to begin with; the older ones are named by a cursor. */
export function chatState(state: State, id: ChatId, most = Number.POSITIVE_INFINITY): ChatState | undefined {
  const chat = chatOf(state, id);
  if (!chat) return undefined;
  const first = Math.max(0, chat.turns.length - most);
  const slot = chat.steering.at(-1);
  return present({
    ...summaryFields(state, chat),
    title: chat.firstTitle,
    activity: activityOf(chat),
    turns: chat.turns.slice(first).map((turn) => endedTurn(state, chat, turn)),
    turnsNextCursor: first > 0 ? chat.turns[first]?.id : undefined,
    activeTurn: chat.active && activeTurn(state, chat, chat.active),
    steeringMessage: slot && { id: slot.id, message: toMessage(slot) },
    queuedMessages:
      chat.queue.length > 0
        ? chat.queue.map((message) => ({ id: message.id, message: toMessage(message) }))
        : undefined,
    draft: chat.draft && toMessage(chat.draft),
  });
}

/** The turns before a cursor, and the next cursor; undefined if the turn does not exist. */
export function turnsBefore(
  state: State,
  chat: Chat,
  cursor: string,
): { readonly turns: readonly Turn[]; readonly turnsNextCursor?: string } | undefined {
  const end = chat.turns.findIndex(({ id }) => id === cursor);
  if (end < 0) return undefined;
  const start = Math.max(0, end - turnPage);
  return present({
    turns: chat.turns.slice(start, end).map((turn) => endedTurn(state, chat, turn)),
    turnsNextCursor: start > 0 ? chat.turns[start]?.id : undefined,
  });
}

/** How many older turns are given at a time. */
const turnPage = 50;

/** The summary of a chat in its session. The default chat without a title has the title of its session. */
export function chatSummary(state: State, chat: Chat): ChatSummary {
  const title = chat.title === '' && state.order[0] === chat.id ? state.title : chat.title;
  return { ...summaryFields(state, chat), title };
}

/** One part of a turn; `turn` says which. */
export function responsePart(
  state: State,
  place: { readonly chat: Chat; readonly turn: OurTurn },
  item: Item,
): ResponsePart {
  switch (item.type) {
    case 'text':
    case 'image':
      return contentPart(state, place, item);
    case 'tool':
      return { kind: 'toolCall', toolCall: toolCallIn(state, place, item) };
    case 'ask':
      return questionPart(state, place.chat, item);
    case 'message':
      return {
        kind: 'systemNotification',
        content: `Added meanwhile: ${item.message.text}`,
        _meta: { message: item.id },
      };
    case 'notice':
      return item.broke
        ? errorPart(item.broke)
        : { kind: 'systemNotification', content: item.text, _meta: { level: item.level } };
    default:
      return item satisfies never;
  }
}

/** The time is that of the last turn, because AHP's reducers move it with turns only. */
function summaryFields(state: State, chat: Chat): Omit<ChatSummary, 'title'> {
  return present({
    resource: chatUri(chat.id),
    status: withMarks(chatStatus(chat), chat),
    modifiedAt: iso(chat.lately.at),
    origin: originOf(chat.origin),
    interactivity: chat.origin.type === 'tool' ? 'read-only' : undefined,
    movable: isMovable(state, chat) ? true : undefined,
  });
}

/** The default chat stays with its session, and a chat inside a tool call with that call. */
function isMovable({ order }: State, { id, origin }: Chat): boolean {
  return order[0] !== id && origin.type !== 'tool';
}

function originOf(origin: Origin): ChatOrigin {
  switch (origin.type) {
    case 'user':
      return { kind: 'user' };
    case 'fork':
      return { kind: 'fork', chat: chatUri(origin.chat), turnId: origin.turn };
    case 'side': {
      const selection =
        origin.about && present({ text: origin.about.text, responsePartId: origin.about.item });
      return present({
        kind: 'sideChat' as const,
        chat: chatUri(origin.chat),
        turnId: origin.turn,
        selection,
      });
    }
    case 'tool':
      return { kind: 'tool', chat: chatUri(origin.chat), toolCallId: origin.tool };
    default:
      return origin satisfies never;
  }
}

function activeTurn(state: State, chat: Chat, turn: OurTurn): ActiveTurn {
  return present({
    id: turn.id,
    startedAt: iso(turn.startedAt),
    message: toTurnMessage(chat, turn),
    usage: turn.usage && usageInfo(turn.usage),
    responseParts: turn.items.map((item) => responsePart(state, { chat, turn }, item)),
  });
}

function endedTurn(state: State, chat: Chat, turn: EndedTurn): Turn {
  return present({
    id: turn.id,
    startedAt: iso(turn.startedAt),
    duration: Math.max(0, turn.endedAt - turn.startedAt),
    message: toTurnMessage(chat, turn),
    responseParts: [
      ...turn.items.map((item) => responsePart(state, { chat, turn }, item)),
      ...endingParts(turn.outcome),
    ],
    usage: turn.usage && usageInfo(turn.usage),
    state: turnEndings[turn.outcome.kind],
  });
}

/** The final answer comes before drafts. */
function questionPart(state: State, chat: Chat, { ask, answered }: AskItem): ResponsePart {
  if (ask.kind === 'approval') return { kind: 'systemNotification', content: ask.title };
  const drafts = draftAnswers(state, chat, ask);
  const offered = offeredAnswers(state, ask);
  if (!answered) return { kind: 'inputRequest', request: inputRequest(offered, drafts) };
  const request = inputRequest(offered, { ...drafts, ...submittedAnswers(ask, answered.answer) });
  return { kind: 'inputRequest', request, response: responseOf(answered.answer) };
}
