// Converts the items of a turn to ECA messages: texts, images, steering messages and notices, live and when
// a chat is opened later. Calls are in the folder `tools`. Pure.
import { present } from '../../../base/present.ts';
import type { Step } from '../../../host/session/session.ts';
import type { EventOf, UserMessage } from '../../../model/event.ts';
import type {
  EndedTurn,
  ImageItem,
  Item,
  NoticeItem,
  TextItem,
  ToolItem,
  Turn,
} from '../../../model/state.ts';
import { chatPosition, say } from './message.ts';
import type { ChatPosition, EcaMessage } from './message.ts';
import { newProgress } from './progress.ts';
import { closeReasoning, reasonFinished } from './reasoning.ts';

/** Where an item is in its chat. */
export interface ItemPlace {
  readonly position: ChatPosition;
  readonly turn: Turn | EndedTurn;
  readonly at: number;
  readonly replayTool: (tool: ToolItem) => readonly EcaMessage[];
}

/** The messages of an item of a chat that is opened later. */
export function replayItem({ position, turn, at, replayTool }: ItemPlace, item: Item): readonly EcaMessage[] {
  switch (item.type) {
    case 'text':
      return item.channel === 'reasoning'
        ? thought({ position, turn, at }, item)
        : answer(position, item, turn.items.slice(0, at));
    case 'image':
      return [picture(position, item)];
    case 'tool':
      return replayTool(item);
    case 'message':
      return [replayMessage(position, item.message)];
    case 'notice':
      return item.waits ? [] : [notice(position, item)];
    case 'ask':
      return item.ask.kind === 'signin' ? [signInText(position, item.ask)] : [];
    default:
      return item satisfies never;
  }
}

/** A new paragraph, unless the text continues the answer. */
function answer(position: ChatPosition, item: TextItem, earlier: readonly Item[]): readonly EcaMessage[] {
  const previous = earlier.findLast(isVisible);
  const goesOn = previous?.type === 'text' && previous.channel === 'answer';
  return answered(position, item, goesOn ? '' : '\n');
}

/** Leaves out questions, which are not part of the conversation, and waiting notices, which are over. */
function isVisible(item: Item): boolean {
  if (item.type === 'ask') return item.ask.kind === 'signin';
  if (item.type === 'notice') return item.waits !== true;
  return item.type !== 'text' || item.channel === 'reasoning' || item.text !== '';
}

function thought(
  { position, turn, at }: { position: ChatPosition; turn: Turn | EndedTurn; at: number },
  item: Extract<Item, { type: 'text' }>,
): readonly EcaMessage[] {
  const endedAt = turn.items[at + 1]?.at ?? ('endedAt' in turn ? turn.endedAt : undefined);
  return [
    say(position, 'assistant', { type: 'reasonStarted', id: item.id }),
    ...reasonText(position, item.id, item.text),
    ...(endedAt === undefined ? [] : [reasonFinished(position, item, endedAt)]),
  ];
}

export function textAdded(
  step: Step,
  { chat, item, channel, text, sources }: EventOf<'text.added'>,
): readonly EcaMessage[] {
  const [turn, now] = [step.before.chats[chat]?.active, step.after.chats[chat]?.active];
  if (!turn || !now) return [];
  const position = chatPosition(step.after, chat);
  const starts = now.items.length > turn.items.length;
  const thinks = channel === 'reasoning';
  return [
    ...(starts ? newProgress(step, position) : []),
    ...closeReasoning(step, position),
    ...(thinks && starts ? [say(position, 'assistant', { type: 'reasonStarted', id: item })] : []),
    ...(thinks ? reasonText(position, item, text) : answered(position, { text, ...present({ sources }) })),
  ];
}

function reasonText(position: ChatPosition, id: string, text: string): readonly EcaMessage[] {
  return text === '' ? [] : [say(position, 'assistant', { type: 'reasonText', id, text })];
}

export function pictureAdded(
  step: Step,
  { chat, mediaType, data }: EventOf<'image.added'>,
): readonly EcaMessage[] {
  const position = chatPosition(step.after, chat);
  return step.before.chats[chat]?.active
    ? [
        ...newProgress(step, position),
        ...closeReasoning(step, position),
        picture(position, { mediaType, data }),
      ]
    : [];
}

function picture(
  position: ChatPosition,
  { mediaType, data }: Pick<ImageItem, 'mediaType' | 'data'>,
): EcaMessage {
  return say(position, 'assistant', { type: 'image', mediaType, base64: data });
}

/** Text of an answer; a list of sources is sent as links. */
function answered(
  position: ChatPosition,
  { text, sources }: Pick<TextItem, 'text' | 'sources'>,
  before = '',
): readonly EcaMessage[] {
  if (sources) return sources.map((source) => say(position, 'assistant', { type: 'url', ...source }));
  return text === '' ? [] : [say(position, 'assistant', { type: 'text', text: `${before}${text}` })];
}

export function steered(step: Step, { chat, message }: EventOf<'message.steered'>): readonly EcaMessage[] {
  const position = chatPosition(step.after, chat);
  return [...closeReasoning(step, position), echo(position, message), ...newProgress(step, position)];
}

/** A notice about waiting appears in the progress line only. */
export function noticed(step: Step, event: EventOf<'notice.added'>): readonly EcaMessage[] {
  const position = chatPosition(step.after, event.chat);
  return [
    ...closeReasoning(step, position),
    ...(event.waits ? [] : [notice(position, event)]),
    ...newProgress(step, position),
  ];
}

export function signInText(
  position: ChatPosition,
  { message, url }: { readonly message: string; readonly url: string },
): EcaMessage {
  return say(position, 'system', { type: 'text', text: `\n${message}\n${url}\n` });
}

/** A message when it is sent. */
export function echo(position: ChatPosition, message: UserMessage): EcaMessage {
  return messageText(position, message, `${message.text}\n`);
}

/** A message of a chat that is opened later. */
export function replayMessage(position: ChatPosition, message: UserMessage): EcaMessage {
  return messageText(position, message, `\n${message.text}`);
}

/** What no user has written is a notice, such as why a turn begins that nobody asked for. */
function messageText(position: ChatPosition, message: UserMessage, text: string): EcaMessage {
  return message.from !== undefined && !position.isSubagent
    ? notice(position, { text: message.text })
    : say(position, 'user', { type: 'text', text, contentId: message.id });
}

/** ECA clients expect the notice of a hook that stopped the turn without line breaks. */
function notice(
  position: ChatPosition,
  { text, stoppedBy }: Pick<NoticeItem, 'text' | 'stoppedBy'>,
): EcaMessage {
  return say(position, 'system', { type: 'text', text: stoppedBy === undefined ? `\n${text}\n` : text });
}
