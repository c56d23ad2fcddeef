// Translates one entry of the log into messages for ECA clients. Pure.
import type { Projection } from '../../../host/session/live.ts';
import type { Step } from '../../../host/session/session.ts';
import type { ChatId, ChatOrigin, Event, EventKind, EventOf } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import { isTrusted } from './catalogue.ts';
import { flaggedChat, flagsOf } from '../inbound/flags.ts';
import { chatPosition, say, tell } from './message.ts';
import type { EcaMessage } from './message.ts';
import {
  toolAsked,
  toolEnded,
  toolInput,
  toolKnown,
  toolRunning,
  toolStarted,
  toolStartedChat,
} from './tools/toolCalls.ts';
import { isAskedFor, plan, queueChanged, released, turnEnded, turnStarted, usageReported } from './turns.ts';
import { finished, newProgress, progress } from './progress.ts';
import { hookRan } from './hooks.ts';
import { closeReasoning } from './reasoning.ts';
import { noticed, pictureAdded, signInText, steered, textAdded } from './items.ts';
import { compaction, replayAll, titleOf } from './replay.ts';
import { isTask } from './tools/toolDetails.ts';
import { chatUsage, sessionCost } from './usage.ts';

export const project: Projection<EcaMessage> = (step) => {
  // The kind chooses the projector, which the compiler cannot follow through a union.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const projector = projectors[step.entry.event.kind] as Projector<EventKind> | undefined;
  return [...freed(step), ...(projector?.(step, step.entry.event) ?? [])];
};

/**
 * What waited for the hooks of the turn. Not needed for truncation or removal: those replay the whole chat.
 */
function freed(step: Step): readonly EcaMessage[] {
  const { event } = step.entry;
  const chat =
    event.kind === 'turn.prepared'
      ? step.after.order.find((id) => step.after.chats[id]?.active?.id === event.turn)
      : freedChat(event);
  return chat === undefined ? [] : released(step, chat);
}

function freedChat(event: Event): ChatId | undefined {
  return 'chat' in event && !quiet.has(event.kind) ? event.chat : undefined;
}

/** Truncation and removal replay the whole chat; the others change nothing that a turn waits for. */
const quiet: ReadonlySet<EventKind> = new Set<EventKind>([
  'chat.truncated',
  'chat.removed',
  'draft.set',
  'files.restored',
  'turns.reverted',
  'images.refused',
  'prompt.pinned',
  'hook.ran',
  'job.written',
]);

type Projector<K extends EventKind> = (step: Step, event: EventOf<K>) => readonly EcaMessage[];

const nothing = (): readonly EcaMessage[] => [];

const projectors: { readonly [K in EventKind]: Projector<K> } = {
  'session.created': nothing,
  'session.changed': sessionChanged,
  'agent.bound': nothing,
  'chat.created': chatCreated,
  'chat.changed': chatChanged,
  'chats.ordered': nothing,
  'chat.removed': ({ before, after, entry }, { chat }) => [
    tell(chatPosition(before, chat), 'chat/deleted', { chatId: chat }),
    ...toolAround({ before, after, entry }, before.chats[chat]?.origin),
  ],
  'chat.truncated': chatTruncated,
  // A compaction that the user asked for is reported at the end of its turn.
  'chat.compacted': ({ after }, { chat, after: turn }) =>
    isAskedFor(after, chat, turn) ? [] : [compaction(chatPosition(after, chat), after.chats[chat])],
  'message.queued': queueChanged,
  'message.removed': queueChanged,
  'message.reordered': queueChanged,
  'message.steered': steered,
  'turn.started': turnStarted,
  'turn.ended': turnEnded,
  'turn.resumed': ({ before, after }, { chat }) => [...cleared(before, chat), ...replayAll(after, chat)],
  'usage.reported': usageReported,
  'text.added': textAdded,
  'image.added': pictureAdded,
  'plan.set': planSet,
  'notice.added': noticed,
  'tool.started': toolStarted,
  'tool.input': toolInput,
  'tool.ready': toolKnown,
  'tool.running': toolRunning,
  'tool.output': (step, event) => ('replace' in event.output ? toolKnown(step, event) : []),
  'tool.ended': toolEnded,
  'ask.opened': askOpened,
  'ask.answered': askAnswered,
  'turn.prepared': nothing,
  'tool.held': nothing,
  'hook.ran': hookRan,
  'job.written': nothing,
  'edits.reverted': nothing,
  'edits.redone': nothing,
  'files.restored': nothing,
  'turns.reverted': nothing,
  'images.refused': nothing,
  'prompt.pinned': nothing,
  'input.resolved': nothing,
  'session.instructed': nothing,
  'features.disabled': nothing,
  'draft.set': nothing,
  'client.joined': nothing,
  'client.left': nothing,
  retired: nothing,
  note: noted,
};

/** A running call of the task tool shows the list when it ends. */
function planSet({ after }: Step, { chat, entries }: EventOf<'plan.set'>): readonly EcaMessage[] {
  const isCalled = after.chats[chat]?.active?.items.some(
    (item) => item.type === 'tool' && item.status === 'running' && isTask(item),
  );
  return isCalled ? [] : [plan(chatPosition(after, chat), entries)];
}

