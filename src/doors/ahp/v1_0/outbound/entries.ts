// What one entry of the log is to AHP: a pure projection, so that live streaming, catching up and
// replay are the same thing.
import type { Projection } from '../../../../host/session/live.ts';
import type { Step } from '../../../../host/session/session.ts';
import type { ChatId, EventKind, EventOf } from '../../../../model/event.ts';
import { brokeBy } from '../../../../model/reduceTurn.ts';
import { findItem, findTool } from '../../../../model/state.ts';
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import type { ToolCallState } from '../../../../protocols/ahp/v1_0/toolCall.ts';
import { present } from '../../../../base/present.ts';
import { answerIn, readNote } from '../../notes.ts';
import { toActiveClient } from '../../sessionClients.ts';
import { dispatchOf, Outgoing } from '../../delivery/outgoing.ts';
import { chatTarget, isSameTarget, rootTarget, sessionTarget } from '../../channels/target.ts';
import { chatUri } from '../../channels/channels.ts';
import { seqOf } from '../../delivery/serverSeq.ts';
import { activityOf, chatOf, endingParts, errorPart, iso, usageInfo } from '../../outbound/chat.ts';
import { terminalChanges } from '../../outbound/toolTerminal.ts';
import { responsePart } from './chatState.ts';
import { diff } from '../../../../protocols/ahp/difference.ts';
import { changesetChange, changesetState } from './changesets.ts';
import { toMessage, toTurnMessage } from '../../outbound/messages.ts';
import { messageQueued, messageRemoved, slotChange } from './queue.ts';
import { activityChange, chatCreated, followUps, metaChange, sessionChanged } from './sessionActions.ts';
import { keepInput, toolActions } from './toolCallActions.ts';

import { echo, on } from './outgoingAction.ts';
import type { TargetedAction } from './outgoingAction.ts';
import { offeredAnswers } from '../../outbound/offeredAnswers.ts';
import { inputRequest, responseOf, submittedAnswers } from '../../outbound/questions.ts';
import { callActions, losesMessage, stoppedCall, toolCallIn } from '../../outbound/toolCall.ts';
import type { ToolChange } from '../../outbound/toolCall.ts';

export function show(step: Step): readonly TargetedAction[] {
  const { event } = step.entry;
  const shown = showEvent(step);
  if (!('chat' in event) || isStreamed(event.kind)) return shown;
  return [...shown, ...besides(step, event.chat, shown)];
}

/** What the event itself is, without what follows for the chat as a whole. */
export function showEvent(step: Step): readonly TargetedAction[] {
  const { event } = step.entry;
  // The kind chooses the function, which the compiler cannot follow through a union.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const showKind = shows[event.kind] as Show<EventKind> | undefined;
  return showKind?.(event, step) ?? [];
}

/** These come often, and change nothing but the text of a part. */
export function isStreamed(kind: EventKind): boolean {
  return kind === 'text.added' || kind === 'tool.input';
}

/** The status of a chat: its activity, and whether it was read. */
function besides(
  { before, after }: Step,
  id: ChatId,
  shown: readonly TargetedAction[],
): readonly TargetedAction[] {
  const [old, chat] = [chatOf(before, id), chatOf(after, id)];
  if (!old || !chat) return [];
  const activity = activityOf(chat);
  const implied = shown.some(
    ({ target, action }) => isSameTarget(target, chatTarget(id)) && impliesUnread.has(action.type),
  );
  return [
    ...(activityOf(old) === activity
      ? []
      : [on(id, present({ type: 'chat/activityChanged' as const, activity }))]),
    ...(old.read === chat.read || (implied && !chat.read)
      ? []
      : [on(id, { type: 'chat/isReadChanged', isRead: chat.read })]),
  ];
}

const impliesUnread: ReadonlySet<string> = new Set([
  'chat/turnStarted',
  'chat/turnResume',
  'chat/isReadChanged',
]);

export const project: Projection<Outgoing> = (step) => numberActions(step, show(step));

export function numberActions(step: Step, shown: readonly TargetedAction[]): readonly Outgoing[] {
  const origin = dispatchOf(step);
  const own = origin ? shown.findIndex((one) => one.echo) : -1;
  return shown.map(
    ({ target, action }, i) =>
      new Outgoing(target, seqOf(step.entry.pos, i), { action, origin: i === own ? origin : undefined }),
  );
}

type Show<K extends EventKind> = (event: EventOf<K>, step: Step) => readonly TargetedAction[];

const nothing = () => [];

