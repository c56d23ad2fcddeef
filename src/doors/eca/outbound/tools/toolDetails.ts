// What ECA clients show about a tool call beyond its name: its arguments, its output, the edit or the
// command it makes. Pure.
import { memoPerObject } from '../../../../base/memo.ts';
import { isRecord } from '../../../../base/isRecord.ts';
import { untrackedText } from '../../../../model/edits.ts';
import type { Content, Json, PlanEntry } from '../../../../model/event.ts';
import type { State, ToolItem } from '../../../../model/state.ts';
import type {
  SubagentDetails,
  TaskDetails,
  ToolDetails,
  ToolOutput,
} from '../../../../protocols/eca/messages.ts';
import { nameOfRule } from '../../../../host/policy/ruleText.ts';
import { diffTexts } from '../../../../base/textDiff.ts';
import { shellCommands } from './shellCommands.ts';
import { tasks } from './taskList.ts';

/** A tool call in the chat it belongs to. */
export interface ToolCall {
  readonly state: State;
  readonly chat: string;
  readonly tool: ToolItem;
}

export function detailsOf(call: ToolCall): ToolDetails | undefined {
  return (
    editDetails(call.tool) ??
    taskDetails(call.tool) ??
    subagentDetails(call) ??
    commandDetails(call) ??
    jsonDetails(call.tool)
  );
}

/** Arguments are always an object on the wire; anything else is wrapped into one. */
export function argumentsOf({ input }: ToolItem): { readonly [name: string]: unknown } {
  if (input === undefined || input === null) return {};
  return isRecord(input) ? input : { input };
}

/** The text output of the call; images and edits are sent separately. */
export function outputsOf(tool: ToolItem): readonly ToolOutput[] {
  const { result } = tool;
  if (!result || !('content' in result)) return [];
  const given = result.content.length > 0 ? result.content : tool.content;
  const texts = [...given.flatMap(textOf), ...changedBy(tool, given)];
  const streamed = texts.length === 0 && tool.output !== '' ? [tool.output] : texts;
  const error = result.status === 'failed' && !streamed.includes(result.error) ? [result.error] : [];
  return [...error, ...streamed].map((text) => ({ type: 'text', text }));
}

/** The files that a command has changed; its card shows the line and has no room for their texts. */
function changedBy(tool: ToolItem, content: readonly Content[]): readonly string[] {
  const paths = content.flatMap((each) => (each.type === 'edit' ? [each.path] : []));
  if (!isCommand(tool) || paths.length === 0) return [];
  return [`Changed by the command, or by you meanwhile: ${paths.join(', ')}`];
}

function isCommand({ toolKind, source }: ToolItem): boolean {
  return toolKind === 'execute' && source === 'native';
}

export function imagesOf({ result }: ToolItem): readonly Extract<Content, { type: 'image' }>[] {
  return result && 'content' in result ? result.content.filter((content) => content.type === 'image') : [];
}

type Edit = Extract<Content, { type: 'edit' }>;

/** The edit of a call, preferably as done, else as announced. Clients show one edit. */
export function editOf(tool: ToolItem): Edit | undefined {
  const done = tool.result && 'content' in tool.result ? tool.result.content : [];
  return [...done, ...tool.content, ...tool.preview].find((content) => content.type === 'edit');
}

/** The chats that a tool call has started, in the order of their creation. */
export function subagentChats({ state, chat, tool }: ToolCall): readonly string[] {
  return state.order.filter((id) => {
    const origin = state.chats[id]?.origin;
    return origin?.type === 'tool' && origin.chat === chat && origin.tool === tool.id;
  });
}

/** The details about the chat that the call has started or will start. */
function chatIn({ result, content, preview }: ToolItem): Extract<Content, { type: 'chat' }> | undefined {
  return [...(result && 'content' in result ? result.content : []), ...content, ...preview].find(
    (each) => each.type === 'chat',
  );
}

function textOf(content: Content): readonly string[] {
  switch (content.type) {
    case 'text':
      return [content.text];
    case 'untracked':
      return [untrackedText(content)];
    case 'link':
      return [content.name === undefined ? content.uri : `${content.name}: ${content.uri}`];
    case 'blob':
      return [`[A file (${content.mediaType}).]`];
    case 'data':
      return [JSON.stringify(content.value, null, 2)];
    case 'chat':
    case 'image':
    case 'edit':
    case 'terminal':
      return [];
    default:
      return content satisfies never;
  }
}

/**
 * A move has none: the change of one file would look like a deletion. Clients then show the arguments, and of
 * a command the line.
 */
function editDetails(tool: ToolItem): ToolDetails | undefined {
  const edit = tool.toolKind === 'move' || isCommand(tool) ? undefined : editOf(tool);
  return edit && fileChange(edit);
}

