// Turns what a chat has in its log into the messages a model is given; every call gets a result, whatever became of it.
import type { Attachment, Content, Json, ToolResult, UserMessage } from '../../model/event.ts';
import type { Chat, EndedTurn, Item, TextItem, ToolItem } from '../../model/state.ts';
import type { AssistantPart, CallResult, ModelMessage, UserPart } from './model.ts';

/** The turns before the running one. What a summary covers is replaced by it. */
export function historyMessages(turns: readonly EndedTurn[], compaction: Chat['compaction']): readonly ModelMessage[] {
  const covered = compaction ? turns.findIndex(({ id }) => id === compaction.after) + 1 : 0;
  const summary = compaction && covered > 0 ? [said(`Summary of the conversation so far:\n\n${compaction.summary}`)] : [];
  return [...summary, ...turns.slice(covered).flatMap((turn) => [userMessage(turn.message), ...itemMessages(turn.items)])];
}

export function userMessage(message: UserMessage): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text: message.text }, ...(message.attachments ?? []).map(attachmentPart)] };
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
function itemMessages(items: readonly Item[]): readonly ModelMessage[] {
  const messages: ModelMessage[] = [];
  let spoken: AssistantPart[] = [];
  let results: CallResult[] = [];
  const flush = () => {
    if (spoken.length > 0) messages.push({ role: 'assistant', content: spoken });
    if (results.length > 0) messages.push({ role: 'tool', results });
    spoken = [];
    results = [];
  };
  for (const item of items) {
    if (item.type === 'tool') {
      spoken.push({ type: 'call', id: item.id, name: item.name, input: item.input ?? {}, ...metaOf(item) });
      results.push(callResult(item));
    } else if (item.type === 'text') {
      if (results.length > 0) flush();
      spoken.push({ type: item.channel === 'answer' ? 'text' : 'reasoning', text: item.text, ...metaOf(item) });
    } else if (item.type === 'message') {
      flush();
      messages.push(userMessage(item.message));
    }
  }
  flush();
  return messages;
}

function metaOf({ meta }: TextItem | ToolItem): { readonly meta?: Json } {
  return meta === undefined ? {} : { meta };
}

function callResult({ id, name, result, runningAt, output }: ToolItem): CallResult {
  const status = result?.status ?? 'interrupted';
  if (result && 'content' in result) return { id, name, status, text: resultText(result) };
  if (result?.status === 'denied') return { id, name, status, text: deniedText(result.reason) };
  const cause = status === 'cancelled' ? 'The user stopped this call' : 'This call was interrupted';
  const progress = runningAt === undefined ? 'before it ran; nothing has changed.' : 'while it ran; it may have done a part of its work.';
  return { id, name, status, text: [`${cause} ${progress}`, output].filter(Boolean).join('\n') };
}

function contentText(content: Content): readonly string[] {
  if (content.type === 'text') return [content.text];
  if (content.type === 'data') return [JSON.stringify(content.value)];
  if (content.type === 'image') return [`[A picture (${content.mediaType}) that only the user sees.]`];
  return content.type === 'link' ? [content.uri] : [];
}

function attachmentPart(attachment: Attachment): UserPart {
  switch (attachment.type) {
    case 'image': return attachment;
    case 'text': return text(`${attachment.label}:\n${attachment.text}`);
    case 'file': return text(`Attached file: ${attachment.path}${attachment.lines ? ` (lines ${attachment.lines.start} to ${attachment.lines.end})` : ''}`);
    case 'directory': return text(`Attached directory: ${attachment.path}`);
    case 'cursor': return text(`The user's cursor is in ${attachment.path}, line ${attachment.line}, column ${attachment.character}.`);
    case 'link': return text(`Attached link: ${attachment.name ?? ''} ${attachment.uri}`);
    case 'audio': return text('An audio recording was attached; it cannot be heard here.');
    default: return attachment satisfies never;
  }
}

function text(value: string): UserPart {
  return { type: 'text', text: value };
}

function said(value: string): ModelMessage {
  return { role: 'user', content: [text(value)] };
}