const shows: { readonly [K in EventKind]: Show<K> } = {
  'session.created': nothing,
  'session.changed': (event, step) =>
    onSession(sessionChanged(event, step)).map((shown) => ({ ...shown, echo: true })),
  'agent.bound': nothing,
  'chat.created': ({ chat }, step) => onSession(chatCreated(chat, step)),
  'chat.changed': chatChanged,
  'chats.ordered': ({ order }) => onSession([{ type: 'session/chatsReordered', chats: order.map(chatUri) }]),
  'chat.removed': ({ chat }, step) => [
    ...onSession([
      { type: 'session/chatRemoved', chat: chatUri(chat) },
      ...activityChange(step),
      ...metaChange(step),
    ]),
    ...inFiles(step),
  ],
  'chat.truncated': ({ chat, after }, step) => [
    echo(chat, present({ type: 'chat/truncated' as const, turnId: after })),
    ...follow(step, chat),
    ...inFiles(step),
  ],
  'chat.compacted': nothing,
  'message.queued': messageQueued,
  'message.removed': messageRemoved,
  'message.reordered': ({ chat, order }) => [echo(chat, { type: 'chat/queuedMessagesReordered', order })],
  'message.steered': messageSteered,
  'turn.started': turnStarted,
  'turn.ended': turnEnded,
  'turn.resumed': ({ chat, turn }, step) => [
    echo(chat, { type: 'chat/turnResume', turnId: turn }),
    ...follow(step, chat),
    ...inFiles(step),
  ],
  'usage.reported': ({ chat, turn }, { after }) => {
    const usage = chatOf(after, chat)?.active?.usage;
    return usage ? [on(chat, { type: 'chat/usage', turnId: turn, usage: usageInfo(usage) })] : [];
  },
  'text.added': textAdded,
  'image.added': ({ chat, turn }, step) => newestPart(step, chat, turn),
  'plan.set': (_, step) => onSession(metaChange(step)),
  'notice.added': ({ chat, turn }, step) => newestPart(step, chat, turn),
  'tool.started': (event, step) => toolChanged(event, step, 'call'),
  'tool.input': (event, step) => toolChanged(event, step, 'call'),
  'tool.ready': (event, step) => [...toolChanged(event, step, 'call'), ...follow(step, event.chat)],
  'tool.running': (event, step) => [...toolChanged(event, step, 'call'), ...follow(step, event.chat)],
  'tool.output': (event, step) => [
    ...echoed(toolChanged(event, step, 'output'), printed),
    ...(isClients(event, step) ? follow(step, event.chat) : []),
  ],
  'tool.held': (event, step) => [
    ...echoed(toolChanged(event, step, 'call'), decided),
    ...follow(step, event.chat),
  ],
  'tool.ended': (event, step) => [
    ...echoed(toolChanged(event, step, 'call'), decided),
    ...follow(step, event.chat),
  ],
  'ask.opened': askOpened,
  'ask.answered': askAnswered,
  'turn.prepared': nothing,
  'hook.ran': nothing,
  'job.written': nothing,
  'edits.reverted': (_, step) => [...inFiles(step), ...turnFiles(step)],
  'edits.redone': (_, step) => [...inFiles(step), ...turnFiles(step)],
  'files.restored': nothing,
  'turns.reverted': nothing,
  'images.refused': nothing,
  'prompt.pinned': nothing,
  'input.resolved': nothing,
  'session.instructed': nothing,
  'features.disabled': nothing,
  'draft.set': ({ chat, draft }) => [
    echo(chat, present({ type: 'chat/draftChanged' as const, draft: draft ? toMessage(draft) : undefined })),
  ],
  'client.joined': ({ client }) => [
    echo(sessionTarget, { type: 'session/activeClientSet', activeClient: toActiveClient(client) }),
  ],
  'client.left': ({ client }) => [
    echo(sessionTarget, { type: 'session/activeClientRemoved', clientId: client }),
  ],
  note,
  retired: nothing,
};

function onSession(actions: readonly StateAction[]): readonly TargetedAction[] {
  return actions.map((action) => on(sessionTarget, action));
}

function inFiles(step: Step): readonly TargetedAction[] {
  return changesetChange(step).map((action) => on({ kind: 'changes' }, action));
}

