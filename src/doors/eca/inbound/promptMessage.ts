// Converts an ECA prompt to a user message. Pure.
import { present } from '../../../base/present.ts';
import { commandLabel } from '../../../host/settings/promptCommands.ts';
import type { Attachment, UserMessage } from '../../../model/event.ts';
import type { Context, RequestParams } from '../../../protocols/eca/schema.ts';

export interface MessageFacts {
  readonly id: string;
  /** The folders that a `repoMap` context stands for. */
  readonly roots?: readonly string[];
  /** The text of the command that the message names. */
  readonly command?: string | undefined;
}

export function messageFrom(
  { message, contexts }: Pick<RequestParams<'chat/prompt'>, 'message' | 'contexts'>,
  { id, roots = [], command }: MessageFacts,
): UserMessage {
  const commandText: readonly Attachment[] =
    command === undefined ? [] : [{ type: 'text', label: commandLabel, text: command, isCommand: true }];
  const attachments = [...commandText, ...contexts.flatMap((context) => attachmentFrom(context, roots))];
  return { id, text: message.trim(), ...(attachments.length === 0 ? {} : { attachments }) };
}

/** True if the user attached contexts; the text of a command does not count. */
export function hasContexts({ attachments = [] }: UserMessage): boolean {
  return attachments.some((attachment) => attachment.type !== 'text' || !attachment.isCommand);
}

/** Leaves out unknown kinds of context. */
function attachmentFrom(context: Context, roots: readonly string[]): readonly Attachment[] {
  switch (context?.type) {
    case undefined:
      return [];
    case 'file':
      return [{ type: 'file', path: context.path, ...present({ lines: context.linesRange }) }];
    case 'repoMap':
      return roots.map((path) => ({ type: 'directory', path }));
    case 'directory':
      return [{ type: 'directory', path: context.path }];
    case 'cursor':
      return [
        {
          type: 'cursor',
          path: context.path,
          line: context.position.start.line,
          character: context.position.start.character,
        },
      ];
    case 'web':
      return [{ type: 'link', uri: context.url }];
    case 'image':
      return [{ type: 'image', mediaType: context.mediaType, data: context.base64 }];
    case 'text':
      return [{ type: 'text', label: context.label, text: context.content }];
    case 'mcpResource':
      return [
        {
          type: 'link',
          uri: context.uri,
          ...present({ name: context.name, mediaType: context.mimeType }),
        },
      ];
    default:
      return context satisfies never;
  }
}
