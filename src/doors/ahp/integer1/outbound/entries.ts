// What one entry of the log is to clients of version 1: a pure projection onto sessions
// that have one chat each.
import type { Projection } from '../../../../host/session/live.ts';
import type { Step } from '../../../../host/session/session.ts';
import type { ChatId, EventKind, EventOf } from '../../../../model/event.ts';
import { brokeBy } from '../../../../model/reduceTurn.ts';
import type { State } from '../../../../model/state.ts';
import { diff } from '../../../../protocols/ahp/difference.ts';
import type { ToolCallState } from '../../../../protocols/ahp/integer1/toolCall.ts';
import { present } from '../../../../base/present.ts';
import { recordedEdits } from '../../outbound/edits.ts';
import { dispatchOf } from '../../delivery/outgoing.ts';
import type { Outgoing } from '../../delivery/outgoing.ts';
import type { Target } from '../../channels/target.ts';
import { activityOf, chatOf, errorPart, usageInfo } from '../../outbound/chat.ts';
import { callActions, losesMessage, stoppedCall } from '../../outbound/toolCall.ts';
import type { ToolChange } from '../../outbound/toolCall.ts';
import { sessionConfigOf } from '../../inbound/sessionConfig.ts';
import { seqOf } from '../../delivery/serverSeq.ts';
import { terminalChanges } from '../../outbound/toolTerminal.ts';
import { isStreamed, showEvent } from '../../v1_0/outbound/entries.ts';
import { toUserMessage } from './messages.ts';
import { V1Outgoing } from './outgoing.ts';
import { keptInput, toolActions } from './toolCallActions.ts';
import { activeClient, endingPart, responsePart, sessionMeta, thinUsage } from './sessionState.ts';
import { echo, on } from './outgoingAction.ts';
import type { Integer1Action, Integer1TargetedAction } from './outgoingAction.ts';
import { toolCall } from './toolCall.ts';
import { translate } from './translate.ts';

export function show(step: Step): readonly Integer1TargetedAction[] {
  const { event } = step.entry;
  // The kind chooses the function, which the compiler cannot follow through a union.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const showKind = shows[event.kind] as Show<EventKind> | undefined;
  const said = showKind ? showKind(event, step) : asInNewest(step);
  const shown =
    'chat' in event && !isStreamed(event.kind) ? [...said, ...activityChange(step, event.chat)] : said;
  return step.before.read === step.after.read ? shown : [...shown, ...unread(step, shown)];
}

/** Most entries are those of AHP 1.0 in another form. */
function asInNewest(step: Step): readonly Integer1TargetedAction[] {
  return showEvent(step).flatMap((shown) => translate(shown, step));
}

function activityChange({ before, after }: Step, id: ChatId): readonly Integer1TargetedAction[] {
  const [old, chat] = [chatOf(before, id), chatOf(after, id)];
  const activity = chat && activityOf(chat);
  return !old || !chat || activityOf(old) === activity
    ? []
    : [on(id, present({ type: 'session/activityChanged' as const, activity }))];
}

export const project: Projection<Outgoing> = (step) => {
  const origin = dispatchOf(step);
  return show(step).map(
    ({ target, action, echo: own }, i) =>
      new V1Outgoing(target, seqOf(step.entry.pos, i), { action, origin: own ? origin : undefined }),
  );
};

type Show<K extends EventKind> = (event: EventOf<K>, step: Step) => readonly Integer1TargetedAction[];