/** What was taken back is gone from the changes of its turns, too; what was redone is there again. */
function turnFiles({ before, after }: Step): readonly TargetedAction[] {
  const turns = after.order.flatMap((id) => chatOf(after, id)?.turns ?? []);
  return turns.flatMap(({ id }) => {
    const [old, now] = [changesetState(before, id), changesetState(after, id)];
    if (!now || diff(old ?? null, now).length === 0) return [];
    const { status: _, ...content } = now;
    return [on({ kind: 'changes', turn: id }, { type: 'changeset/contentChanged', ...content })];
  });
}

function follow(step: Step, chat: ChatId): readonly TargetedAction[] {
  return onSession(followUps(step, chat));
}

function isClients(
  { chat, tool }: { readonly chat: ChatId; readonly tool: string },
  { after }: Step,
): boolean {
  return findTool(chatOf(after, chat)?.active, tool)?.source === 'client';
}

/** What a client decides about a call that has run comes back to it. */
const decided: ReadonlySet<string> = new Set(['chat/toolCallComplete', 'chat/toolCallResultConfirmed']);

const printed: ReadonlySet<string> = new Set(['chat/toolCallContentChanged']);

function echoed(shown: readonly TargetedAction[], types: ReadonlySet<string>): readonly TargetedAction[] {
  return shown.map((one) => (types.has(one.action.type) ? { ...one, echo: true as const } : one));
}

function chatChanged(
  { chat, read, archived }: EventOf<'chat.changed'>,
  step: Step,
): readonly TargetedAction[] {
  return [
    ...(read === undefined ? [] : [echo(chat, { type: 'chat/isReadChanged' as const, isRead: read })]),
    ...(archived === undefined
      ? []
      : [echo(chat, { type: 'chat/isArchivedChanged' as const, isArchived: archived })]),
    ...follow(step, chat),
  ];
}

function turnStarted(event: EventOf<'turn.started'>, step: Step): readonly TargetedAction[] {
  const { chat: id, turn, message } = event;
  const [old, chat] = [chatOf(step.before, id), chatOf(step.after, id)];
  if (!old || !chat) return [];
  const waited = [...old.queue, ...old.steering].some((waiting) => waiting.id === message.id);
  const started = present({
    type: 'chat/turnStarted' as const,
    turnId: turn,
    startedAt: iso(step.entry.at),
    message: toTurnMessage(chat, chat.active ?? { message, by: step.entry.by }),
    queuedMessageId: waited ? message.id : undefined,
  });
  const slot = old.steering.at(-1);
  const left = slot?.id === message.id ? undefined : slot;
  return [event.queued ? on(id, started) : echo(id, started), ...slotChange(chat, left), ...follow(step, id)];
}

/**
 * First cancels open questions, and keeps the output of running calls and the input of ready ones; the
 * reducers of a turn's end do neither.
 */
function turnEnded(
  { chat: id, turn, outcome }: EventOf<'turn.ended'>,
  step: Step,
): readonly TargetedAction[] {
  const old = chatOf(step.before, id);
  const active = old?.active;
  if (!old || !active) return [];
  const left = active.items.flatMap((item): readonly StateAction[] => {
    if (item.type === 'ask' && !item.answered)
      return [{ type: 'chat/inputCompleted', requestId: item.id, response: 'cancel' }];
    if (item.type !== 'tool') return [];
    const stopped = stoppedCall({ chat: id, tool: item.id }, step, callForm(turn, 'call'));
    if (stopped.length > 0 || item.input === undefined) return stopped;
    return item.status === 'ready' || losesMessage(item, old) ? [keepInput(turn, item)] : [];
  });
  const duration = Math.max(0, step.entry.at - active.startedAt);
  const over = endings(turn, duration, outcome).map((action) =>
    action.type === 'chat/turnCancelled' ? echo(id, action) : on(id, action),
  );
  const stopped = active.items.flatMap((item) =>
    item.type === 'tool' ? terminalChanges(step, { chat: id, turn, tool: item.id }) : [],
  );
  return [
    ...left.map((action) => on(id, action)),
    ...over,
    ...stopped,
    ...follow(step, id),
    ...inFiles(step),
  ];
}

function endings(
  turnId: string,
  duration: number,
  outcome: EventOf<'turn.ended'>['outcome'],
): readonly StateAction[] {
  if (outcome.kind === 'failed' || outcome.kind === 'interrupted')
    return [{ type: 'chat/error', turnId, duration, part: errorPart(brokeBy(outcome)) }];
  const parts = endingParts(outcome).map((part): StateAction => ({
    type: 'chat/responsePart',
    turnId,
    part,
  }));
  return [
    ...parts,
    { type: outcome.kind === 'completed' ? 'chat/turnComplete' : 'chat/turnCancelled', turnId, duration },
  ];
}

