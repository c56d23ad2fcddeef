// Translates messages between the model and version 1, whose attachments are only paths.
import type { UserMessage as OurMessage } from '../../../../model/event.ts';
import { present } from '../../../../base/present.ts';
import type { Message, MessageAttachment as NewAttachment } from '../../../../protocols/ahp/v1_0/message.ts';
import type { MessageAttachment, UserMessage } from '../../../../protocols/ahp/integer1/message.ts';
import { baseName } from '../../../../base/fileUri.ts';
import { toMessage } from '../../outbound/messages.ts';
import { firstVersion } from '../../storedDetails.ts';

export function toUserMessage(message: OurMessage): UserMessage {
  return userMessageOf(toMessage(message));
}

/** Attachments that are not a place have no word in version 1; their text is not in the message either. */
export function userMessageOf({ text, attachments }: Message): UserMessage {
  const named = attachments?.flatMap((attachment) => toAttachment(attachment) ?? []);
  return present({ text, attachments: named && named.length > 0 ? named : undefined });
}

export function fromUserMessage({ text, attachments }: UserMessage): Message {
  return present({
    text,
    origin: { kind: 'user' },
    attachments: attachments && attachments.length > 0 ? attachments.map(fromAttachment) : undefined,
  });
}

function fromAttachment(attachment: MessageAttachment): NewAttachment {
  const { type, uri, displayName } = attachment;
  return {
    type: 'resource',
    uri,
    label: displayName ?? baseName(uri),
    displayKind: type === 'directory' ? 'directory' : 'document',
    _meta: { [firstVersion]: attachment },
  };
}

function toAttachment(attachment: NewAttachment): MessageAttachment | undefined {
  if (attachment.type !== 'resource') return undefined;
  const { _meta: meta } = attachment;
  const written = meta?.[firstVersion];
  if (isAttachment(written)) return written;
  const place = attachment.displayKind === 'directory' ? 'directory' : 'file';
  const type = attachment.selection ? 'selection' : place;
  return { type, uri: attachment.uri, displayName: attachment.label };
}

function isAttachment(value: unknown): value is MessageAttachment {
  return typeof value === 'object' && value !== null && 'type' in value && 'uri' in value;
}
