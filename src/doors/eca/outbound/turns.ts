// Turns, texts and what stands around them on the wire, live. Pure.
import type { Step } from '../../../host/session/session.ts';
import { sourcesIn } from '../../../host/turns/answerSources.ts';
import type { ChatId, Event, EventOf, Outcome, PlanEntry, UserMessage } from '../../../model/event.ts';
import type { Chat, EndedTurn, ImageItem, Item, NoticeItem, State } from '../../../model/state.ts';
import { hasContexts } from '../inbound/toCommand.ts';
import { chatPosition, say, tell } from './message.ts';
import type { EcaMessage, ChatPosition } from './message.ts';
import { rejectOpen } from './tools/toolCalls.ts';
import { newProgress, progress, stageOf } from './progress.ts';
import { closeReasoning } from './reasoning.ts';
import { tasks } from './tools/taskList.ts';
import { usageOf } from './usage.ts';

/** What programs of the user say comes before the message, or before its turn begins; see `released`. */
export function turnStarted(
  { before, after }: Step,
  { chat, message, queued }: EventOf<'turn.started'>,
): readonly EcaMessage[] {
  const place = chatPosition(after, chat);
  const shown = queued && before.chats[chat]?.steering.some(({ id }) => id === message.id);
  const stage = stageOf(after, chat);
  return [
    ...(shown || stage === 'opening' ? [] : userMessage(place, message)),
    ...(stage === 'agent' ? begun(after, place) : []),
  ];
}

/** What was held back until the programs of the user have run; a turn that ends with them never began. */
export function released({ before, after }: Step, chat: ChatId): readonly EcaMessage[] {
  const active = before.chats[chat]?.active;
  const [old, now] = [stageOf(before, chat), stageOf(after, chat)];
  if (!active || old === now || old === 'agent') return [];
  const place = chatPosition(after, chat);
  const goesOn = after.chats[chat]?.active?.id === active.id;
  return [
    ...(old === 'opening' ? userMessage(place, active.message) : []),
    ...(goesOn && now === 'agent' ? begun(before, place) : []),
  ];
}

function begun(state: State, place: ChatPosition): readonly EcaMessage[] {
  return [
    tell(place, 'chat/statusChanged', { chatId: place.chat, status: 'running' }),
    ...progress(state, place, 'agent'),
  ];
}

export function turnEnded(step: Step, { chat, outcome }: EventOf<'turn.ended'>): readonly EcaMessage[] {
  const place = chatPosition(step.after, chat);
  const stopped = outcome.kind === 'cancelled';
  const open = rejectOpen(step, chat);
  const turn = step.after.chats[chat]?.turns.at(-1);
  return [
    ...settled(step.before.chats[chat], place),
    ...closeReasoning(step, place),
    ...(stopped ? [] : open),
    ...(turn ? outcomeText(place, turn) : []),
    ...steeringGoesOn(step, place, outcome),
    tell(place, 'chat/statusChanged', { chatId: chat, status: stopped ? 'stopping' : 'idle' }),
    say(place, 'system', { type: 'progress', state: 'finished' }),
    ...(stopped ? open : []),
    ...(isAskedFor(step.after, chat, turn?.id)
      ? [say(place, 'system', { type: 'text', text: 'Compacted chat' }), ...usage(step.after, place)]
      : []),
  ];
}

/** Whether a chat was compacted in a turn because its user wished it. */
export function isAskedFor(state: State, chat: string, turn: string | undefined): boolean {
  const { compaction, active, turns = [] } = state.chats[chat] ?? {};
  const found = [...turns.slice(-1), ...(active ? [active] : [])].find(({ id }) => id === turn);
  return found !== undefined && compaction?.after === found.id && /^\s*\/compact\b/.test(found.message.text);
}

export function textAdded(
  step: Step,
  { chat, item, channel, text }: EventOf<'text.added'>,
): readonly EcaMessage[] {
  const [turn, now] = [step.before.chats[chat]?.active, step.after.chats[chat]?.active];
  if (!turn || !now) return [];
  const place = chatPosition(step.after, chat);
  const starts = now.items.length > turn.items.length;
  const thinks = channel === 'reasoning';
  return [
    ...(starts ? newProgress(step, place) : []),
    ...closeReasoning(step, place),
    ...(thinks && starts ? [say(place, 'assistant', { type: 'reasonStarted', id: item })] : []),
    ...(thinks ? reasonText(place, item, text) : answered(place, text)),
  ];
}

export function reasonText(place: ChatPosition, id: string, text: string): readonly EcaMessage[] {
  return text === '' ? [] : [say(place, 'assistant', { type: 'reasonText', id, text })];
}