function textAdded(
  { chat, turn, item, channel, text }: EventOf<'text.added'>,
  step: Step,
): readonly TargetedAction[] {
  if (!findItem(chatOf(step.before, chat)?.active, item)) return newestPart(step, chat, turn);
  return [
    on(chat, {
      type: channel === 'answer' ? 'chat/delta' : 'chat/reasoning',
      turnId: turn,
      partId: item,
      content: text,
    }),
  ];
}

/** The part that the entry has added at the end of the turn. */
function newestPart({ after }: Step, id: ChatId, turnId: string): readonly TargetedAction[] {
  const chat = chatOf(after, id);
  const item = chat?.active?.items.at(-1);
  return chat?.active && item
    ? [
        on(id, {
          type: 'chat/responsePart',
          turnId,
          part: responsePart(after, { chat, turn: chat.active }, item),
        }),
      ]
    : [];
}

function toolChanged(
  { chat: id, turn, tool }: { chat: ChatId; turn: string; tool: string },
  step: Step,
  change: ToolChange,
): readonly TargetedAction[] {
  const actions = callActions({ chat: id, tool }, step, callForm(turn, change));
  return [...actions.map((action) => on(id, action)), ...terminalChanges(step, { chat: id, turn, tool })];
}

const callForm = (turn: string, change: ToolChange) => ({
  view: toolCallIn,
  between: (before: ToolCallState | undefined, after: ToolCallState) =>
    toolActions(turn, before, { after, change }),
});

function askOpened({ chat, turn, ask }: EventOf<'ask.opened'>, step: Step): readonly TargetedAction[] {
  const asked =
    ask.kind === 'approval'
      ? toolChanged({ chat, turn, tool: ask.tool }, step, 'call')
      : [on(chat, { type: 'chat/inputRequested', request: inputRequest(offeredAnswers(step.after, ask)) })];
  return [...asked, ...follow(step, chat)];
}

function askAnswered(
  { chat, turn, ask: id, answer }: EventOf<'ask.answered'>,
  step: Step,
): readonly TargetedAction[] {
  const open = chatOf(step.before, chat)?.asks[id];
  if (!open) return [];
  const { ask } = open;
  if (ask.kind === 'approval') {
    return [
      ...echoed(toolChanged({ chat, turn, tool: ask.tool }, step, 'call'), confirmation),
      ...follow(step, chat),
    ];
  }
  const answers = submittedAnswers(ask, answer);
  const given = Object.keys(answers).length > 0 ? { answers } : {};
  return [
    echo(chat, { type: 'chat/inputCompleted', requestId: id, response: responseOf(answer), ...given }),
    ...follow(step, chat),
  ];
}

const confirmation: ReadonlySet<string> = new Set(['chat/toolCallConfirmed']);

function messageSteered(
  { chat: id, turn }: EventOf<'message.steered'>,
  step: Step,
): readonly TargetedAction[] {
  const [old, chat] = [chatOf(step.before, id), chatOf(step.after, id)];
  if (!old || !chat) return [];
  const unqueued = old.queue.filter(
    ({ id: waiting }) => !chat.queue.some((message) => message.id === waiting),
  );
  return [
    ...unqueued.map((message) =>
      on(id, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: message.id }),
    ),
    ...slotChange(chat, old.steering.at(-1)),
    ...newestPart(step, id, turn),
  ];
}

function note(event: EventOf<'note'>): readonly TargetedAction[] {
  const kept = readNote(event);
  switch (kept?.note) {
    case 'answer':
      return [
        echo(
          kept.chat,
          present({
            type: 'chat/inputAnswerChanged' as const,
            requestId: kept.ask,
            questionId: kept.question,
            answer: answerIn(kept),
          }),
        ),
      ];
    case 'reviewed':
      return [
        echo(kept.of === '' ? { kind: 'changes' } : { kind: 'changes', turn: kept.of }, {
          type: 'changeset/filesReviewChanged',
          files: [kept.file],
          reviewed: kept.reviewed,
        }),
      ];
    case 'titled':
      return [echo(kept.chat, { type: 'session/titleChanged', title: kept.title })];
    case 'truncated':
      return [echo(kept.chat, present({ type: 'chat/truncated' as const, turnId: kept.after }))];
    case 'config':
      return [echo(rootTarget, { type: 'root/configChanged', config: kept.values, replace: true })];
    case 'known':
    case 'clients':
    case undefined:
      return [];
    default:
      return kept satisfies never;
  }
}
