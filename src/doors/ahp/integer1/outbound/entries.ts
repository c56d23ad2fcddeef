// What one entry of the log is to clients of version 1: a pure projection onto sessions that have one chat each.
import type { Projection } from '../../../../host/session/live.ts';
import type { Step } from '../../../../host/session/session.ts';
import type { ChatId, EventKind, EventOf } from '../../../../model/event.ts';
import { brokeBy } from '../../../../model/reduceTurn.ts';
import { findItem, findTool } from '../../../../model/state.ts';
import type { Chat, State, ToolItem } from '../../../../model/state.ts';
import { diff } from '../../../../protocols/ahp/difference.ts';
import { present } from '../../../../base/present.ts';
import type { ToolCallState } from '../../../../protocols/ahp/integer1/toolCall.ts';
import { recordedEdits } from '../../outbound/edits.ts';
import { answerIn, doorName, readNote } from '../../notes.ts';
import type { Outgoing } from '../../delivery/outgoing.ts';
import { rootTarget } from '../../channels/target.ts';
import type { Target, ToolTerminal } from '../../channels/target.ts';
import { activityOf, chatOf, errorPart } from '../../outbound/chat.ts';
import { toolTerminalNews } from '../../outbound/toolTerminal.ts';
import { inputText } from '../../outbound/content.ts';
import type { ToolChange } from '../../outbound/toolCall.ts';
import { inputRequest, responseOf, submittedAnswers } from '../../outbound/questions.ts';
import { configOf } from '../../inbound/sessionConfig.ts';
import { seqOf } from '../../delivery/serverSeq.ts';
import { toUserMessage } from './messages.ts';
import { V1Outgoing } from './outgoing.ts';
import { messageQueued, messageRemoved, slotChange } from './queue.ts';
import { toolActions } from './toolCallActions.ts';
import { activeClient, endingPart, responsePart, sessionMeta, usageInfo } from './sessionState.ts';
import { echo, on } from './outgoingAction.ts';
import type { Said, Shown } from './outgoingAction.ts';
import { toolCall } from './toolCall.ts';

export function show(step: Step): readonly Shown[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind chooses the function, which the compiler cannot follow through a union
  const showEvent = shows[step.entry.event.kind] as Show<EventKind> | undefined;
  const { event } = step.entry;
  const said = showEvent?.(event, step) ?? [];
  const shown =
    'chat' in event && !streamed.has(event.kind) ? [...said, ...activityChange(step, event.chat)] : said;
  return step.before.read === step.after.read ? shown : [...shown, ...unread(step, shown)];
}

/** These come thick and fast, and nothing beside the text of a part follows from them. */
const streamed: ReadonlySet<EventKind> = new Set<EventKind>(['text.added', 'tool.input']);

function activityChange({ before, after }: Step, id: ChatId): readonly Shown[] {
  const [old, chat] = [chatOf(before, id), chatOf(after, id)];
  const activity = chat && activityOf(chat);
  return !old || !chat || activityOf(old) === activity
    ? []
    : [on(id, present({ type: 'session/activityChanged' as const, activity }))];
}

export const project: Projection<Outgoing> = (step) => {
  const { pos, by } = step.entry;
  const origin =
    by.kind === 'client' && by.door === doorName && by.mark !== undefined
      ? { clientId: by.client, clientSeq: by.mark }
      : undefined;
  return show(step).map(
    ({ target, action, echo: own }, i) =>
      new V1Outgoing(target, seqOf(pos, i), { action, origin: own ? origin : undefined }),
  );
};

type Show<K extends EventKind> = (event: EventOf<K>, step: Step) => readonly Shown[];

const nothing = () => [];