function sessionChanged(step: Step, { changes }: EventOf<'session.changed'>): readonly EcaMessage[] {
  const {
    before,
    after,
    entry: { by },
  } = step;
  const what = changes.agent === undefined && changes.mode === undefined ? 'model' : 'agent';
  const varies = before.options['variant'] !== after.options['variant'];
  const selects =
    changes.model !== undefined || changes.agent !== undefined || changes.mode !== undefined || varies;
  const trusts = isTrusted(before) !== isTrusted(after);
  const chats = after.order.filter((id) => chatPosition(after, id).root === id);
  return [
    ...(after.order[0] === undefined ? [] : titleChanged(step, after.order[0])),
    ...(selects
      ? chats.map(
          (chat) => ({ kind: 'selection', root: chat, chat, state: after, chosen: { what, by } }) as const,
        )
      : []),
    ...(trusts ? chats.map((chat) => ({ kind: 'trust', root: chat, chat, state: after, by }) as const) : []),
    ...(before.autonomy?.level === after.autonomy?.level
      ? []
      : chats.map((chat) => ({ kind: 'permissions', root: chat, chat, state: after, by }) as const)),
  ];
}

function titleChanged({ before, after }: Step, chat: ChatId): readonly EcaMessage[] {
  const title = titleOf(after, chat);
  return title === titleOf(before, chat)
    ? []
    : [say(chatPosition(after, chat), 'system', { type: 'metadata', title })];
}

function chatChanged(step: Step, { chat, stopping }: EventOf<'chat.changed'>): readonly EcaMessage[] {
  const position = chatPosition(step.after, chat);
  // A turn that hooks still prepare has no progress line, and is not finished.
  const isIdle = step.after.chats[chat]?.active === undefined;
  return [
    ...titleChanged(step, chat),
    ...(stopping === null && isIdle ? [finished(position)] : newProgress(step, position)),
  ];
}

function chatCreated(step: Step, { chat, origin }: EventOf<'chat.created'>): readonly EcaMessage[] {
  const { after } = step;
  if (origin.type === 'tool') return toolAround(step, origin);
  const title = titleOf(after, chat);
  return [
    tell(chatPosition(after, chat), 'chat/opened', { chatId: chat, ...(title === '' ? {} : { title }) }),
  ];
}

/** A tool call is sent again when a chat inside it is created or removed. */
function toolAround(step: Step, origin: ChatOrigin | undefined): readonly EcaMessage[] {
  return origin?.type === 'tool'
    ? [
        ...toolStartedChat(step, origin.chat, origin.tool),
        ...newProgress(step, chatPosition(step.after, origin.chat)),
      ]
    : [];
}

/** Clients cannot remove a part of a chat, so the rest is replayed, with the chats inside it. */
function chatTruncated({ before, after }: Step, { chat }: EventOf<'chat.truncated'>): readonly EcaMessage[] {
  const position = chatPosition(after, chat);
  const unused = chatUsage(after.chats[chat])
    ? []
    : [say(position, 'system', { type: 'usage', sessionTokens: 0, ...sessionCost(after.chats[chat]) })];
  return [...cleared(before, chat), ...unused, ...replayAll(after, chat)];
}

/** A new flag needs a replay of the chat to appear in its position. A removed flag is not reported. */
function noted({ before, after }: Step, note: EventOf<'note'>): readonly EcaMessage[] {
  const chat = flaggedChat(note);
  if (chat === undefined || !after.chats[chat]) return [];
  const known = flagsOf(before, chat);
  const planted = flagsOf(after, chat).some(({ id }) => !known.some((flag) => flag.id === id));
  return planted ? [...cleared(before, chat), ...replayAll(after, chat)] : [];
}

function cleared(state: State, chat: ChatId): readonly EcaMessage[] {
  const gone = [chat, ...state.order.filter((id) => id !== chat && isWithin(state, id, chat))];
  return gone.map((id) => tell(chatPosition(state, chat), 'chat/cleared', { chatId: id, messages: true }));
}

function isWithin(state: State, chat: ChatId, above: ChatId): boolean {
  for (
    let [at, steps]: [ChatId | undefined, number] = [chat, state.order.length];
    at !== undefined && steps > 0;
    steps -= 1
  ) {
    if (at === above) return true;
    at = chatPosition(state, at).parent;
  }
  return false;
}

function askOpened(step: Step, { chat, ask }: EventOf<'ask.opened'>): readonly EcaMessage[] {
  if (ask.kind === 'approval') return toolAsked(step, chat, ask.tool);
  const position = chatPosition(step.after, chat);
  const shown: readonly EcaMessage[] = ask.kind === 'signin' ? [signInText(position, ask)] : [];
  const asked: readonly EcaMessage[] =
    ask.kind === 'question'
      ? [{ kind: 'question', root: position.root, chat, ask, by: step.after.chats[chat]?.active?.by }]
      : [];
  return [...closeReasoning(step, position), ...shown, ...progress(step.after, position), ...asked];
}

/** An answered approval changes the status of its tool in the next entry, which is reported instead. */
function askAnswered(step: Step, { chat, ask }: EventOf<'ask.answered'>): readonly EcaMessage[] {
  const { before, after } = step;
  const position = chatPosition(after, chat);
  if (before.chats[chat]?.asks[ask]?.ask.kind === 'approval') return [];
  return [{ kind: 'settled', root: position.root, ask }, ...newProgress(step, position)];
}