export function pictureAdded(
  step: Step,
  { chat, mediaType, data }: EventOf<'image.added'>,
): readonly EcaMessage[] {
  const place = chatPosition(step.after, chat);
  return step.before.chats[chat]?.active
    ? [...newProgress(step, place), ...closeReasoning(step, place), picture(place, { mediaType, data })]
    : [];
}

export function picture(
  place: ChatPosition,
  { mediaType, data }: Pick<ImageItem, 'mediaType' | 'data'>,
): EcaMessage {
  return say(place, 'assistant', { type: 'image', mediaType, base64: data });
}

/** Words of an answer; a list of its sources is shown as the pages it names. */
export function answered(place: ChatPosition, text: string, before = ''): readonly EcaMessage[] {
  const sources = sourcesIn(text);
  if (sources) return sources.map((source) => say(place, 'assistant', { type: 'url', ...source }));
  return text === '' ? [] : [say(place, 'assistant', { type: 'text', text: `${before}${text}` })];
}

export function steered(step: Step, { chat, message }: EventOf<'message.steered'>): readonly EcaMessage[] {
  const place = chatPosition(step.after, chat);
  return [...closeReasoning(step, place), echo(place, message), ...newProgress(step, place)];
}

/** What is only waited for is in the line of progress, and in no text. */
export function noticed(step: Step, event: EventOf<'notice.added'>): readonly EcaMessage[] {
  const place = chatPosition(step.after, event.chat);
  return [
    ...closeReasoning(step, place),
    ...(event.waits ? [] : [notice(place, event)]),
    ...newProgress(step, place),
  ];
}

/** How much room a summary has made that the user asked for is told with its end. */
export function usageReported(
  { after }: Step,
  { chat, turn }: EventOf<'usage.reported'>,
): readonly EcaMessage[] {
  return isAskedFor(after, chat, turn) ? [] : usage(after, chatPosition(after, chat));
}

/** Waiting messages are visible in the line that says what the chat is doing. */
export function queueChanged(
  { after }: Step,
  event: Extract<Event, { kind: 'message.queued' | 'message.removed' | 'message.reordered' }>,
): readonly EcaMessage[] {
  return event.kind === 'message.queued' && event.lane === 'steer'
    ? []
    : progress(after, chatPosition(after, event.chat));
}

export function plan(place: ChatPosition, entries: readonly PlanEntry[]): EcaMessage {
  return say(place, 'assistant', {
    type: 'toolCalled',
    server: 'eca',
    name: 'task',
    origin: 'native',
    details: tasks(entries),
  });
}

export function usage(state: State, place: ChatPosition): readonly EcaMessage[] {
  return usageOf(state.chats[place.chat])
    ? [{ kind: 'usage', root: place.root, chat: place.chat, state }]
    : [];
}

/** ECA clients expect the notice of a hook that stopped the turn without line breaks. */
export function notice(
  place: ChatPosition,
  { text, stoppedBy }: Pick<NoticeItem, 'text' | 'stoppedBy'>,
): EcaMessage {
  return say(place, 'system', { type: 'text', text: stoppedBy === undefined ? `\n${text}\n` : text });
}

/** What is said about a turn that did not simply finish. */
export function outcomeText(place: ChatPosition, { outcome, items }: EndedTurn): readonly EcaMessage[] {
  const text = endText(outcome) ?? (endsRefused(items) ? refusedText : undefined);
  return text === undefined ? [] : [say(place, 'system', { type: 'text', text })];
}

/** A user, or a rule of theirs, who refuses a call may end the turn with it, to say what to do instead. */
const refusedText = '\nSay what to do instead of the refused call.\n';

function endsRefused(items: readonly Item[]): boolean {
  // Calls behind the refused one were never made.
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

function userMessage(place: ChatPosition, message: UserMessage): readonly EcaMessage[] {
  return [
    ...(hasContexts(message)
      ? [say(place, 'system', { type: 'progress', state: 'running', text: 'Parsing given context' })]
      : []),
    echo(place, message),
  ];
}

function echo(place: ChatPosition, { id, text }: UserMessage): EcaMessage {
  return say(place, 'user', { type: 'text', text: `${text}\n`, contentId: id });
}

/**
 * Steering that its turn did not take becomes the next turn. A client that sees the turn finish before it sees its steering
 * taken sends it once more, so the message is shown before the end and not again at the start.
 */
function steeringGoesOn({ before }: Step, place: ChatPosition, outcome: Outcome): readonly EcaMessage[] {
  const [next] = before.chats[place.chat]?.steering ?? [];
  const goesOn = outcome.kind === 'completed' || outcome.kind === 'cancelled';
  return next && goesOn ? [echo(place, next)] : [];
}

function settled(chat: Chat | undefined, { root }: ChatPosition): readonly EcaMessage[] {
  return Object.values(chat?.asks ?? {}).flatMap(({ ask }) =>
    ask.kind === 'question' ? [{ kind: 'settled', root, ask: ask.id } as const] : [],
  );
}
