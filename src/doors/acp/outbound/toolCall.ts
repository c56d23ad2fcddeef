// Tool calls and approvals of ours as ACP shows them; pure. Every member is a function of the tool's state, so replay and live agree.
import type { Ask, AskOption, Content, TurnId } from '../../../model/event.ts';
import type { ToolItem } from '../../../model/state.ts';
import type {
  PermissionOption,
  ToolCallContent,
  ToolCallUpdate,
} from '../../../protocols/acp/v1/messages.ts';
import { toolContent } from './content.ts';

/** Agents name calls and texts uniquely within a turn; ACP wants names that are unique within a session. */
export function uniqueId(turn: TurnId, id: string): string {
  return `${turn}:${id}`;
}

/** What is known of a call before it runs. */
export function describedCall(turn: TurnId, tool: ToolItem): ToolCallUpdate & { readonly title: string } {
  return {
    toolCallId: uniqueId(turn, tool.id),
    title: tool.title || tool.name,
    name: tool.name,
    kind: tool.toolKind,
    status: statusOf(tool),
    ...(tool.input === undefined ? {} : { rawInput: tool.input }),
    ...(tool.locations.length === 0 ? {} : { locations: tool.locations }),
    ...optionalContent(contentOf(tool)),
  };
}

/** ACP v1 has no word for a call that was cancelled or refused: both have failed. */
export function statusOf(tool: ToolItem): NonNullable<ToolCallUpdate['status']> {
  if (tool.status === 'running') return 'in_progress';
  if (tool.status !== 'ended') return 'pending';
  return tool.result?.status === 'done' ? 'completed' : 'failed';
}

export function contentOf(tool: ToolItem): readonly ToolCallContent[] {
  const shown = resultOf(tool);
  // A chat is told of when it begins.
  const preview = shown.some(({ type }) => type === 'edit')
    ? []
    : tool.preview.filter(({ type }) => type !== 'chat');
  return [...preview, ...shown].map(toolContent);
}

export function permissionOptions(
  ask: Extract<Ask, { readonly kind: 'approval' }>,
): readonly PermissionOption[] {
  return ask.options.map(({ id, label, effect }) => ({
    optionId: id,
    name: label,
    kind: optionKinds[effect],
  }));
}

const optionKinds: Record<AskOption['effect'], PermissionOption['kind']> = {
  allow: 'allow_once',
  'allow-session': 'allow_always',
  'allow-always': 'allow_always',
  deny: 'reject_once',
  'deny-always': 'reject_always',
};

function optionalContent(content: readonly ToolCallContent[]): {
  readonly content?: readonly ToolCallContent[];
} {
  return content.length === 0 ? {} : { content };
}

function resultOf(tool: ToolItem): readonly Content[] {
  const { result } = tool;
  const streamed = [...tool.content, ...(tool.output === '' ? [] : [text(tail(tool.output))])];
  switch (result?.status) {
    case 'done':
      return asPrinted(tool, result.content.length > 0 ? result.content : streamed);
    case 'failed':
      return [...asPrinted(tool, result.content.length > 0 ? result.content : streamed), text(result.error)];
    case 'denied':
      return [...asPrinted(tool, streamed), text(result.reason)];
    case 'cancelled':
    case 'interrupted':
    case undefined:
      return asPrinted(tool, streamed);
    default:
      return result satisfies never;
  }
}

/** Clients show text as Markdown, which would run the lines of a command's output together. External agents have seen to that themselves. */
function asPrinted(tool: ToolItem, contents: readonly Content[]): readonly Content[] {
  if (tool.toolKind !== 'execute' || tool.source === 'agent') return contents;
  return contents.map((content) => (content.type === 'text' ? text(fenced(content.text)) : content));
}

function fenced(words: string): string {
  const longest = Math.max(2, ...(words.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${words}${words.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** A list of contents can only be replaced as a whole, so each piece of output costs what is shown: never more than this. */
const shownOutput = 16_384;

function tail(output: string): string {
  if (output.length <= shownOutput) return output;
  const cut = output.slice(-shownOutput).replace(/^[\uDC00-\uDFFF]/, '');
  return `…${cut}`;
}

function text(words: string): Content {
  return { type: 'text', text: words };
}
