// A session as version 1 shows it: one chat with the facts of its session around it; pure functions of our
// state and our catalogue row.
import type { Step } from '../../../../host/session/session.ts';
import type { ChatId } from '../../../../model/event.ts';
import type { ChatSummary, Status, Summary } from '../../../../host/session/summary.ts';
import type { Chat, EndedTurn, Item, State, Turn as OurTurn } from '../../../../model/state.ts';
import { present } from '../../../../base/present.ts';
import { modeChooser } from '../../../../model/howItRan.ts';
import { brokeBy } from '../../../../model/reduceTurn.ts';
import { statusBits } from '../../../../protocols/ahp/status.ts';
import type { ChatInputRequest } from '../../../../protocols/ahp/v1_0/message.ts';
import type {
  ActiveTurn,
  ResponsePart,
  SessionActiveClient,
  SessionState,
  SessionSummary,
  Turn,
} from '../../../../protocols/ahp/integer1/state.ts';
import type { Meta, UsageInfo } from '../../../../protocols/ahp/v1_0/content.ts';
import { listedEdits, recordedEdits } from '../../outbound/edits.ts';
import { fileUri, baseName } from '../../../../base/fileUri.ts';
import { toActiveClient } from '../../sessionClients.ts';
import {
  activityOf,
  chatOf,
  draftAnswers,
  endingParts,
  errorPart,
  usageInfo,
  withMarks,
} from '../../outbound/chat.ts';
import { sessionConfigOf } from '../../inbound/sessionConfig.ts';
import { chatStatus, contentPart, turnEndings } from '../../outbound/chatParts.ts';
import { offeredAnswers } from '../../outbound/offeredAnswers.ts';
import { inputRequest } from '../../outbound/questions.ts';
import { toUserMessage } from './messages.ts';
import { toolCall } from './toolCall.ts';

export function sessionState(state: State, id: ChatId, resource: string): SessionState | undefined {
  const chat = chatOf(state, id);
  if (!chat) return undefined;
  const slot = chat.steering.at(-1);
  const requests = inputRequests(state, chat);
  return present({
    summary: summaryIn(state, chat, resource),
    lifecycle: 'ready' as const,
    activeClient: activeClient(state),
    turns: chat.turns.map((turn) => endedTurn(state, chat, turn)),
    activeTurn: chat.active && activeTurn(state, chat, chat.active),
    steeringMessage: slot && { id: slot.id, userMessage: toUserMessage(slot) },
    queuedMessages:
      chat.queue.length > 0
        ? chat.queue.map((message) => ({ id: message.id, userMessage: toUserMessage(message) }))
        : undefined,
    inputRequests: requests.length > 0 ? requests : undefined,
    _meta: sessionMeta(state, chat),
    config: { schema: { type: 'object' as const, properties: {} }, values: sessionConfigOf(state).values },
  });
}

/**
 * A line of the list. What is being done at this moment stands only in the state of a session that is open.
 */
export function sessionSummary(summary: Summary, chat: ChatSummary, resource: string): SessionSummary {
  const isFirst = summary.chats[0]?.id === chat.id;
  return present({
    resource,
    provider: summary.agent,
    title: isFirst ? summary.title : chat.title,
    status: withMarks(activities[chat.status], summary),
    createdAt: summary.createdAt,
    modifiedAt: isFirst ? summary.modifiedAt : chat.modifiedAt,
    ...workspace(summary.roots),
    model: summary.model === undefined ? undefined : { id: summary.model },
    diffs: listedEdits(summary.id, chat),
  });
}

/** One part of a turn, or nothing where version 1 shows it elsewhere: questions stand on the session. */
export function responsePart(
  state: State,
  place: { readonly chat: Chat; readonly turn: OurTurn },
  item: Item,
): ResponsePart | undefined {
  switch (item.type) {
    case 'text':
    case 'image':
      return contentPart(state, place, item);
    case 'tool':
      return { kind: 'toolCall', toolCall: toolCall(state, place, item) };
    case 'ask':
      return undefined;
    case 'message':
      return { kind: 'markdown', id: item.id, content: `Added meanwhile: ${item.message.text}` };
    case 'notice':
      return { kind: 'markdown', id: item.id, content: item.text };
    default:
      return item satisfies never;
  }
}

