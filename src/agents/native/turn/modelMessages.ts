// Converts the log of a chat into the messages for a model; every call has a result, also
// one that did not finish.
import type {
  Attachment,
  Content,
  Json,
  ResolvedInput,
  ToolResult,
  UserMessage,
} from '../../../model/event.ts';
import type { Chat, ImageItem, Item, TextItem, ToolItem, Turn } from '../../../model/state.ts';
import { isSessionCommand } from '../../../host/turns/sessionCommands.ts';
import { commandIn } from '../commands.ts';
import type { AssistantPart, CallResult, ModelMessage, Picture, UserPart } from '../model.ts';
import { compactChat } from '../tools/conversation/compactChat.ts';

/** The messages of ended turns. A summary replaces the turns that it covers. */
export function historyMessages(
  turns: readonly Turn[],
  compaction: Chat['compaction'],
  inputOf: InputOf = noInput,
): readonly ModelMessage[] {
  const at = compaction ? turns.findIndex(({ id }) => id === compaction.after) : -1;
  const last = turns[at];
  const messages = (turn: Turn) => turnMessages(turn, inputOf);
  if (!compaction || !last) return turns.flatMap(messages);
  return [
    userText(`Summary of the conversation so far:\n\n${compaction.summary}`),
    ...unsummarised(last, compaction.item, inputOf),
    ...turns.slice(at + 1).flatMap(messages),
  ];
}

/** All messages of a chat, and the index of the first one of the running turn. */
export function chatMessages(
  { turns, active, compaction }: Chat,
  inputOf: InputOf = noInput,
): { readonly messages: readonly ModelMessage[]; readonly start: number } {
  // A summary of the running turn stands for all turns before it.
  if (active && compaction?.after === active.id)
    return { messages: historyMessages([...turns, active], compaction, inputOf), start: 1 };
  const before = historyMessages(turns, compaction, inputOf);
  const running = active ? turnMessages(active, inputOf) : [];
  return { messages: [...before, ...running], start: before.length };
}

function turnMessages({ message, items }: Turn, inputOf: InputOf): readonly ModelMessage[] {
  return isControlCommand(message)
    ? []
    : [toUserMessage(message, inputOf(message.id)), ...itemMessages(items, inputOf)];
}

/** The rest of the turn that was summarised while it ran: its message, and what came after the summary. */
function unsummarised(
  { message, items }: Turn,
  item: string | undefined,
  inputOf: InputOf,
): readonly ModelMessage[] {
  const at = items.findIndex(({ id }) => id === item);
  if (at < 0 || isControlCommand(message))
    return itemMessages(items.slice(at < 0 ? items.length : at + 1), inputOf);
  const hasWork = itemMessages(items.slice(0, at), inputOf).length > 0;
  return [
    toUserMessage(message, inputOf(message.id)),
    ...(hasWork ? [userText(continueSummary)] : []),
    ...itemMessages(items.slice(at + 1), inputOf),
  ];
}

const continueSummary =
  'A part of the work on this message is done already, as the summary says. Go on from there, and do ' +
  'not begin again.';

/** The model does not see commands that control the conversation. */
function isControlCommand(message: UserMessage): boolean {
  const name = commandIn(message)?.name;
  return name === 'compact' || name === 'sync-system-prompt' || isSessionCommand(message.text);
}

/** The resolved input of a message, if it has one. */
type InputOf = (message: string) => ResolvedInput | undefined;

const noInput: InputOf = () => undefined;

export function toUserMessage(message: UserMessage, input?: ResolvedInput): ModelMessage {
  const command = commandIn(message);
  const body =
    command?.name === 'continue'
      ? `${resume}${command.rest === '' ? '' : ` ${command.rest}`}`
      : (input?.text ?? message.text);
  const attached = (message.attachments ?? []).flatMap((attachment, at) => {
    const content = input?.attachments[at] ?? undefined;
    return typeof content === 'string'
      ? [text(content)]
      : [attachmentPart(attachment), ...(content ? [content] : [])];
  });
  return {
    role: 'user',
    content: [
      text(body),
      ...attached,
      ...(input?.added ?? []).map((content) => (typeof content === 'string' ? text(content) : content)),
    ],
  };
}

const resume =
  'The work was stopped or interrupted. Go on where it ended; look first at what was left half done.';

/** The result of a call with its images. */
export interface SeenResult extends CallResult {
  readonly images?: readonly Picture[];
}

