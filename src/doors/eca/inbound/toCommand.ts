// Translates what an ECA client sends into messages and answers of the model. Pure.
import { present } from '../../../base/present.ts';
import { commandLabel } from '../../../host/settings/promptCommands.ts';
import type { Answer, Ask, AskOption, Attachment, UserMessage } from '../../../model/event.ts';
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
    command === undefined ? [] : [{ type: 'text', label: commandLabel, text: command }];
  const attachments = [...commandText, ...contexts.flatMap((context) => attachmentFrom(context, roots))];
  return { id, text: message.trim(), ...(attachments.length === 0 ? {} : { attachments }) };
}

/** True if the user attached contexts; the text of a command does not count. */
export function hasContexts({ attachments = [] }: UserMessage): boolean {
  return attachments.some((attachment) => attachment.type !== 'text' || attachment.label !== commandLabel);
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

type Approval = Extract<Ask, { readonly kind: 'approval' }>;

/**
 * "Remember" means this session. Where the agent does not offer that, picks the next narrower option first.
 */
export function approval({ options }: Approval, save: string | undefined): Answer {
  const effects: readonly AskOption['effect'][] =
    save === 'session'
      ? ['allow-session', 'allow', 'allow-always']
      : ['allow', 'allow-session', 'allow-always'];
  const option = pick(options, effects);
  return option
    ? { kind: 'option', option: option.id }
    : { kind: 'declined', reason: 'The agent offered no option to allow this.' };
}

/**
 * Without a reason the turn ends, because the agent has nothing to go on with. A subagent's turn goes on: its
 * user cannot send a message there.
 */
export function refusal(
  { options }: Approval,
  { reason, isSubagent }: { readonly reason: string | undefined; readonly isSubagent: boolean },
): Answer {
  const option = pick(options, ['deny', 'deny-always']);
  const why = reason === undefined || reason.trim() === '' ? {} : { reason };
  const stop = 'reason' in why || isSubagent ? {} : { stop: true as const };
  return option ? { kind: 'option', option: option.id, ...why, ...stop } : { kind: 'declined', ...why };
}

function pick(options: readonly AskOption[], effects: readonly AskOption['effect'][]): AskOption | undefined {
  return effects.flatMap((effect) => options.filter((option) => option.effect === effect))[0];
}

/**
 * True for an id that a client may choose for a chat.
 * `subagent-` is reserved for chats of tools, `$` for the host.
 */
export function isChatId(id: string): boolean {
  return chatId.test(id);
}

// oxlint-disable-next-line no-control-regex -- the expression refuses control characters
const chatId = /^(?!subagent-)(?!\$)[^\s\u0000-\u001f\u007f]{1,256}$/u;

/** The path of a file URI; a plain path is returned as it is, any other URI has none. */
export function pathOf(uri: string): string | undefined {
  if (!uri.includes('://')) return uri === '' ? undefined : uri;
  const rest = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(uri)?.[1];
  if (rest === undefined) return undefined;
  const path = decode(rest);
  const drive = /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
  return drive.length > 1 && drive.endsWith('/') && !drive.endsWith(':/') ? drive.slice(0, -1) : drive;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
