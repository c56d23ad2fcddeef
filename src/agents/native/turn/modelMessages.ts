// Turns what a chat has in its log into the messages a model is given; every call gets a result, whatever became of it.
import type {
  Attachment,
  Content,
  Json,
  ResolvedInput,
  ToolResult,
  UserMessage,
} from '../../../model/event.ts';
import type { Chat, ImageItem, Item, TextItem, ToolItem, Turn } from '../../../model/state.ts';
import { commandIn } from '../commands.ts';
import type { AssistantPart, CallResult, ModelMessage, Picture, UserPart } from '../model.ts';
import { compactChat } from '../tools/conversation/compactChat.ts';

/** What turns have left behind. What a summary covers is replaced by it. */
export function historyMessages(
  turns: readonly Turn[],
  compaction: Chat['compaction'],
  given: GivenOf = nothing,
): readonly ModelMessage[] {
  const at = compaction ? turns.findIndex(({ id }) => id === compaction.after) : -1;
  const last = turns[at];
  const messages = (turn: Turn) => turnMessages(turn, given);
  if (!compaction || !last) return turns.flatMap(messages);
  return [
    said(`Summary of the conversation so far:\n\n${compaction.summary}`),
    ...unsummarised(last, compaction.item, given),
    ...turns.slice(at + 1).flatMap(messages),
  ];
}

/** Everything of a chat up to now, and where in it the running turn begins. */
export function chatMessages(
  { turns, active, compaction }: Chat,
  given: GivenOf = nothing,
): { readonly messages: readonly ModelMessage[]; readonly start: number } {
  const start =
    compaction && compaction.after === active?.id ? 1 : historyMessages(turns, compaction, given).length;
  return { messages: historyMessages(active ? [...turns, active] : turns, compaction, given), start };
}

function turnMessages({ message, items }: Turn, given: GivenOf): readonly ModelMessage[] {
  return isAboutUs(message) ? [] : [userMessage(message, given(message.id)), ...itemMessages(items, given)];
}

/** What is left of the turn in which the summary was written: its message, word for word, and what came after the summary. */
function unsummarised(
  { message, items }: Turn,
  item: string | undefined,
  given: GivenOf,
): readonly ModelMessage[] {
  const at = items.findIndex(({ id }) => id === item);
  if (at < 0 || isAboutUs(message)) return itemMessages(items.slice(at < 0 ? items.length : at + 1), given);
  const begun = itemMessages(items.slice(0, at), given).length > 0;
  return [
    userMessage(message, given(message.id)),
    ...(begun ? [said(goOn)] : []),
    ...itemMessages(items.slice(at + 1), given),
  ];
}

const goOn =
  'A part of the work on this message is done already, as the summary says. Go on from there, and do not begin again.';

/** A wish to have the conversation summarised, or the model told anew what it is, is no part of the conversation. */
function isAboutUs(message: UserMessage): boolean {
  const name = commandIn(message)?.name;
  return name === 'compact' || name === 'sync-system-prompt';
}

/** What is told besides the words of a message, where anything is. */
type GivenOf = (message: string) => ResolvedInput | undefined;

const nothing: GivenOf = () => undefined;

export function userMessage(message: UserMessage, given?: ResolvedInput): ModelMessage {
  const command = commandIn(message);
  const words =
    command?.name === 'continue'
      ? `${resume}${command.rest === '' ? '' : ` ${command.rest}`}`
      : (given?.text ?? message.text);
  const attached = (message.attachments ?? []).flatMap((attachment, at) => {
    const content = given?.attachments[at] ?? undefined;
    return typeof content === 'string'
      ? [text(content)]
      : [attachmentPart(attachment), ...(content ? [content] : [])];
  });
  return {
    role: 'user',
    content: [
      text(words),
      ...attached,
      ...(given?.added ?? []).map((content) => (typeof content === 'string' ? text(content) : content)),
    ],
  };
}

const resume =
  'The work was stopped or interrupted. Go on where it ended; look first at what was left half done.';

/** The result of a call, and the pictures that belong to it. */
export interface SeenResult extends CallResult {
  readonly images?: readonly Picture[];
}

/** What a model is told of the result of a call. */
export function resultOf(result: ToolResult): Pick<SeenResult, 'status' | 'text' | 'images'> {
  const images = 'content' in result ? result.content.filter((content) => content.type === 'image') : [];
  return { status: result.status, text: resultText(result), ...(images.length > 0 ? { images } : {}) };
}