/** What this version shows in its own way. */
const shows: { readonly [K in EventKind]?: Show<K> } = {
  'session.changed': sessionChanged,
  'chat.changed': ({ chat, title }, { after }) =>
    title === undefined || after.order[0] === chat
      ? []
      : [echo(chat, { type: 'session/titleChanged', title })],
  'chat.truncated': ({ chat }, step) => [...asInNewest(step), ...edits(step.after, chat)],
  'turn.ended': turnEnded,
  'turn.resumed': turnResumed,
  'plan.set': ({ chat }, step) => metaChange(step, chat),
  'tool.started': (event, step) => toolChanged(event, step, 'call'),
  'tool.input': (event, step) => toolChanged(event, step, 'call'),
  'tool.ready': (event, step) => toolChanged(event, step, 'call'),
  'tool.running': (event, step) => toolChanged(event, step, 'call'),
  'tool.output': (event, step) => echoed(toolChanged(event, step, 'output')),
  'tool.held': (event, step) => echoed(toolChanged(event, step, 'call')),
  'tool.ended': (event, step) => echoed(toolChanged(event, step, 'call')),
  'ask.opened': ({ chat, turn, ask }, step) =>
    ask.kind === 'approval' ? toolChanged({ chat, turn, tool: ask.tool }, step, 'call') : asInNewest(step),
  'ask.answered': askAnswered,
  'edits.reverted': (_, step) => step.after.order.flatMap((chat) => newEdits(step, chat)),
  'edits.redone': (_, step) => step.after.order.flatMap((chat) => newEdits(step, chat)),
  'client.joined': ({ client }, step) => clientChanged(client.id, step),
  'client.left': ({ client }, step) => clientChanged(client, step),
};

/**
 * A started turn and a question make the reducers mark the session as unread; all other changes need an
 * action.
 */
