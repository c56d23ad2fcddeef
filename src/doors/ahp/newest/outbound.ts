// What one entry of the log is to AHP: a pure projection, so that live streaming, catching up and replay are the same thing.
import type { Projection } from '../../../host/live.ts';
import type { Step } from '../../../host/session.ts';
import type { ChatId, Event, EventKind, EventOf } from '../../../model/event.ts';
import { findItem, findTool } from '../../../model/state.ts';
import type { Chat, State } from '../../../model/state.ts';
import { actionSince } from '../../../protocols/ahp/newest/actions.ts';
import type { StateAction } from '../../../protocols/ahp/newest/actions.ts';
import type { ToolCallState } from '../../../protocols/ahp/newest/toolCall.ts';
import { isAtLeast } from '../../../protocols/ahp/negotiate.ts';
import { present } from '../../../protocols/ahp/immutable.ts';
import { doorName, readNote } from '../notes.ts';
import { changes, Outgoing, root, whole } from '../outgoing.ts';
import { chatUri } from '../channels.ts';
import { seqOf } from '../serverSeq.ts';
import { chatOf, endingParts, errorPart, iso, responsePart, usageInfo } from './chatState.ts';
import { changesetChange } from './changesets.ts';
import { toMessage } from './messages.ts';
import { messageQueued, messageRemoved, slotChange } from './outboundQueue.ts';
import { chatCreated, followUps, sessionChanged } from './outboundSession.ts';
import { keepInput, toolActions } from './outboundTool.ts';
import type { ToolChange } from './outboundTool.ts';
import { echo, on } from './shown.ts';
import type { Shown } from './shown.ts';
import { inputRequest, responseOf, submittedAnswers } from './questions.ts';
import { approvalOf, toolCall } from './toolCall.ts';

export function show(step: Step): readonly Shown[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the kind chooses the function, which the compiler cannot follow through a union
  const showEvent = shows[step.entry.event.kind] as Show<EventKind> | undefined;
  return showEvent?.(step.entry.event, step) ?? [];
}

/** The newest version a class of peers is sure to know, and the one projection that all of them share. */
export const projections: { readonly [version in '0.9.0' | '1.0.0']: Projection<Outgoing> } = {
  '0.9.0': projectFor('0.9.0'),
  '1.0.0': projectFor('1.0.0'),
};

function projectFor(version: string): Projection<Outgoing> {
  const unknown = new Set(Object.entries(actionSince).filter(([, since]) => !isAtLeast(version, since)).map(([type]) => type));
  return (step) => number(step, show(step)).filter(({ action }) => !unknown.has(action.type));
}

/** Numbers belong to the entry, whatever a peer gets to see of it. */
function number({ entry: { pos, by } }: Step, shown: readonly Shown[]): readonly Outgoing[] {
  const origin = by.kind === 'client' && by.door === doorName && by.mark !== undefined ? { clientId: by.client, clientSeq: by.mark } : undefined;
  const own = origin ? shown.findIndex((one) => one.echo) : -1;
  return shown.map(({ place, action }, i) => new Outgoing(place, seqOf(pos, i), { action, origin: i === own ? origin : undefined }));
}

type Show<K extends EventKind> = (event: EventOf<K>, step: Step) => readonly Shown[];

const nothing = () => [];