/** Not every provider takes pictures as the result of a call, but all take them from the user's side. */
export function resultMessages(seen: readonly SeenResult[]): readonly ModelMessage[] {
  const pictures = seen.flatMap(({ name, images = [] }) =>
    images.length > 0 ? [text(`What ${name} returned shows this:`), ...images] : [],
  );
  const results = seen.map(({ images: _, ...result }) => result);
  return [
    ...(results.length > 0 ? [{ role: 'tool', results } as const] : []),
    ...(pictures.length > 0 ? [{ role: 'user', content: pictures } as const] : []),
  ];
}

export function resultText(result: ToolResult): string {
  if (result.status === 'denied') return deniedText(result.reason);
  const words = result.content.flatMap(contentText).join('\n');
  if (result.status === 'done') return words || 'Done.';
  return words.includes(result.error) ? words : [result.error, words].filter(Boolean).join('\n');
}

/** Models tend to believe that a refused edit was made unless they are told so plainly. */
export function deniedText(reason: string): string {
  return `This call was refused. It did not run and nothing has changed. Reason: ${reason}`;
}

/** One assistant message per stretch of words and calls; words after calls begin the next one. */
function itemMessages(items: readonly Item[], given: GivenOf): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  let spoken: AssistantPart[] = [];
  let results: SeenResult[] = [];
  const flush = () => {
    if (spoken.length > 0) messages.push({ role: 'assistant', content: spoken });
    messages.push(...resultMessages(results));
    spoken = [];
    results = [];
  };
  for (const item of items) {
    // A summary that was written stands for itself, and one that was not is of no interest.
    if (item.type === 'tool' && item.name === compactChat.name) continue;
    if (item.type === 'tool' && item.source === 'provider') {
      // One that has not ended left nothing that its provider would take back.
      if (results.length > 0) flush();
      if (item.meta !== undefined) spoken.push({ type: 'served', name: item.name, meta: item.meta });
    } else if (item.type === 'tool') {
      spoken.push({
        type: 'call',
        id: item.id,
        name: item.name,
        input: item.input ?? {},
        ...(item.source === 'native' ? { ours: true as const } : {}),
        ...metaOf(item),
      });
      results.push(callResult(item));
    } else if (item.type === 'text') {
      if (results.length > 0) flush();
      spoken.push({
        type: item.channel === 'answer' ? 'text' : 'reasoning',
        text: item.text,
        ...metaOf(item),
      });
    } else if (item.type === 'image') {
      if (results.length > 0) flush();
      spoken.push({ type: 'image', mediaType: item.mediaType, data: item.data, ...metaOf(item) });
    } else if (item.type === 'message') {
      flush();
      messages.push(userMessage(item.message, given(item.message.id)));
    } else if (item.type === 'notice' && item.broke) {
      flush();
      messages.push(said(broke));
    }
  }
  flush();
  return messages;
}

const broke = 'Your last answer broke off. Go on where it stopped; what you have done already stays done.';

function metaOf({ meta }: TextItem | ImageItem | ToolItem): { readonly meta?: Json } {
  return meta === undefined ? {} : { meta };
}

function callResult({ id, name, result, runningAt, output }: ToolItem): SeenResult {
  const status = result?.status ?? 'interrupted';
  if (result && ('content' in result || result.status === 'denied')) return { id, name, ...resultOf(result) };
  const cause = status === 'cancelled' ? 'The user stopped this call' : 'This call was interrupted';
  const progress =
    runningAt === undefined
      ? 'before it ran; nothing has changed.'
      : 'while it ran; it may have done a part of its work.';
  return { id, name, status, text: [`${cause} ${progress}`, output].filter(Boolean).join('\n') };
}

function contentText(content: Content): readonly string[] {
  if (content.type === 'text') return [content.text];
  if (content.type === 'data') return [JSON.stringify(content.value)];
  if (content.type === 'image') return [`[A picture (${content.mediaType}).]`];
  return content.type === 'link' ? [content.uri] : [];
}

function attachmentPart(attachment: Attachment): UserPart {
  switch (attachment.type) {
    case 'image':
      return attachment;
    case 'text':
      return text(`${attachment.label}:\n${attachment.text}`);
    case 'file':
      return text(
        `Attached file: ${attachment.path}${attachment.lines ? ` (lines ${attachment.lines.start} to ${attachment.lines.end})` : ''}`,
      );
    case 'directory':
      return text(`Attached directory: ${attachment.path}`);
    case 'cursor':
      return text(
        `The user's cursor is in ${attachment.path}, line ${attachment.line}, column ${attachment.character}.`,
      );
    case 'link':
      return text(`Attached link: ${attachment.name ?? ''} ${attachment.uri}`);
    case 'audio':
      return text('An audio recording was attached; it cannot be heard here.');
    default:
      return attachment satisfies never;
  }
}

function text(value: string): UserPart {
  return { type: 'text', text: value };
}

function said(value: string): ModelMessage {
  return { role: 'user', content: [text(value)] };
}