function unread(
  { after }: Step,
  shown: readonly Integer1TargetedAction[],
): readonly Integer1TargetedAction[] {
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

/**
 * Session properties are part of each of its chats. Folders have no action here; they are sent with the list.
 */
function sessionChanged(
  { changes }: EventOf<'session.changed'>,
  step: Step,
): readonly Integer1TargetedAction[] {
  const { before, after } = step;
  const [first] = after.order;
  const all = (action: Integer1Action): readonly Integer1TargetedAction[] =>
    after.order.map((chat) => echo(chat, action));
  const config = diff(sessionConfigOf(before).values, sessionConfigOf(after).values).length > 0;
  return [
    ...(changes.title !== undefined && first !== undefined
      ? [echo(first, { type: 'session/titleChanged', title: after.title })]
      : []),
    // An empty name means that no model is selected; the action has no other form for it.
    ...(after.model === before.model && changes.model === undefined
      ? []
      : all({ type: 'session/modelChanged', model: { id: after.model ?? '' } })),
    ...(changes.read === undefined ? [] : all({ type: 'session/isReadChanged', isRead: after.read })),
    ...(changes.archived === undefined
      ? []
      : all({ type: 'session/isArchivedChanged', isArchived: after.archived })),
    ...(changes.options === undefined && !config
      ? []
      : all({ type: 'session/configChanged', config: sessionConfigOf(after).values, replace: true })),
    ...(changes.agent === undefined && changes.autonomy === undefined
      ? []
      : after.order.flatMap((chat) => metaChange(step, chat))),
  ];
}

function turnEnded(
  { chat: id, turn, outcome }: EventOf<'turn.ended'>,
  step: Step,
): readonly Integer1TargetedAction[] {
  const old = chatOf(step.before, id);
  const active = old?.active;
  const chat = chatOf(step.after, id);
  if (!active || !chat) return [];
  const left = active.items.flatMap((item): readonly Integer1TargetedAction[] => {
    if (item.type !== 'tool') return [];
    const stopped = terminalChanges(step, { chat: id, turn, tool: item.id });
    const completed = stoppedCall({ chat: id, tool: item.id }, step, callForm(turn, 'call')).map((action) =>
      on(id, action),
    );
    if (completed.length > 0) return [...completed, ...stopped];
    const isKept = item.input !== undefined && (item.status === 'ready' || losesMessage(item, old));
    return [...(isKept ? keptInput(turn, item).map((action) => on(id, action)) : []), ...stopped];
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

const callForm = (turn: string, change: ToolChange) => ({
  view: toolCall,
  between: (before: ToolCallState | undefined, after: ToolCallState) =>
    toolActions(turn, before, { after, change }),
});

function edits(state: State, id: ChatId): readonly Integer1TargetedAction[] {
  const chat = chatOf(state, id);
  return chat ? [on(id, { type: 'session/diffsChanged', diffs: recordedEdits(state, chat) })] : [];
}

function newEdits({ before, after }: Step, id: ChatId): readonly Integer1TargetedAction[] {
  const [old, now] = [chatOf(before, id), chatOf(after, id)];
  return old && now && diff(recordedEdits(before, old), recordedEdits(after, now)).length > 0
    ? edits(after, id)
    : [];
}

function toolChanged(
  { chat: id, turn, tool }: { chat: ChatId; turn: string; tool: string },
  step: Step,
  change: ToolChange,
): readonly Integer1TargetedAction[] {
  const actions = callActions({ chat: id, tool }, step, callForm(turn, change));
  return [...actions.map((action) => on(id, action)), ...terminalChanges(step, { chat: id, turn, tool })];
}

function chatOn(target: Target): ChatId | undefined {
  return target.kind === 'chat' ? target.chat : undefined;
}

/** What a client decides about a call that has run comes back to it. */
const decided: ReadonlySet<string> = new Set([
  'session/toolCallComplete',
  'session/toolCallResultConfirmed',
  'session/toolCallContentChanged',
]);

function echoed(shown: readonly Integer1TargetedAction[]): readonly Integer1TargetedAction[] {
  return shown.map((one) => (decided.has(one.action.type) ? { ...one, echo: true as const } : one));
}

/** Version 1 cannot continue a turn: the last turn is removed and starts again with its content. */
function turnResumed(
  { chat: id, turn }: EventOf<'turn.resumed'>,
  step: Step,
): readonly Integer1TargetedAction[] {
  const chat = chatOf(step.after, id);
  const { active } = chat ?? {};
  if (!chat || !active) return [];
  const parts = active.items.flatMap((item) => responsePart(step.after, { chat, turn: active }, item) ?? []);
  return [
    on(id, present({ type: 'session/truncated' as const, turnId: chat.turns.at(-1)?.id })),
    on(id, { type: 'session/turnStarted', turnId: turn, userMessage: toUserMessage(active.message) }),
    ...parts.map((part) => on(id, { type: 'session/responsePart', turnId: turn, part })),
    ...(active.usage
      ? [on(id, { type: 'session/usage', turnId: turn, usage: thinUsage(usageInfo(active.usage)) })]
      : []),
    ...newEdits(step, id),
  ];
}

function metaChange({ before, after }: Step, id: ChatId): readonly Integer1TargetedAction[] {
  const [old, now] = [chatOf(before, id), chatOf(after, id)];
  const [was, is] = [old && sessionMeta(before, old), now && sessionMeta(after, now)];
  return diff(was ?? null, is ?? null).length > 0
    ? [on(id, present({ type: 'session/metaChanged' as const, _meta: is }))]
    : [];
}

function askAnswered(
  { chat, turn, ask: id }: EventOf<'ask.answered'>,
  step: Step,
): readonly Integer1TargetedAction[] {
  const ask = chatOf(step.before, chat)?.asks[id]?.ask;
  return ask?.kind === 'approval'
    ? marked(toolChanged({ chat, turn, tool: ask.tool }, step, 'call'))
    : asInNewest(step);
}

/** The last decision among the actions is the actual one. */
function marked(shown: readonly Integer1TargetedAction[]): readonly Integer1TargetedAction[] {
  const last = shown.findLastIndex(({ action }) => action.type === 'session/toolCallConfirmed');
  return shown.map((one, i) => (i === last ? { ...one, echo: true as const } : one));
}

function clientChanged(client: string, { before, after }: Step): readonly Integer1TargetedAction[] {
  const [old, now] = [activeClient(before), activeClient(after)];
  const isOther = diff(old ?? null, now ?? null).length === 0 && now?.clientId !== client;
  return isOther
    ? []
    : after.order.map((chat) =>
        echo(chat, { type: 'session/activeClientChanged', activeClient: now ?? null }),
      );
}