const shows: { readonly [K in EventKind]: Show<K> } = {
  'session.created': nothing,
  'session.changed': (event, step) => onSession(sessionChanged(event, step)).map((shown) => ({ ...shown, echo: true })),
  'agent.bound': nothing,
  'chat.created': ({ chat }, step) => onSession(chatCreated(chat, step)),
  'chat.changed': ({ chat }, step) => onSession(followUps(step, chat)),
  'chat.removed': ({ chat }, step) => [...onSession([{ type: 'session/chatRemoved', chat: chatUri(chat) }]), ...inFiles(step)],
  'chat.truncated': ({ chat, after }, step) => [echo(chat, present({ type: 'chat/truncated' as const, turnId: after })), ...follow(step, chat), ...inFiles(step)],
  'chat.compacted': nothing,
  'message.queued': messageQueued,
  'message.removed': messageRemoved,
  'message.reordered': ({ chat, order }) => [echo(chat, { type: 'chat/queuedMessagesReordered', order })],
  'message.steered': messageSteered,
  'turn.started': turnStarted,
  'turn.ended': turnEnded,
  'usage.reported': ({ chat, turn }, { after }) => {
    const usage = chatOf(after, chat)?.active?.usage;
    return usage ? [on(chat, { type: 'chat/usage', turnId: turn, usage: usageInfo(usage) })] : [];
  },
  'text.added': textAdded,
  'plan.set': nothing,
  'notice.added': ({ chat, turn }, step) => newestPart(step, chat, turn),
  'tool.started': (event, step) => toolChanged(event, step, 'call'),
  'tool.input': (event, step) => toolChanged(event, step, 'call'),
  'tool.ready': (event, step) => [...toolChanged(event, step, 'call'), ...follow(step, event.chat)],
  'tool.running': (event, step) => toolChanged(event, step, 'call'),
  'tool.output': (event, step) => toolChanged(event, step, 'output'),
  'tool.ended': (event, step) => toolChanged(event, step, 'call'),
  'ask.opened': askOpened,
  'ask.answered': askAnswered,
  'terminal.started': nothing,
  'terminal.ended': nothing,
  note,
};

function onSession(actions: readonly StateAction[]): readonly Shown[] {
  return actions.map((action) => on(whole, action));
}

function inFiles(step: Step): readonly Shown[] {
  return changesetChange(step).map((action) => on(changes, action));
}

function follow(step: Step, chat: ChatId): readonly Shown[] {
  return onSession(followUps(step, chat));
}

function turnStarted(event: EventOf<'turn.started'>, step: Step): readonly Shown[] {
  const { chat: id, turn, message } = event;
  const [old, chat] = [chatOf(step.before, id), chatOf(step.after, id)];
  if (!old || !chat) return [];
  const waited = [...old.queue, ...old.steering].some((waiting) => waiting.id === message.id);
  const started = present({
    type: 'chat/turnStarted' as const, turnId: turn, startedAt: iso(step.entry.at), message: toMessage(message), queuedMessageId: waited ? message.id : undefined,
  });
  const slot = old.steering.at(-1);
  const left = slot?.id === message.id ? undefined : slot;
  return [event.queued ? on(id, started) : echo(id, started), ...slotChange(chat, left), ...follow(step, id)];
}

/** What the turn leaves open is closed first, in words that the reducers of a turn's end do not have. */
function turnEnded({ chat: id, turn, outcome }: EventOf<'turn.ended'>, step: Step): readonly Shown[] {
  const old = chatOf(step.before, id);
  const active = old?.active;
  if (!old || !active) return [];
  const left = active.items.flatMap((item): readonly StateAction[] => {
    if (item.type === 'ask' && !item.answered) return [{ type: 'chat/inputCompleted', requestId: item.id, response: 'cancel' }];
    if (item.type !== 'tool' || item.status !== 'ready' || item.input === undefined) return [];
    return [keepInput(turn, item)];
  });
  const duration = Math.max(0, step.entry.at - active.startedAt);
  const over = endings(turn, duration, outcome).map((action) => (action.type === 'chat/turnCancelled' ? echo(id, action) : on(id, action)));
  return [...left.map((action) => on(id, action)), ...over, ...follow(step, id), ...inFiles(step)];
}

function endings(turnId: string, duration: number, outcome: EventOf<'turn.ended'>['outcome']): readonly StateAction[] {
  if (outcome.kind === 'failed' || outcome.kind === 'interrupted') return [{ type: 'chat/error', turnId, duration, part: errorPart(outcome) }];
  const parts = endingParts(outcome).map((part): StateAction => ({ type: 'chat/responsePart', turnId, part }));
  return [...parts, { type: outcome.kind === 'completed' ? 'chat/turnComplete' : 'chat/turnCancelled', turnId, duration }];
}