/** The result of a call as the model gets it. */
export function modelResult(result: ToolResult): Pick<SeenResult, 'status' | 'text' | 'images'> {
  const images = 'content' in result ? result.content.filter((content) => content.type === 'image') : [];
  return { status: result.status, text: resultText(result), ...(images.length > 0 ? { images } : {}) };
}

/** Not every provider accepts images in results, but all accept them in user messages. */
export function resultMessages(seen: readonly SeenResult[]): readonly ModelMessage[] {
  const pictures = seen.flatMap(({ name, images = [] }) =>
    images.length > 0 ? [text(`What ${name} returned shows this:`), ...images] : [],
  );
  const results = pictures.length === 0 ? seen : seen.map(({ images: _, ...result }) => result);
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

/** Models tend to believe that a refused edit was made, so the text says plainly that it was not. */
export function deniedText(reason: string): string {
  return `This call was refused. It did not run and nothing has changed. Reason: ${reason}`;
}

/** One assistant message for each run of text and calls; text after calls begins the next message. */
function itemMessages(items: readonly Item[], inputOf: InputOf): readonly ModelMessage[] {
  const builder = new MessageBuilder();
  for (const item of items) addItem(builder, item, inputOf);
  return builder.messages();
}

class MessageBuilder {
  readonly #messages: ModelMessage[] = [];
  #parts: AssistantPart[] = [];
  #results: SeenResult[] = [];

  call(part: AssistantPart, result: SeenResult): void {
    this.#parts.push(part);
    this.#results.push(result);
  }

  /** Adds a part that is not a call; results of earlier calls come before it. */
  part(part: AssistantPart | undefined): void {
    if (this.#results.length > 0) this.#flush();
    if (part) this.#parts.push(part);
  }

  user(message: ModelMessage): void {
    this.#flush();
    this.#messages.push(message);
  }

  messages(): readonly ModelMessage[] {
    this.#flush();
    return this.#messages;
  }

  #flush(): void {
    if (this.#parts.length > 0) this.#messages.push({ role: 'assistant', content: this.#parts });
    this.#messages.push(...resultMessages(this.#results));
    this.#parts = [];
    this.#results = [];
  }
}

function addItem(builder: MessageBuilder, item: Item, inputOf: InputOf): void {
  switch (item.type) {
    case 'tool':
      return addCall(builder, item);
    case 'text': {
      const type = item.channel === 'answer' ? 'text' : 'reasoning';
      return builder.part({ type, text: item.text, ...metaOf(item) });
    }
    case 'image':
      return builder.part({
        type: 'image',
        mediaType: item.mediaType,
        data: item.data,
        ...metaOf(item),
      });
    case 'message':
      return builder.user(toUserMessage(item.message, inputOf(item.message.id)));
    case 'notice':
      return item.broke ? builder.user(userText(continueBroken)) : undefined;
    case 'ask':
      return undefined;
    default:
      return item satisfies never;
  }
}

function addCall(builder: MessageBuilder, item: ToolItem): void {
  // The summary of a compaction replaces the conversation, so its call is not part of it.
  if (item.name === compactChat.name) return undefined;
  // A provider takes back only those of its calls that have ended.
  if (item.source === 'provider')
    return builder.part(
      item.meta === undefined ? undefined : { type: 'served', name: item.name, meta: item.meta },
    );
  return builder.call(
    {
      type: 'call',
      id: item.id,
      name: item.name,
      input: item.input ?? {},
      ...(item.source === 'native' ? { ours: true as const } : {}),
      ...metaOf(item),
    },
    callResult(item),
  );
}

const continueBroken =
  'Your last answer broke off. Go on where it stopped; what you have done already stays done.';

function metaOf({ meta }: TextItem | ImageItem | ToolItem): { readonly meta?: Json } {
  return meta === undefined ? {} : { meta };
}

function callResult({ id, name, result, runningAt, output }: ToolItem): SeenResult {
  const status = result?.status ?? 'interrupted';
  if (result && ('content' in result || result.status === 'denied'))
    return { id, name, ...modelResult(result) };
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
  if (content.type === 'blob') return [`[A file (${content.mediaType}).]`];
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
        `Attached file: ${attachment.path}` +
          (attachment.lines ? ` (lines ${attachment.lines.start} to ${attachment.lines.end})` : ''),
      );
    case 'directory':
      return text(`Attached directory: ${attachment.path}`);
    case 'cursor':
      return text(
        `The user's cursor is in ${attachment.path}, line ${attachment.line}, column ` +
          `${attachment.character}.`,
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

function userText(value: string): ModelMessage {
  return { role: 'user', content: [text(value)] };
}