/** Cached, because the same edit is sent when it is proposed, running and done. */
const compared = memoPerObject<Edit, ToolDetails>();

function fileChange(edit: Edit): ToolDetails {
  return compared(edit, () => {
    const { diff, added, removed } = diffTexts(edit.before, edit.after);
    return { type: 'fileChange', path: edit.path, diff, linesAdded: added, linesRemoved: removed };
  });
}

/** The task list after a call of the native task tool. */
function taskDetails(tool: ToolItem): TaskDetails | undefined {
  const entries = isTask(tool) ? taskListIn(tool) : undefined;
  return entries && tasks(entries);
}

export function isTask({ name, source }: ToolItem): boolean {
  return source === 'native' && name === 'task';
}

/** The task list in the result of a call of the task tool. */
export function taskListIn({ result }: ToolItem): readonly PlanEntry[] | undefined {
  const stored = result?.status === 'done' && isRecord(result.raw) ? result.raw['tasks'] : undefined;
  return Array.isArray(stored)
    ? stored.flatMap((entry: Json) => (isRecord(entry) ? [entryOf(entry)] : []))
    : undefined;
}

function entryOf({
  text,
  status,
  priority,
  id,
  description,
  blockedBy,
  doing,
}: {
  readonly [key: string]: Json;
}): PlanEntry {
  return {
    text: typeof text === 'string' ? text : '',
    status: status === 'active' || status === 'done' ? status : 'pending',
    priority: priority === 'high' || priority === 'low' ? priority : 'medium',
    ...(typeof id === 'number' ? { id } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof doing === 'string' ? { doing } : {}),
    ...(Array.isArray(blockedBy)
      ? { blockedBy: blockedBy.filter((other): other is number => typeof other === 'number') }
      : {}),
  };
}

export function subagentDetails(call: ToolCall): SubagentDetails | undefined {
  const [id] = subagentChats(call);
  const chat = id === undefined ? undefined : call.state.chats[id];
  if (!chat) return call.tool.status === 'ended' ? undefined : announcedSubagent(call);
  const turns = chat.active ? [...chat.turns, chat.active] : chat.turns;
  const step = turns.flatMap((turn) => turn.items).filter(({ type }) => type === 'tool').length + 1;
  const { variant, agent: requested } =
    isSpawn(call.tool) && isRecord(call.tool.input) ? call.tool.input : {};
  const fallback = typeof requested === 'string' ? requested : chat.title || call.state.agent;
  const { agent = fallback, maxSteps = null } = chatIn(call.tool) ?? {};
  return {
    type: 'subagent',
    subagentChatId: chat.id,
    model: turns.at(-1)?.message.model ?? call.state.model ?? null,
    agentName: agent,
    step,
    maxSteps,
    ...variantOf(variant),
  };
}

/** The agent and the title of a sub-agent's task, from the arguments of the call. */
function announcedSubagent({ state, tool }: ToolCall): SubagentDetails | undefined {
  const {
    agent,
    model = state.model ?? null,
    variant,
  } = isSpawn(tool) && isRecord(tool.input) ? tool.input : {};
  if (typeof agent !== 'string' || (typeof model !== 'string' && model !== null)) return undefined;
  const { chat = `subagent-${tool.id}`, maxSteps = null } = chatIn(tool) ?? {};
  return {
    type: 'subagent',
    subagentChatId: chat,
    model,
    agentName: agent,
    step: 1,
    maxSteps,
    ...variantOf(variant),
  };
}

function variantOf(variant: Json | undefined): { readonly variant?: string } {
  return typeof variant === 'string' ? { variant } : {};
}

export function isSpawn({ name, source }: ToolItem): boolean {
  return source === 'native' && name === 'spawn_agent';
}

function commandDetails({ tool: { name, toolKind, input, basis } }: ToolCall): ToolDetails | undefined {
  const { command, background } = isRecord(input) ? input : {};
  if (toolKind !== 'execute' || typeof command !== 'string') return undefined;
  // The rule that allowed the call is stored with it, so a replay does not depend on the current rules.
  const rules = basis?.how === 'rule' ? basis.rule.split('; ') : [];
  const isRemembered = (key: readonly string[]) =>
    rules.includes(nameOfRule({ effect: 'allow', tool: name, command: key }));
  return {
    type: 'shellCommand',
    commands: shellCommands(command, isRemembered),
    ...(background === undefined ? {} : { background: true }),
  };
}

/** Longer outputs are not split, because that would be slow. */
const maxJson = 200_000;

function jsonDetails(tool: ToolItem): ToolDetails | undefined {
  const jsons = outputsOf(tool).flatMap(({ text }) => prettyJson(text) ?? []);
  return jsons.length > 0 ? { type: 'jsonOutputs', jsons } : undefined;
}

function prettyJson(text: string): string | undefined {
  if (text.length > maxJson || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}