function textAdded({ chat, turn, item, channel, text }: EventOf<'text.added'>, step: Step): readonly Shown[] {
  if (!findItem(chatOf(step.before, chat)?.active, item)) return newestPart(step, chat, turn);
  return [on(chat, { type: channel === 'answer' ? 'chat/delta' : 'chat/reasoning', turnId: turn, partId: item, content: text })];
}

/** The part that the entry has added at the end of the turn. */
function newestPart({ after }: Step, id: ChatId, turnId: string): readonly Shown[] {
  const chat = chatOf(after, id);
  const item = chat?.active?.items.at(-1);
  return chat?.active && item ? [on(id, { type: 'chat/responsePart', turnId, part: responsePart(after, { chat, turn: chat.active }, item) })] : [];
}

function toolChanged({ chat: id, turn, tool }: { chat: ChatId; turn: string; tool: string }, step: Step, change: ToolChange): readonly Shown[] {
  const [old, chat] = [chatOf(step.before, id), chatOf(step.after, id)];
  const after = chat && view(step.after, chat, tool);
  if (!old || !after) return [];
  return toolActions(turn, view(step.before, old, tool), { after, change }).map((action) => on(id, action));
}

function view(state: State, chat: Chat, id: string): ToolCallState | undefined {
  const tool = findTool(chat.active, id);
  if (!chat.active || !tool) return undefined;
  const place = { session: state.id, chat: chat.id, turn: chat.active.id, tool: id };
  return toolCall(tool, place, tool.status === 'asking' ? approvalOf(chat, id) : undefined);
}

function askOpened({ chat, turn, ask }: EventOf<'ask.opened'>, step: Step): readonly Shown[] {
  const asked = ask.kind === 'approval'
    ? toolChanged({ chat, turn, tool: ask.tool }, step, 'call')
    : [on(chat, { type: 'chat/inputRequested', request: inputRequest(ask) })];
  return [...asked, ...follow(step, chat)];
}

function askAnswered({ chat, turn, ask: id, answer }: EventOf<'ask.answered'>, step: Step): readonly Shown[] {
  const open = chatOf(step.before, chat)?.asks[id];
  if (!open) return [];
  const { ask } = open;
  if (ask.kind === 'approval') {
    const decided = toolChanged({ chat, turn, tool: ask.tool }, step, 'call');
    return [...decided.map((shown) => (shown.action.type === 'chat/toolCallConfirmed' ? { ...shown, echo: true as const } : shown)), ...follow(step, chat)];
  }
  const answers = submittedAnswers(ask, answer);
  const given = Object.keys(answers).length > 0 ? { answers } : {};
  return [echo(chat, { type: 'chat/inputCompleted', requestId: id, response: responseOf(answer), ...given }), ...follow(step, chat)];
}

function messageSteered({ chat: id, turn }: EventOf<'message.steered'>, step: Step): readonly Shown[] {
  const [old, chat] = [chatOf(step.before, id), chatOf(step.after, id)];
  if (!old || !chat) return [];
  const unqueued = old.queue.filter(({ id: waiting }) => !chat.queue.some((message) => message.id === waiting));
  return [
    ...unqueued.map((message) => on(id, { type: 'chat/pendingMessageRemoved', kind: 'queued', id: message.id })),
    ...slotChange(chat, old.steering.at(-1)), ...newestPart(step, id, turn),
  ];
}

function note(event: Extract<Event, { kind: 'note' }>): readonly Shown[] {
  const kept = readNote(event);
  switch (kept?.note) {
    case 'draft': return [echo(kept.chat, present({ type: 'chat/draftChanged' as const, draft: kept.draft ?? undefined }))];
    case 'answer':
      return [echo(kept.chat, present({ type: 'chat/inputAnswerChanged' as const, requestId: kept.ask, questionId: kept.question, answer: kept.answer ?? undefined }))];
    case 'client':
      return [echo(whole, kept.active ? { type: 'session/activeClientSet', activeClient: kept.active } : { type: 'session/activeClientRemoved', clientId: kept.client })];
    case 'echo': return [echo(kept.place, kept.action)];
    case 'config': return [echo(root, { type: 'root/configChanged', config: kept.values, replace: true })];
    case 'clients':
    case undefined: return [];
    default: return kept satisfies never;
  }
}
