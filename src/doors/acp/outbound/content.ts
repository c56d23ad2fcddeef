// Converts contents and attachments to ACP content blocks. Pure.
import { untrackedText } from '../../../model/edits.ts';
import type { Attachment, Content, UserMessage } from '../../../model/event.ts';
import type { ContentBlock, ToolCallContent } from '../../../protocols/acp/v1/messages.ts';
import { fileUri, baseName } from '../../../base/fileUri.ts';

/** A user message as the content blocks of a prompt. */
export function messageBlocks({ text, attachments }: UserMessage): readonly ContentBlock[] {
  return [...(text === '' ? [] : [textBlock(text)]), ...(attachments ?? []).map(attachmentBlock)];
}

export function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

export function toolContent(content: Content): ToolCallContent {
  return content.type === 'edit'
    ? { type: 'diff', path: content.path, oldText: content.before, newText: content.after ?? '' }
    : { type: 'content', content: contentBlock(content) };
}

function attachmentBlock(attachment: Attachment): ContentBlock {
  switch (attachment.type) {
    case 'file':
      return link(fileUri(attachment.path, attachment.lines), baseName(attachment.path));
    case 'directory':
      return link(`${fileUri(attachment.path)}/`, baseName(attachment.path));
    case 'cursor':
      return link(
        fileUri(attachment.path, { start: attachment.line, end: attachment.line }),
        baseName(attachment.path),
      );
    case 'text':
      return {
        type: 'resource',
        resource: {
          uri: attachment.uri ?? `attachment:${encodeURIComponent(attachment.label)}`,
          text: attachment.text,
        },
      };
    case 'image':
    case 'audio':
      return { type: attachment.type, data: attachment.data, mimeType: attachment.mediaType };
    case 'link':
      return linkBlock(attachment);
    default:
      return attachment satisfies never;
  }
}

/**
 * A client can only show terminals that it created itself, so terminals and chats of the host appear by name.
 */
function contentBlock(content: Exclude<Content, { readonly type: 'edit' }>): ContentBlock {
  switch (content.type) {
    case 'text':
      return textBlock(content.text);
    case 'untracked':
      return textBlock(untrackedText(content));
    case 'image':
      return { type: 'image', data: content.data, mimeType: content.mediaType };
    case 'blob':
      return blobBlock(content);
    case 'terminal':
    case 'chat':
      return textBlock(content.title);
    case 'link':
      return linkBlock(content);
    case 'data':
      return textBlock(JSON.stringify(content.value, null, 2));
    default:
      return content satisfies never;
  }
}

function blobBlock({ mediaType, data }: Extract<Content, { readonly type: 'blob' }>): ContentBlock {
  return mediaType.startsWith('audio/')
    ? { type: 'audio', data, mimeType: mediaType }
    : { type: 'resource', resource: { uri: 'attachment:blob', blob: data, mimeType: mediaType } };
}

function linkBlock({
  uri,
  name,
  mediaType,
}: {
  readonly uri: string;
  readonly name?: string;
  readonly mediaType?: string;
}): ContentBlock {
  return { ...link(uri, name ?? baseName(uri)), ...(mediaType === undefined ? {} : { mimeType: mediaType }) };
}

function link(uri: string, name: string): Extract<ContentBlock, { readonly type: 'resource_link' }> {
  return { type: 'resource_link', uri, name };
}