/** The part that an entry has added at the end of its turn. */
export function newestPart({ entry: { event }, after }: Step): ResponsePart | undefined {
  const chat = 'chat' in event ? chatOf(after, event.chat) : undefined;
  const item = chat?.active?.items.at(-1);
  return chat?.active && item && responsePart(after, { chat, turn: chat.active }, item);
}

/** What is worth a word about the end of a turn that did not fail. */
export function endingPart(turn: string, outcome: EndedTurn['outcome']): ResponsePart | undefined {
  const [part] = endingParts(outcome);
  return part?.kind === 'systemNotification'
    ? { kind: 'markdown', id: `${turn}-end`, content: textOf(part.content) }
    : undefined;
}

export function thinUsage({ _meta: _, ...known }: UsageInfo): UsageInfo {
  return known;
}

/** Version 1 has at most one active client: the first one. */
export function activeClient(state: State): SessionActiveClient | undefined {
  const first = state.clients[0] && toActiveClient(state.clients[0]);
  return first
    ? present({ clientId: first.clientId, displayName: first.displayName, tools: first.tools })
    : undefined;
}

/**
 * What version 1 has no word for: who works here now where that is another agent, who chose the permission
 * mode, and what the agent plans to do.
 */
export function sessionMeta({ agent, firstAgent, autonomy }: State, { plan }: Chat): Meta | undefined {
  const meta = present({
    agent: agent === firstAgent ? undefined : agent,
    permissionsChosenBy: autonomy && modeChooser(autonomy),
    plan:
      plan.length > 0 ? plan.map(({ text, status, priority }) => ({ text, status, priority })) : undefined,
  });
  return Object.keys(meta).length > 0 ? meta : undefined;
}

function textOf(content: string | { readonly markdown: string }): string {
  return typeof content === 'string' ? content : content.markdown;
}

function summaryIn(state: State, chat: Chat, resource: string): SessionSummary {
  const isFirst = state.order[0] === chat.id;
  return present({
    resource,
    provider: chat.origin.type === 'tool' ? 'subagent' : state.firstAgent,
    title: isFirst ? state.title : chat.title,
    status: withMarks(chatStatus(chat), state),
    activity: activityOf(chat),
    createdAt: isFirst ? state.createdAt : chat.createdAt,
    modifiedAt: isFirst ? state.modifiedAt : chat.modifiedAt,
    ...workspace(state.roots),
    model: state.model === undefined ? undefined : { id: state.model },
    diffs: recordedEdits(state, chat),
  });
}

function workspace([root]: readonly string[]): Pick<SessionSummary, 'project' | 'workingDirectory'> {
  if (root === undefined) return {};
  const uri = fileUri(root);
  return { project: { uri, displayName: baseName(root) }, workingDirectory: uri };
}

function inputRequests(state: State, chat: Chat): readonly ChatInputRequest[] {
  return Object.values(chat.asks)
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap(({ ask }) =>
      ask.kind === 'approval'
        ? []
        : [inputRequest(offeredAnswers(state, ask), draftAnswers(state, chat, ask))],
    );
}

const activities: Record<Status, number> = {
  idle: statusBits.idle,
  running: statusBits.inProgress,
  asking: statusBits.inputNeeded,
  failed: statusBits.error,
};

function activeTurn(state: State, chat: Chat, turn: OurTurn): ActiveTurn {
  return present({
    id: turn.id,
    userMessage: toUserMessage(turn.message),
    usage: turn.usage && thinUsage(usageInfo(turn.usage)),
    responseParts: turn.items.flatMap((item) => responsePart(state, { chat, turn }, item) ?? []),
  });
}

export function endedTurn(state: State, chat: Chat, turn: EndedTurn): Turn {
  const { outcome } = turn;
  const failed = outcome.kind === 'failed' || outcome.kind === 'interrupted';
  const end = endingPart(turn.id, outcome);
  const { responseParts, ...rest } = activeTurn(state, chat, turn);
  return present({
    ...rest,
    responseParts: end ? [...responseParts, end] : responseParts,
    state: turnEndings[outcome.kind],
    error: failed ? errorPart(brokeBy(outcome)).error : undefined,
  });
}
