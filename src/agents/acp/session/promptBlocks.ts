// Converts a message into prompt blocks, as rich as the agent supports, otherwise as text. Pure.
import { fileUri } from '../../../base/fileUri.ts';
import type { Attachment, UserMessage } from '../../../model/event.ts';
import type { ContentBlock } from '../../../protocols/acp/v1/messages.ts';
import type { AgentCapabilities } from '../../../protocols/acp/v1/answerSchema.ts';

type Accepts = AgentCapabilities['promptCapabilities'];

export interface Prompt {
  readonly blocks: readonly ContentBlock[];
  /** What the agent cannot take and therefore was not given, one phrase each. */
  readonly left: readonly string[];
}

/** Agents recognise a slash command only at the start, so the user's text is the first block, unchanged. */
export function promptBlocks(message: UserMessage, accepts: Accepts): Prompt {
  const attached = (message.attachments ?? []).map((attachment) => attachmentBlock(attachment, accepts));
  const words: readonly ContentBlock[] =
    message.text === '' && attached.length > 0 ? [] : [text(message.text)];
  return {
    blocks: [...words, ...attached.map(({ block }) => block)],
    left: attached.flatMap(({ left }) => left ?? []),
  };
}

interface Attached {
  readonly block: ContentBlock;
  readonly left?: string;
}

function attachmentBlock(attachment: Attachment, accepts: Accepts): Attached {
  switch (attachment.type) {
    case 'file':
      return { block: fileLink(attachment.path, attachment.lines && { ...attachment.lines }) };
    case 'directory':
      return { block: { ...fileLink(attachment.path), uri: `${fileUri(attachment.path)}/` } };
    case 'cursor':
      return {
        block: text(
          `The user's cursor is in ${attachment.path}, line ${attachment.line}, column ` +
            `${attachment.character}.`,
        ),
      };
    case 'text':
      return { block: textBlock(attachment, accepts) };
    case 'image':
      return media(attachment, accepts.image, 'an image');
    case 'audio':
      return media(attachment, accepts.audio, 'a recording');
    case 'link':
      return {
        block: {
          type: 'resource_link',
          uri: attachment.uri,
          name: attachment.name ?? attachment.uri,
          ...(attachment.mediaType === undefined ? {} : { mimeType: attachment.mediaType }),
        },
      };
    default:
      return attachment satisfies never;
  }
}

function textBlock(
  { label, text: words, uri }: Extract<Attachment, { readonly type: 'text' }>,
  accepts: Accepts,
): ContentBlock {
  if (!accepts.embeddedContext) return text(`${label}:\n${words}`);
  return {
    type: 'resource',
    resource: { uri: uri ?? `attachment:${encodeURIComponent(label)}`, text: words },
  };
}

function media(
  attachment: Extract<Attachment, { readonly type: 'image' | 'audio' }>,
  accepted: boolean,
  what: string,
): Attached {
  if (accepted)
    return { block: { type: attachment.type, data: attachment.data, mimeType: attachment.mediaType } };
  return { block: text(`(The user attached ${what}, which cannot be passed on to you.)`), left: what };
}

function fileLink(
  path: string,
  lines?: { readonly start: number; readonly end: number },
): Extract<ContentBlock, { readonly type: 'resource_link' }> {
  const part = lines ? `#L${lines.start}:${lines.end}` : '';
  const name = path.split(/[\\/]/).findLast((step) => step !== '') ?? path;
  return {
    type: 'resource_link',
    uri: `${fileUri(path)}${part}`,
    name: lines ? `${name} (lines ${lines.start} to ${lines.end})` : name,
  };
}

function text(words: string): ContentBlock {
  return { type: 'text', text: words };
}
