// Converts tool calls to the five states of ECA, live and in replay. Pure.
import { attributedTitle, howItRan } from '../../../../model/howItRan.ts';
import { isRecord } from '../../../../base/isRecord.ts';
import { present } from '../../../../base/present.ts';
import { visibleValue } from '../../../../base/visibleValue.ts';
import type { EventOf } from '../../../../model/event.ts';
import type { Step } from '../../../../host/session/session.ts';
import { findTool } from '../../../../model/state.ts';
import type { State, ToolItem } from '../../../../model/state.ts';
import type { Content, RejectReason, ToolName } from '../../../../protocols/eca/messages.ts';
import { chatPosition, say } from '../message.ts';
import type { ChatPosition, EcaMessage } from '../message.ts';
import { callingProgress, endsTurn, newProgress, progress } from '../progress.ts';
import { closeReasoning } from '../reasoning.ts';
import {
  argumentsOf,
  subagentChats,
  detailsOf,
  editOf,
  imagesOf,
  isTask,
  outputsOf,
  subagentDetails,
} from './toolDetails.ts';
import type { ToolCall } from './toolDetails.ts';
import { titleWithHiddenPart } from './hiddenPart.ts';

export function toolStarted(step: Step, { chat, tool }: EventOf<'tool.started'>): readonly EcaMessage[] {
  const call = callOf(step.after, chat, tool);
  const turn = step.before.chats[chat]?.active;
  if (!call || !turn) return [];
  const position = chatPosition(step.after, chat);
  const origin = step.after.chats[chat]?.origin;
  const above = origin?.type === 'tool' ? toolStartedChat(step, origin.chat, origin.tool) : [];
  return [...newProgress(step, position), ...closeReasoning(step, position), prepare(call, ''), ...above];
}

export function toolInput(step: Step, { chat, tool, text }: EventOf<'tool.input'>): readonly EcaMessage[] {
  const call = callOf(step.after, chat, tool);
  return call && text !== '' ? [prepare(call, text)] : [];
}

/**
 * A call whose details have changed is sent again in its current state. Only external agents let a ready call
 * wait; the native agent runs it or asks immediately, and that message shows the details.
 */
export function toolKnown(
  step: Step,
  { chat, tool }: EventOf<'tool.ready'> | EventOf<'tool.output'>,
): readonly EcaMessage[] {
  const before = callOf(step.before, chat, tool);
  const call = callOf(step.after, chat, tool);
  if (!before || !call || !looksDifferent(before, call)) return [];
  if (call.tool.status === 'running') return [running(call)];
  if (call.tool.status === 'asking') return [run(call, 'asks')];
  return call.tool.source === 'agent' ? [prepare(call, '')] : [];
}

export function toolRunning(step: Step, { chat, tool }: EventOf<'tool.running'>): readonly EcaMessage[] {
  const before = findTool(step.before.chats[chat]?.active, tool);
  const call = callOf(step.after, chat, tool);
  if (!before || !call) return [];
  return [
    ...(wasRun(before) ? [] : [run(call, 'allowed')]),
    running(call),
    ...progress(step.after, chatPosition(step.after, chat)),
  ];
}

export function toolEnded(step: Step, { chat, tool }: EventOf<'tool.ended'>): readonly EcaMessage[] {
  const before = findTool(step.before.chats[chat]?.active, tool);
  const call = callOf(step.after, chat, tool);
  if (!before || !call) return [];
  const position = chatPosition(step.after, chat);
  return [
    ...(wasRun(before) ? [] : [run(call, 'allowed')]),
    ...(ran(call.tool) && !before.runningAt ? [running(call), callingProgress(position)] : []),
    ...end(call),
    ...progressAfter(step, position, call.tool),
  ];
}

/**
 * A denial by a rule does not change what the chat is doing; a denial that ends the turn is
 * followed by that end.
 */
function progressAfter(step: Step, position: ChatPosition, tool: ToolItem): readonly EcaMessage[] {
  if (tool.result?.status !== 'denied') return progress(step.after, position);
  if (!tool.approval) return newProgress(step, position);
  return endsTurn(tool) ? [] : progress(step.after, position);
}

export function toolAsked(step: Step, chat: string, tool: string): readonly EcaMessage[] {
  const call = callOf(step.after, chat, tool);
  return call ? [run(call, 'asks'), ...progress(step.after, chatPosition(step.after, chat))] : [];
}

/**
 * A tool that started a chat is sent again with every step of the chat, so that clients
 * show the chat inside it.
 */
