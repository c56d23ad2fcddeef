// Converts turns, queues, plans and usage to ECA messages, live. Pure.
import type { Step } from '../../../host/session/session.ts';
import type { ChatId, Event, EventOf, Outcome, PlanEntry, UserMessage } from '../../../model/event.ts';
import type { Chat, EndedTurn, Item, State } from '../../../model/state.ts';
import { hasContexts } from '../inbound/promptMessage.ts';
import { echo } from './items.ts';
import { chatPosition, say, tell } from './message.ts';
import type { EcaMessage, ChatPosition } from './message.ts';
import { rejectOpen } from './tools/toolCalls.ts';
import { finished, newProgress, progress, stageOf } from './progress.ts';
import { closeReasoning } from './reasoning.ts';
import { tasks } from './tools/taskList.ts';
import { chatUsage } from './usage.ts';

/** The user's hooks run before the message is shown, or before the turn starts; see `released`. */
export function turnStarted(
  step: Step,
  { chat, message, queued }: EventOf<'turn.started'>,
): readonly EcaMessage[] {
  const { before, after } = step;
  const position = chatPosition(after, chat);
  const shown = queued && before.chats[chat]?.steering.some(({ id }) => id === message.id);
  const stage = stageOf(after, chat);
  return [
    ...(shown || stage === 'opening' ? [] : userMessage(position, message)),
    ...(stage === 'agent' ? begun(after, position) : newProgress(step, position)),
  ];
}

/** The messages that waited for the hooks. A turn that ends during its hooks never starts. */
export function released({ before, after }: Step, chat: ChatId): readonly EcaMessage[] {
  const active = before.chats[chat]?.active;
  const [old, now] = [stageOf(before, chat), stageOf(after, chat)];
  if (!active || old === now || old === 'agent') return [];
  const position = chatPosition(after, chat);
  const goesOn = after.chats[chat]?.active?.id === active.id;
  return [
    ...(old === 'opening' ? userMessage(position, active.message) : []),
    ...(goesOn && now === 'agent' ? begun(before, position) : []),
  ];
}

function begun(state: State, position: ChatPosition): readonly EcaMessage[] {
  return [
    tell(position, 'chat/statusChanged', { chatId: position.chat, status: 'running' }),
    ...progress(state, position, 'agent'),
  ];
}

export function turnEnded(step: Step, { chat, outcome }: EventOf<'turn.ended'>): readonly EcaMessage[] {
  const position = chatPosition(step.after, chat);
  const stopped = outcome.kind === 'cancelled';
  const open = rejectOpen(step, chat);
  const turn = step.after.chats[chat]?.turns.at(-1);
  return [
    ...settled(step.before.chats[chat], position),
    ...closeReasoning(step, position),
    ...(stopped ? [] : open),
    ...(turn ? outcomeText(position, turn) : []),
    ...steeringGoesOn(step, position, outcome),
    tell(position, 'chat/statusChanged', { chatId: chat, status: stopped ? 'stopping' : 'idle' }),
    finished(position),
    ...(stopped ? open : []),
    ...(isAskedFor(step.after, chat, turn?.id)
      ? [say(position, 'system', { type: 'text', text: 'Compacted chat' }), ...usage(step.after, position)]
      : []),
    ...progress(step.after, position),
  ];
}

/** True if the user asked for the compaction in this turn. */
export function isAskedFor(state: State, chat: string, turn: string | undefined): boolean {
  const { compaction, active, turns = [] } = state.chats[chat] ?? {};
  const found = [...turns.slice(-1), ...(active ? [active] : [])].find(({ id }) => id === turn);
  return found !== undefined && compaction?.after === found.id && compaction.trigger === 'command';
}

/** The effect of a compaction that the user asked for is reported at its end. */
export function usageReported(
  { after }: Step,
  { chat, turn }: EventOf<'usage.reported'>,
): readonly EcaMessage[] {
  return isAskedFor(after, chat, turn) ? [] : usage(after, chatPosition(after, chat));
}

/** Queued messages appear in the progress line. */
export function queueChanged(
  { after }: Step,
  event: Extract<Event, { kind: 'message.queued' | 'message.removed' | 'message.reordered' }>,
): readonly EcaMessage[] {
  return event.kind === 'message.queued' && event.lane === 'steer'
    ? []
    : progress(after, chatPosition(after, event.chat));
}

export function plan(position: ChatPosition, entries: readonly PlanEntry[]): EcaMessage {
  return say(position, 'assistant', {
    type: 'toolCalled',
    server: 'eca',
    name: 'task',
    origin: 'native',
    details: tasks(entries),
  });
}

export function usage(state: State, position: ChatPosition): readonly EcaMessage[] {
  return chatUsage(state.chats[position.chat])
    ? [{ kind: 'usage', root: position.root, chat: position.chat, state }]
    : [];
}

/** The text about a turn that did not simply complete. */
export function outcomeText(position: ChatPosition, { outcome, items }: EndedTurn): readonly EcaMessage[] {
  const text = endText(outcome) ?? (endsRefused(items) ? refusedText : undefined);
  return text === undefined ? [] : [say(position, 'system', { type: 'text', text })];
}

/** Sent when a denied call ended the turn: the user is expected to give another instruction. */
const refusedText = '\nTell the agent what to do instead of the denied call.\n';

function endsRefused(items: readonly Item[]): boolean {
  // Calls after the denied one were cancelled.
  const last = items.findLast((item) => item.type !== 'tool' || item.result?.status !== 'cancelled');
  return last?.type === 'tool' && last.result?.status === 'denied';
}

function endText(outcome: Outcome): string | undefined {
  switch (outcome.kind) {
    case 'completed':
      return outcome.stop && stopTexts[outcome.stop];
    case 'cancelled':
      return '\nPrompt stopped\n';
    case 'failed':
      return `\n\n${outcome.problem.message}`;
    case 'interrupted':
      return '\n\nThe host went down during this turn. Send a message to go on.';
    default:
      return outcome satisfies never;
  }
}

const stopTexts: { readonly [S in NonNullable<Extract<Outcome, { kind: 'completed' }>['stop']>]: string } = {
  length: '\n\nThe answer was cut off: the model reached its limit of output.',
  steps: '\n\nThe agent stopped after as many steps as it may take.',
  refusal: '\n\nThe model declined to go on.',
};

function userMessage(position: ChatPosition, message: UserMessage): readonly EcaMessage[] {
  return [
    ...(hasContexts(message)
      ? [say(position, 'system', { type: 'progress', state: 'running', text: 'Parsing given context' })]
      : []),
    echo(position, message),
  ];
}

/**
 * A steering message that its turn did not read becomes the next turn. A client that sees the turn end first
 * would send it again, so the message is shown before the end and not again at the start of the next turn.
 */
function steeringGoesOn({ before }: Step, position: ChatPosition, outcome: Outcome): readonly EcaMessage[] {
  const [next] = before.chats[position.chat]?.steering ?? [];
  const goesOn = outcome.kind === 'completed' || outcome.kind === 'cancelled';
  return next && goesOn ? [echo(position, next)] : [];
}

function settled(chat: Chat | undefined, { root }: ChatPosition): readonly EcaMessage[] {
  return Object.values(chat?.asks ?? {}).flatMap(({ ask }) =>
    ask.kind === 'question' ? [{ kind: 'settled', root, ask: ask.id } as const] : [],
  );
}
