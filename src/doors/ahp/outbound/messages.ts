// What people write, between our words and AHP's. What ours has no word for is kept beside and
// given back unchanged.
import type { Attachment, Draft, MessageId, UserMessage } from '../../../model/event.ts';
import type { Chat, Turn } from '../../../model/state.ts';
import { present } from '../../../base/present.ts';
import type { Message, MessageAttachment } from '../../../protocols/ahp/v1_0/message.ts';
import { fileUri, filePath, baseName } from '../../../base/fileUri.ts';
import { readAttachment, readMessage, storedMessage } from '../storedDetails.ts';

/** `speaker`: who wrote a message that is not the user's. Most of them only tell why a turn has begun. */
export function toMessage(
  message: Draft,
  speaker: 'agent' | 'systemNotification' = 'systemNotification',
): Message {
  const { author, agent, modelOptions, attachments: kept, meta } = readMessage(message.details);
  const attachments = message.attachments?.map((attachment, i) => {
    const data = 'data' in attachment ? attachment.data : undefined;
    const each = kept?.[i];
    return (each && readAttachment(each, data)) ?? toAttachment(attachment);
  });
  return present({
    text: message.text,
    origin: author ? { ...author.other, kind: author.kind } : { kind: message.from ? speaker : 'user' },
    attachments,
    model: message.model === undefined ? undefined : present({ id: message.model, config: modelOptions }),
    agent: agent && { ...agent.other, uri: agent.uri },
    _meta: meta,
  });
}

/**
 * The message of a turn. What an editor of another protocol sent names no model; the client must not take its
 * own choice for the turn's. A subagent works on the words of another agent.
 */
export function toTurnMessage(
  { origin }: Pick<Chat, 'origin'>,
  { message, by, model }: Pick<Turn, 'message' | 'by' | 'model'>,
): Message {
  const isOurs = by.kind === 'client' && by.door === 'ahp';
  return toMessage(
    isOurs || model === undefined ? message : { ...message, model: message.model ?? model },
    origin.type === 'tool' ? 'agent' : 'systemNotification',
  );
}

export function fromMessage(message: Message, id: MessageId): UserMessage {
  const { text, attachments, model } = message;
  return present({
    id,
    text,
    attachments: attachments?.map(fromAttachment),
    model: model?.id,
    details: storedMessage(message),
  });
}

function fromAttachment(attachment: MessageAttachment): Attachment {
  switch (attachment.type) {
    case 'simple':
      return {
        type: 'text',
        label: attachment.label,
        text: attachment.modelRepresentation ?? attachment.label,
      };
    case 'embeddedResource':
      return fromEmbedded(attachment);
    case 'resource':
      return fromResource(attachment);
    case 'annotations':
    case 'chat':
      return { type: 'text', label: attachment.label, text: attachment.label, uri: attachment.resource };
    default:
      return fromUnknown(attachment);
  }
}

/** A kind from a later version: its label is all that can be read. */
function fromUnknown(attachment: { readonly label?: unknown }): Attachment {
  const label = typeof attachment.label === 'string' ? attachment.label : 'attachment';
  return { type: 'text', label, text: label };
}

function fromEmbedded({
  label,
  data,
  contentType,
}: Extract<MessageAttachment, { type: 'embeddedResource' }>): Attachment {
  if (contentType.startsWith('image/')) return { type: 'image', mediaType: contentType, data };
  if (contentType.startsWith('audio/')) return { type: 'audio', mediaType: contentType, data };
  if (contentType.startsWith('text/') || contentType.includes('json'))
    return { type: 'text', label, text: Buffer.from(data, 'base64').toString('utf8') };
  return { type: 'link', uri: `data:${contentType};base64,${data}`, name: label, mediaType: contentType };
}

function fromResource({
  uri,
  label,
  displayKind,
  selection,
  contentType,
}: Extract<MessageAttachment, { type: 'resource' }>): Attachment {
  const path = filePath(uri);
  if (path === undefined) return present({ type: 'link' as const, uri, name: label, mediaType: contentType });
  if (displayKind === 'directory' || uri.endsWith('/')) return { type: 'directory', path };
  const lines = selection && { start: selection.range.start.line + 1, end: selection.range.end.line + 1 };
  return present({ type: 'file' as const, path, lines });
}

function toAttachment(attachment: Attachment): MessageAttachment {
  switch (attachment.type) {
    case 'file':
      return present({
        ...fileOf(attachment.path),
        displayKind: 'document',
        selection: attachment.lines && linesOf(attachment.lines),
      });
    case 'directory':
      return { ...fileOf(attachment.path), displayKind: 'directory' };
    case 'cursor':
      return {
        ...fileOf(attachment.path),
        displayKind: 'document',
        selection: { range: { start: placeOf(attachment), end: placeOf(attachment) } },
      };
    case 'text':
      return { type: 'simple', label: attachment.label, modelRepresentation: attachment.text };
    case 'image':
      return {
        type: 'embeddedResource',
        label: 'image',
        data: attachment.data,
        contentType: attachment.mediaType,
        displayKind: 'image',
      };
    case 'audio':
      return {
        type: 'embeddedResource',
        label: 'audio',
        data: attachment.data,
        contentType: attachment.mediaType,
      };
    case 'link':
      return present({
        type: 'resource' as const,
        label: attachment.name ?? attachment.uri,
        uri: attachment.uri,
        contentType: attachment.mediaType,
      });
    default:
      return attachment satisfies never;
  }
}

function fileOf(path: string) {
  return { type: 'resource' as const, label: baseName(path), uri: fileUri(path) };
}

/** Our lines count from one and include the last. */
function linesOf({ start, end }: { readonly start: number; readonly end: number }) {
  return {
    range: {
      start: { line: Math.max(0, start - 1), character: 0 },
      end: { line: Math.max(0, end - 1), character: 0 },
    },
  };
}

function placeOf({ line, character }: Extract<Attachment, { type: 'cursor' }>) {
  return { line: Math.max(0, line - 1), character: Math.max(0, character - 1) };
}