const shows: { readonly [K in EventKind]: Show<K> } = {
  'session.created': nothing,
  'session.changed': sessionChanged,
  'agent.bound': nothing,
  'chat.created': nothing,
  'chat.changed': ({ chat, title }, { after }) =>
    title === undefined || after.order[0] === chat
      ? []
      : [echo(chat, { type: 'session/titleChanged', title })],
  'chats.ordered': nothing,
  'chat.removed': nothing,
  'chat.truncated': ({ chat, after }, step) =>
    [
      echo(chat, present({ type: 'session/truncated' as const, turnId: after })),
      edits(step.after, chat),
    ].flat(),
  'chat.compacted': nothing,
  'message.queued': messageQueued,
  'message.removed': messageRemoved,
  'message.reordered': ({ chat, order }) => [echo(chat, { type: 'session/queuedMessagesReordered', order })],
  'message.steered': messageSteered,
  'turn.started': turnStarted,
  'turn.ended': turnEnded,
  'turn.resumed': turnResumed,
  'usage.reported': ({ chat, turn }, { after }) => {
    const usage = chatOf(after, chat)?.active?.usage;
    return usage ? [on(chat, { type: 'session/usage', turnId: turn, usage: usageInfo(usage) })] : [];
  },
  'text.added': textAdded,
  'image.added': ({ chat, turn }, step) => newestPart(step, chat, turn),
  'plan.set': ({ chat }, step) => metaChange(step, chat),
  'notice.added': ({ chat, turn }, step) => newestPart(step, chat, turn),
  'tool.started': (event, step) => toolChanged(event, step, 'call'),
  'tool.input': (event, step) => toolChanged(event, step, 'call'),
  'tool.ready': (event, step) => toolChanged(event, step, 'call'),
  'tool.running': (event, step) => toolChanged(event, step, 'call'),
  'tool.output': (event, step) => echoed(toolChanged(event, step, 'output')),
  'tool.held': (event, step) => echoed(toolChanged(event, step, 'call')),
  'tool.ended': (event, step) => echoed(toolChanged(event, step, 'call')),
  'ask.opened': ({ chat, turn, ask }, step) =>
    ask.kind === 'approval'
      ? toolChanged({ chat, turn, tool: ask.tool }, step, 'call')
      : [on(chat, { type: 'session/inputRequested', request: inputRequest(ask) })],
  'ask.answered': askAnswered,
  'turn.prepared': nothing,
  'hook.ran': nothing,
  'edits.reverted': (_, step) => step.after.order.flatMap((chat) => newEdits(step, chat)),
  'files.restored': nothing,
  'input.resolved': nothing,
  'session.instructed': nothing,
  'features.disabled': nothing,
  'draft.set': nothing,
  'client.joined': ({ client }, step) => clientChanged(client.id, step),
  'client.left': ({ client }, step) => clientChanged(client, step),
  note,
  retired: nothing,
};

/** A turn that starts and a question make the reducers call the session unread; all else has to be told. */
function unread({ after }: Step, shown: readonly Shown[]): readonly Shown[] {
  const known = new Set(
    shown.filter(({ action }) => impliesUnread.has(action.type)).map(({ target }) => chatOn(target)),
  );
  const told = new Set(
    shown.filter(({ action }) => action.type === 'session/isReadChanged').map(({ target }) => chatOn(target)),
  );
  return after.order.flatMap((chat) =>
    told.has(chat) || (known.has(chat) && !after.read)
      ? []
      : [on(chat, { type: 'session/isReadChanged', isRead: after.read })],
  );
}

const impliesUnread: ReadonlySet<string> = new Set(['session/turnStarted', 'session/inputRequested']);

/** The facts of a session stand in each of its chats. Folders have no action here; they are told with the list. */
function sessionChanged({ changes }: EventOf<'session.changed'>, step: Step): readonly Shown[] {
  const { before, after } = step;
  const [first] = after.order;
  const all = (action: Said): readonly Shown[] => after.order.map((chat) => echo(chat, action));
  const config = diff(configOf(before).values, configOf(after).values).length > 0;
  return [
    ...(changes.title !== undefined && first !== undefined
      ? [echo(first, { type: 'session/titleChanged', title: after.title })]
      : []),
    // An empty name says that nobody has chosen one; the action has no other way to say so.
    ...(after.model === before.model && changes.model === undefined
      ? []
      : all({ type: 'session/modelChanged', model: { id: after.model ?? '' } })),
    ...(changes.read === undefined ? [] : all({ type: 'session/isReadChanged', isRead: after.read })),
    ...(changes.archived === undefined
      ? []
      : all({ type: 'session/isArchivedChanged', isArchived: after.archived })),
    ...(changes.options === undefined && !config
      ? []
      : all({ type: 'session/configChanged', config: configOf(after).values, replace: true })),
    ...(changes.agent === undefined ? [] : after.order.flatMap((chat) => metaChange(step, chat))),
  ];
}

