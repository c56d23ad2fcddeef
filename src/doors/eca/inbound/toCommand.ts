// What an ECA client wishes, in the words of the model. Pure; knows no session and no connection.
import { commandLabel } from '../../../host/settings/promptCommands.ts';
import type { Answer, Ask, AskOption, Attachment, UserMessage } from '../../../model/event.ts';
import type { Context, RequestParams } from '../../../protocols/eca/schema.ts';

export interface MessageFacts {
  readonly id: string;
  /** What stands for the whole workspace. */
  readonly roots?: readonly string[];
  /** What the command means that the message is. */
  readonly command?: string | undefined;
}

export function messageFrom(
  { message, contexts }: Pick<RequestParams<'chat/prompt'>, 'message' | 'contexts'>,
  { id, roots = [], command }: MessageFacts,
): UserMessage {
  const meant: readonly Attachment[] =
    command === undefined ? [] : [{ type: 'text', label: commandLabel, text: command }];
  const attachments = [...meant, ...contexts.flatMap((context) => attachmentFrom(context, roots))];
  return { id, text: message.trim(), ...(attachments.length === 0 ? {} : { attachments }) };
}

/** Whether a message has contexts that somebody attached, rather than the text of a command. */
export function hasContexts({ attachments = [] }: UserMessage): boolean {
  return attachments.some((attachment) => attachment.type !== 'text' || attachment.label !== commandLabel);
}

/** Kinds of context that say nothing to us are left out. */
function attachmentFrom(context: Context, roots: readonly string[]): readonly Attachment[] {
  switch (context?.type) {
    case undefined:
      return [];
    case 'file':
      return [
        { type: 'file', path: context.path, ...(context.linesRange ? { lines: context.linesRange } : {}) },
      ];
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
          ...(context.name === undefined ? {} : { name: context.name }),
          ...(context.mimeType === undefined ? {} : { mediaType: context.mimeType }),
        },
      ];
    default:
      return context satisfies never;
  }
}

type Approval = Extract<Ask, { readonly kind: 'approval' }>;

/** "Remember" means this session. An agent that offers less gets what comes nearest, never more than was meant while there is a choice. */
export function approval({ options }: Approval, save: string | undefined): Answer {
  const wanted: readonly AskOption['effect'][] =
    save === 'session'
      ? ['allow-session', 'allow', 'allow-always']
      : ['allow', 'allow-session', 'allow-always'];
  const option = pick(options, wanted);
  return option
    ? { kind: 'option', option: option.id }
    : { kind: 'declined', reason: 'The agent offered no way to allow this.' };
}

/** Without a reason there is nothing an agent could go on with, so the turn ends there; inside another chat's tool nobody could say more. */
export function refusal(
  { options }: Approval,
  { reason, inside }: { readonly reason: string | undefined; readonly inside: boolean },
): Answer {
  const option = pick(options, ['deny', 'deny-always']);
  const why = reason === undefined || reason.trim() === '' ? {} : { reason };
  const stop = 'reason' in why || inside ? {} : { stop: true as const };
  return option ? { kind: 'option', option: option.id, ...why, ...stop } : { kind: 'declined', ...why };
}

function pick(options: readonly AskOption[], effects: readonly AskOption['effect'][]): AskOption | undefined {
  return effects.flatMap((effect) => options.filter((option) => option.effect === effect))[0];
}

/** A chat id a client may make up. The prefix is kept for chats that tools start, the sign for the host itself. */
export function isChatId(id: string): boolean {
  return chatId.test(id);
}

// oxlint-disable-next-line no-control-regex -- control characters are exactly what is refused
const chatId = /^(?!subagent-)(?!\$)[^\s\u0000-\u001f\u007f]{1,256}$/u;

/** The path of a file URI; a plain path is taken as it is, anything else is nowhere on this machine. */
export function pathOf(uri: string): string | undefined {
  if (!uri.includes('://')) return uri === '' ? undefined : uri;
  const rest = /^file:\/\/(?:localhost)?(\/.*)$/i.exec(uri)?.[1];
  if (rest === undefined) return undefined;
  const path = decode(rest);
  const drive = /^\/[A-Za-z]:/.test(path) ? path.slice(1) : path;
  return drive.length > 1 && drive.endsWith('/') && !drive.endsWith(':/') ? drive.slice(0, -1) : drive;
}

/** The URI of an absolute path. */
export function uriOf(path: string): string {
  const rooted = path.replaceAll('\\', '/').replace(/^(?!\/)/, '/');
  return `file://${rooted
    .split('/')
    .map((part) => encodeURIComponent(part).replace(/^([a-z])%3A$/i, '$1:'))
    .join('/')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