export function toolStartedChat({ before, after }: Step, chat: string, tool: string): readonly EcaMessage[] {
  const [old, call] = [callOf(before, chat, tool), callOf(after, chat, tool)];
  return call?.tool.status === 'running' &&
    JSON.stringify(old && subagentDetails(old)) !== JSON.stringify(subagentDetails(call))
    ? [running(call)]
    : [];
}

/** Calls that are still open when the turn ends are rejected. */
export function rejectOpen(step: Step, chat: string): readonly EcaMessage[] {
  const open =
    step.before.chats[chat]?.active?.items.filter(
      (item) => item.type === 'tool' && item.status !== 'ended',
    ) ?? [];
  const items = step.after.chats[chat]?.turns.at(-1)?.items ?? [];
  const ended = items.filter((item) => item.type === 'tool' && open.some(({ id }) => id === item.id));
  return ended.flatMap((tool) => (tool.type === 'tool' ? [rejected({ state: step.after, chat, tool })] : []));
}

/** A tool call in a replay: prepared, started, running with its chats, and its end. */
export function replayTool(
  call: ToolCall,
  nested: (chat: string) => readonly EcaMessage[],
): readonly EcaMessage[] {
  const { tool } = call;
  const hasRun =
    wasRun(tool) ||
    (tool.result !== undefined && 'content' in tool.result) ||
    tool.result?.status === 'denied';
  return [
    prepare(call, hasRun ? '' : tool.inputText),
    ...(hasRun ? [run(call, tool.status === 'asking' ? 'asks' : 'decided')] : []),
    ...(tool.status !== 'asking' && ran(tool) ? [running(call)] : []),
    ...subagentChats(call).flatMap(nested),
    ...(tool.status === 'ended' ? end(call) : []),
  ];
}

function callOf(state: State, chat: string, id: string): ToolCall | undefined {
  const tool = findTool(state.chats[chat]?.active, id);
  return tool && { state, chat, tool };
}

/** True once clients know the call as ready to run or as waiting for approval. */
function wasRun(tool: ToolItem): boolean {
  return tool.status === 'asking' || tool.approval !== undefined || tool.runningAt !== undefined;
}

function ran(tool: ToolItem): boolean {
  return tool.runningAt !== undefined || (tool.result !== undefined && 'content' in tool.result);
}

function looksDifferent(before: ToolCall, now: ToolCall): boolean {
  const [old, tool] = [before.tool, now.tool];
  return (
    old.title !== tool.title ||
    old.input !== tool.input ||
    editOf(old) !== editOf(tool) ||
    JSON.stringify(subagentDetails(before)) !== JSON.stringify(subagentDetails(now))
  );
}

function prepare(call: ToolCall, argumentsText: string): EcaMessage {
  return show(call, { type: 'toolCallPrepare', ...ecaToolName(call.tool), argumentsText, ...look(call) });
}

/** Whether an approval was needed is sent live only, not in a replay. */
function run(call: ToolCall, how: 'asks' | 'allowed' | 'decided'): EcaMessage {
  return show(call, {
    type: 'toolCallRun',
    ...ecaToolName(call.tool),
    ...(how === 'decided' ? {} : { manualApproval: how === 'asks' }),
    arguments: argumentsOf(call.tool),
    ...look(call),
    ...(how === 'asks' ? askedCall(call) : {}),
  });
}

/** The arguments and the title of a call that waits for approval: nothing in them is unseen. */
export function askedCall(call: ToolCall): {
  readonly arguments: { readonly [name: string]: unknown };
  readonly summary?: string;
} {
  return {
    arguments: visibleArguments(argumentsOf(call.tool)),
    ...present({ summary: askedSummary(call) }),
  };
}

function visibleArguments(shown: { readonly [name: string]: unknown }): { readonly [name: string]: unknown } {
  const visible = visibleValue(shown);
  return isRecord(visible) ? visible : {};
}

/**
 * What is asked about a call. Clients show the command or the change of our own tools, but not why we ask,
 * nor before a click how much of a command its title leaves out. Of other calls the question says more than
 * the title: the whole path, the whole command of an agent, and of a server where it runs and what it says
 * of its tool.
 */
function askedSummary(call: ToolCall): string | undefined {
  const { state, chat, tool } = call;
  const asks = Object.values(state.chats[chat]?.asks ?? {}).map(({ ask }) => ask);
  const [ask] = asks.flatMap((each) => (each.kind === 'approval' && each.tool === tool.id ? [each] : []));
  const { summary, details } = look(call);
  if (!ask || tool.source !== 'native' || !details) return ask?.title;
  if (summary === undefined) return undefined;
  const { command } = argumentsOf(tool);
  const title = typeof command === 'string' ? titleWithHiddenPart(summary, command) : summary;
  return ask.reason === undefined ? title : `${title} (${ask.reason})`;
}

