// Converts tool calls and approvals to ACP. Pure: the result depends on the tool's state only, so
// replay and live agree.
import { attributedTitle, howItRan } from '../../../model/howItRan.ts';
import type { Ask, AskOption, Content, TurnId } from '../../../model/event.ts';
import type { ToolItem } from '../../../model/state.ts';
import type {
  PermissionOption,
  ToolCallContent,
  ToolCallUpdate,
} from '../../../protocols/acp/v1/messages.ts';
import { visibleValue } from '../../../base/visibleValue.ts';
import { toolContent } from './content.ts';

/** Ids of calls and texts are unique within a turn; ACP needs ids that are unique within a session. */
export function uniqueId(turn: TurnId, id: string): string {
  return `${turn}:${id}`;
}

/** The fields of a call that are known before it runs. */
export function describedCall(turn: TurnId, tool: ToolItem): ToolCallUpdate & { readonly title: string } {
  return {
    toolCallId: uniqueId(turn, tool.id),
    title: attributedTitle(tool, tool.title || tool.name),
    name: tool.name,
    kind: tool.toolKind,
    status: statusOf(tool),
    ...(tool.input === undefined ? {} : { rawInput: visibleValue(tool.input) }),
    ...(tool.locations.length === 0 ? {} : { locations: tool.locations }),
    ...sandboxMeta(tool),
    ...optionalContent(toolCallContent(tool)),
  };
}

/** How a call that the sandbox concerns ran. */
export function sandboxMeta(tool: ToolItem): Pick<ToolCallUpdate, '_meta'> {
  const sandbox = howItRan(tool);
  return sandbox ? { _meta: { sandbox } } : {};
}

/** ACP v1 has no status for a cancelled or denied call: both count as failed. */
export function statusOf(tool: ToolItem): NonNullable<ToolCallUpdate['status']> {
  if (tool.status === 'running') return 'in_progress';
  if (tool.status !== 'ended') return 'pending';
  return tool.result?.status === 'done' ? 'completed' : 'failed';
}

export function toolCallContent(tool: ToolItem): readonly ToolCallContent[] {
  return shownContents(tool).map(toolContent);
}

export function shownContents(tool: ToolItem): readonly Content[] {
  const shown = resultOf(tool);
  // A chat is announced when it starts.
  const preview = shown.some(({ type }) => type === 'edit')
    ? []
    : tool.preview.filter(({ type }) => type !== 'chat');
  return [...preview, ...shown];
}

export function permissionOptions(
  ask: Extract<Ask, { readonly kind: 'approval' }>,
): readonly PermissionOption[] {
  return notAtTheEdge(ask.options).map(({ id, label, effect, rule }) => ({
    optionId: id,
    // Editors show nothing but the name.
    name: rule === undefined ? label : `${label}: ${rule}`,
    kind: optionKinds[effect],
  }));
}

/**
 * Some editors have one button for each kind, without our names, and it stands for the first or for the last
 * option of that kind. With three to remember, neither is the one that holds everywhere.
 */
function notAtTheEdge(options: readonly AskOption[]): readonly AskOption[] {
  const lasting = options.filter(({ effect }) => optionKinds[effect] === 'allow_always');
  const [narrower, widest] = lasting.slice(-2);
  if (lasting.length < 3 || !narrower || widest?.effect !== 'allow-always') return options;
  return options.flatMap((option) => {
    if (option === widest) return [];
    return option === narrower ? [widest, narrower] : [option];
  });
}

const optionKinds: Record<AskOption['effect'], PermissionOption['kind']> = {
  allow: 'allow_once',
  'allow-session': 'allow_always',
  'allow-folder': 'allow_always',
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
  const streamed = [...tool.content, ...(tool.output === '' ? [] : [textContent(tail(tool.output))])];
  switch (result?.status) {
    case 'done':
      return asPrinted(tool, result.content.length > 0 ? result.content : streamed);
    case 'failed':
      return [
        ...asPrinted(tool, result.content.length > 0 ? result.content : streamed),
        textContent(result.error),
      ];
    case 'denied':
      return [...asPrinted(tool, streamed), textContent(result.reason)];
    case 'cancelled':
    case 'interrupted':
    case undefined:
      return asPrinted(tool, streamed);
    default:
      return result satisfies never;
  }
}

/**
 * Clients render text as Markdown, which would join the lines of command output. External
 * agents fence it themselves.
 */
function asPrinted(tool: ToolItem, contents: readonly Content[]): readonly Content[] {
  if (tool.toolKind !== 'execute' || tool.source === 'agent') return contents;
  return contents.map((content) => (content.type === 'text' ? textContent(fenced(content.text)) : content));
}

function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

/**
 * The maximum length of shown output: a content list can only be replaced as a whole, so each
 * delta sends all of it.
 */
const shownOutput = 16_384;

export function tail(output: string): string {
  if (output.length <= shownOutput) return output;
  const cut = output.slice(-shownOutput).replace(/^[\uDC00-\uDFFF]/, '');
  return `…${cut}`;
}

function textContent(text: string): Content {
  return { type: 'text', text };
}