function turnStarted(event: EventOf<'turn.started'>, step: Step): readonly Shown[] {
  const { chat: id, turn, message } = event;
  const [old, chat] = [chatOf(step.before, id), chatOf(step.after, id)];
  if (!old || !chat) return [];
  const waited = [...old.queue, ...old.steering].some((waiting) => waiting.id === message.id);
  const started = present({
    type: 'session/turnStarted' as const,
    turnId: turn,
    userMessage: toUserMessage(message),
    queuedMessageId: waited ? message.id : undefined,
  });
  const slot = old.steering.at(-1);
  return [
    event.queued ? on(id, started) : echo(id, started),
    ...slotChange(chat, slot?.id === message.id ? undefined : slot),
  ];
}

function turnEnded({ chat: id, turn, outcome }: EventOf<'turn.ended'>, step: Step): readonly Shown[] {
  const active = chatOf(step.before, id)?.active;
  const chat = chatOf(step.after, id);
  if (!active || !chat) return [];
  const left = active.items.flatMap((item): readonly Shown[] => {
    if (item.type !== 'tool') return [];
    const stopped = terminalNews(step, { chat: id, turn, tool: item.id });
    return item.status === 'ready' && item.input !== undefined
      ? [on(id, kept(turn, item)), ...stopped]
      : stopped;
  });
  if (outcome.kind === 'failed' || outcome.kind === 'interrupted')
    return [
      ...left,
      on(id, { type: 'session/error', turnId: turn, error: errorPart(brokeBy(outcome)).error }),
      ...newEdits(step, id),
    ];
  const part = endingPart(turn, outcome);
  const said = part ? [on(id, { type: 'session/responsePart', turnId: turn, part })] : [];
  if (outcome.kind === 'cancelled')
    return [
      ...left,
      ...said,
      echo(id, { type: 'session/turnCancelled', turnId: turn }),
      ...newEdits(step, id),
    ];
  return [...left, ...said, on(id, { type: 'session/turnComplete', turnId: turn }), ...edits(step.after, id)];
}

/** A call that ends with its turn loses its arguments unless it was confirmed. */
function kept(turn: string, { id, title, input }: ToolItem): Said {
  return present({
    type: 'session/toolCallReady' as const,
    turnId: turn,
    toolCallId: id,
    invocationMessage: title,
    toolInput: input === undefined ? undefined : inputText(input),
    confirmed: 'not-needed' as const,
  });
}

function edits(state: State, id: ChatId): readonly Shown[] {
  const chat = chatOf(state, id);
  return chat ? [on(id, { type: 'session/diffsChanged', diffs: recordedEdits(state, chat) })] : [];
}

function newEdits({ before, after }: Step, id: ChatId): readonly Shown[] {
  const [old, now] = [chatOf(before, id), chatOf(after, id)];
  return old && now && diff(recordedEdits(before, old), recordedEdits(after, now)).length > 0
    ? edits(after, id)
    : [];
}

function textAdded({ chat, turn, item, channel, text }: EventOf<'text.added'>, step: Step): readonly Shown[] {
  if (!findItem(chatOf(step.before, chat)?.active, item)) return newestPart(step, chat, turn);
  return [
    on(chat, {
      type: channel === 'answer' ? 'session/delta' : 'session/reasoning',
      turnId: turn,
      partId: item,
      content: text,
    }),
  ];
}

function newestPart({ after }: Step, id: ChatId, turnId: string): readonly Shown[] {
  const chat = chatOf(after, id);
  const item = chat?.active?.items.at(-1);
  const part = chat?.active && item ? responsePart(after, { chat, turn: chat.active }, item) : undefined;
  return part ? [on(id, { type: 'session/responsePart', turnId, part })] : [];
}

function toolChanged(
  { chat: id, turn, tool }: { chat: ChatId; turn: string; tool: string },
  step: Step,
  change: ToolChange,
): readonly Shown[] {
  const [old, chat] = [chatOf(step.before, id), chatOf(step.after, id)];
  const after = chat && view(step.after, chat, tool);
  if (!old || !after) return [];
  return [
    ...toolActions(turn, view(step.before, old, tool), { after, change }).map((action) => on(id, action)),
    ...terminalNews(step, { chat: id, turn, tool }),
  ];
}

function terminalNews(step: Step, call: Omit<ToolTerminal, 'kind'>): readonly Shown[] {
  const target: ToolTerminal = { kind: 'terminal', ...call };
  return toolTerminalNews(step, target).map((action) => on(target, action));
}

function chatOn(target: Target): ChatId | undefined {
  return target.kind === 'chat' ? target.chat : undefined;
}

function view(state: State, chat: Chat, id: string): ToolCallState | undefined {
  const tool = findTool(chat.active, id);
  return chat.active && tool && toolCall(state, { chat, turn: chat.active }, tool);
}