function running(call: ToolCall): EcaMessage {
  return show(call, {
    type: 'toolCallRunning',
    ...ecaToolName(call.tool),
    arguments: argumentsOf(call.tool),
    ...look(call),
    ...sandboxMeta(call.tool),
  });
}

function end(call: ToolCall): readonly EcaMessage[] {
  const { tool } = call;
  if (!tool.result || !('content' in tool.result)) return [rejected(call)];
  const outputs = outputsOf(tool);
  const called: Content = {
    type: 'toolCalled',
    ...ecaToolName(tool),
    arguments: argumentsOf(tool),
    error: errorOf(tool),
    outputs,
    totalTimeMs: (tool.endedAt ?? tool.at) - (tool.runningAt ?? tool.at),
    ...look(call),
    ...sandboxMeta(tool),
  };
  const images = imagesOf(tool).map((image) =>
    show(call, { type: 'image', mediaType: image.mediaType, base64: image.data }),
  );
  return [show(call, called), ...images];
}

/** How a call that the sandbox concerns ran. */
function sandboxMeta(tool: ToolItem): { readonly _meta?: { readonly [name: string]: unknown } } {
  const sandbox = howItRan(tool);
  return sandbox ? { _meta: { sandbox } } : {};
}

/** MCP servers report only failures. */
function errorOf({ source, result }: ToolItem): boolean | null {
  return result?.status === 'failed' || (source === 'mcp' ? null : false);
}

function rejected(call: ToolCall): EcaMessage {
  return show(call, {
    type: 'toolCallRejected',
    ...ecaToolName(call.tool),
    arguments: argumentsOf(call.tool),
    reason: reasonOf(call.tool),
    ...look(call),
  });
}

function reasonOf({ result }: ToolItem): RejectReason {
  if (result?.status !== 'denied') return 'userPromptStop';
  if (result.rule === undefined) return 'userChoiceDeny';
  return result.hook === undefined ? 'userConfigDeny' : 'hookRejected';
}

/** Clients treat tools of the server `eca` as built-in, so external tools must not use that name. */
export function ecaToolName({ id, name, source, server }: ToolItem): ToolName {
  switch (source) {
    case 'native':
      return { id, name, server: 'eca', origin: 'native' };
    // In the log the tool name has the server name as prefix, as the model calls it.
    case 'mcp':
      return {
        id,
        name: name.slice(name.indexOf('__') < 0 ? 0 : name.indexOf('__') + 2),
        server: server ?? 'mcp',
        origin: 'mcp',
      };
    case 'agent':
      return { id, name, server: server ?? 'agent', origin: 'server' };
    case 'provider':
      return { id, name, server: 'llm', origin: 'server' };
    case 'client':
      return { id, name, server: server ?? 'client', origin: 'server' };
    case 'nobody':
      return { id, name, server: null, origin: 'unknown' };
    default:
      return source satisfies never;
  }
}

function look(call: ToolCall): {
  readonly summary?: string;
  readonly details?: NonNullable<ReturnType<typeof detailsOf>>;
} {
  const details = detailsOf(call);
  // The task tool shows its list, and an unknown tool has only a name.
  return {
    ...(isTask(call.tool) || call.tool.source === 'nobody' ? {} : { summary: summaryOf(call.tool, details) }),
    ...(details ? { details } : {}),
  };
}

/**
 * Clients recognise a compaction by this text, and append the name of a changed file to
 * the summary themselves.
 */
function summaryOf(tool: ToolItem, details: ReturnType<typeof detailsOf>): string {
  const { name, source } = tool;
  const title = attributedTitle(tool);
  if (source !== 'native') return title;
  if (name === 'compact_chat') return 'Compacting...';
  const short = details?.type === 'fileChange' ? fileChangeSummaries[name]?.(tool) : undefined;
  return short === undefined ? title : attributedTitle(tool, short);
}

const fileChangeSummaries: { readonly [name: string]: ((tool: ToolItem) => string) | undefined } = {
  edit_file: () => 'Editing',
  write_file: (tool) => (editOf(tool)?.before === null ? 'Creating' : 'Overwriting'),
  preview_file_change: () => 'Previewing change',
};

function show({ state, chat }: ToolCall, content: Content): EcaMessage {
  return say(chatPosition(state, chat), 'assistant', content);
}