/** What a client decides about a call that has run comes back to it. */
const decided: ReadonlySet<string> = new Set([
  'session/toolCallComplete',
  'session/toolCallResultConfirmed',
  'session/toolCallContentChanged',
]);

function echoed(shown: readonly Shown[]): readonly Shown[] {
  return shown.map((one) => (decided.has(one.action.type) ? { ...one, echo: true as const } : one));
}

/** Version 1 knows no turn that goes on: the last one is taken back and begins again with what it had. */
function turnResumed({ chat: id, turn }: EventOf<'turn.resumed'>, step: Step): readonly Shown[] {
  const chat = chatOf(step.after, id);
  const { active } = chat ?? {};
  if (!chat || !active) return [];
  const parts = active.items.flatMap((item) => responsePart(step.after, { chat, turn: active }, item) ?? []);
  return [
    on(id, present({ type: 'session/truncated' as const, turnId: chat.turns.at(-1)?.id })),
    on(id, { type: 'session/turnStarted', turnId: turn, userMessage: toUserMessage(active.message) }),
    ...parts.map((part) => on(id, { type: 'session/responsePart', turnId: turn, part })),
    ...(active.usage
      ? [on(id, { type: 'session/usage', turnId: turn, usage: usageInfo(active.usage) })]
      : []),
    ...newEdits(step, id),
  ];
}

function metaChange({ before, after }: Step, id: ChatId): readonly Shown[] {
  const [old, now] = [chatOf(before, id), chatOf(after, id)];
  const [was, is] = [old && sessionMeta(before, old), now && sessionMeta(after, now)];
  return diff(was ?? null, is ?? null).length > 0
    ? [on(id, present({ type: 'session/metaChanged' as const, _meta: is }))]
    : [];
}

function askAnswered({ chat, turn, ask: id, answer }: EventOf<'ask.answered'>, step: Step): readonly Shown[] {
  const ask = chatOf(step.before, chat)?.asks[id]?.ask;
  if (!ask) return [];
  if (ask.kind === 'approval') return marked(toolChanged({ chat, turn, tool: ask.tool }, step, 'call'));
  const answers = submittedAnswers(ask, answer);
  const given = Object.keys(answers).length > 0 ? { answers } : {};
  return [
    echo(chat, { type: 'session/inputCompleted', requestId: id, response: responseOf(answer), ...given }),
  ];
}

/** The last decision among the actions is the one that somebody made. */
function marked(shown: readonly Shown[]): readonly Shown[] {
  const last = shown.findLastIndex(({ action }) => action.type === 'session/toolCallConfirmed');
  return shown.map((one, i) => (i === last ? { ...one, echo: true as const } : one));
}

function messageSteered({ chat: id, turn }: EventOf<'message.steered'>, step: Step): readonly Shown[] {
  const [old, chat] = [chatOf(step.before, id), chatOf(step.after, id)];
  if (!old || !chat) return [];
  const unqueued = old.queue.filter(
    ({ id: waiting }) => !chat.queue.some((message) => message.id === waiting),
  );
  return [
    ...unqueued.map((message) =>
      on(id, { type: 'session/pendingMessageRemoved', kind: 'queued', id: message.id }),
    ),
    ...slotChange(chat, old.steering.at(-1)),
    ...newestPart(step, id, turn),
  ];
}

function clientChanged(client: string, { before, after }: Step): readonly Shown[] {
  const [old, now] = [activeClient(before), activeClient(after)];
  const isOther = diff(old ?? null, now ?? null).length === 0 && now?.clientId !== client;
  return isOther
    ? []
    : after.order.map((chat) =>
        echo(chat, { type: 'session/activeClientChanged', activeClient: now ?? null }),
      );
}

function note(event: EventOf<'note'>): readonly Shown[] {
  const noted = readNote(event);
  switch (noted?.note) {
    case 'answer':
      return [
        echo(
          noted.chat,
          present({
            type: 'session/inputAnswerChanged' as const,
            requestId: noted.ask,
            questionId: noted.question,
            answer: answerIn(noted),
          }),
        ),
      ];
    case 'truncated':
      return [echo(noted.chat, present({ type: 'session/truncated' as const, turnId: noted.after }))];
    case 'config':
      return [echo(rootTarget, { type: 'root/configChanged', config: noted.values, replace: true })];
    case 'reviewed':
    case 'titled':
    case 'known':
    case 'clients':
    case undefined:
      return [];
    default:
      return noted satisfies never;
  }
}
