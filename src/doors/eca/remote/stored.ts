// A chat as browsers of the remote API load it: the messages that a model would be sent, with what is needed to show them. Pure.
import type { Item, State, ToolItem, Turn } from '../../../model/state.ts';
import type { ToolName } from '../../../protocols/eca/messages.ts';
import { nameOf } from '../outboundTools.ts';
import type { Paged } from '../pages.ts';
import { argumentsOf, detailsOf, outputsOf } from '../toolDetails.ts';

export interface StoredMessage {
  readonly role: 'user' | 'assistant' | 'reason' | 'tool_call' | 'tool_call_output' | 'compact_marker' | 'server_tool_use' | 'server_tool_result' | 'image_generation_call';
  readonly content: unknown;
  readonly contentId?: string;
}

export interface PagedMessage extends Paged {
  readonly message: StoredMessage;
}

export function storedMessages(state: State, id: string): readonly PagedMessage[] {
  const chat = state.chats[id];
  if (!chat) return [];
  return [...chat.turns, ...(chat.active ? [chat.active] : [])].flatMap((turn) => [
    user(turn.message.id, turn.message.text),
    ...turn.items.flatMap((item) => itemMessages({ state, chat: id, turn }, item)),
    ...(chat.compaction?.after === turn.id ? [{ key: `${turn.id}/compacted`, marksCompaction: true as const, message: { role: 'compact_marker' as const, content: { auto: false } } }] : []),
  ]);
}

/** The calls that wait for somebody, with the question where they ask one. */
export function pendingCalls(state: State, id: string): readonly PendingCall[] {
  const chat = state.chats[id];
  const tools = chat?.active?.items.filter((item) => item.type === 'tool') ?? [];
  const asks = Object.values(chat?.asks ?? {}).map(({ ask }) => ask);
  return tools.flatMap((tool) => {
    const ask = asks.find((open) => 'tool' in open && open.tool === tool.id);
    if (!ask) return [];
    return [{ ...nameOf(tool), arguments: argumentsOf(tool), summary: tool.title, details: detailsOf({ state, chat: id, tool }), manualApproval: ask.kind === 'approval', ...(ask.kind === 'question' ? { requestId: ask.id } : {}) }];
  });
}

export interface PendingCall extends ToolName {
  readonly arguments: { readonly [name: string]: unknown };
  readonly summary: string;
  readonly details: ReturnType<typeof detailsOf>;
  readonly manualApproval: boolean;
  readonly requestId?: string;
}

interface Within {
  readonly state: State;
  readonly chat: string;
  readonly turn: Turn;
}

function itemMessages({ state, chat, turn }: Within, item: Item): readonly PagedMessage[] {
  const key = `${turn.id}/${item.id}`;
  switch (item.type) {
    case 'message': return [user(item.message.id, item.message.text)];
    case 'text': return [{ key, message: item.channel === 'answer' ? { role: 'assistant', content: [{ type: 'text', text: item.text }] } : { role: 'reason', content: { id: item.id, text: item.text } } }];
    case 'image': return [{ key, message: { role: 'image_generation_call', content: { id: item.id, mediaType: item.mediaType, base64: item.data } } }];
    case 'notice': return [{ key, message: { role: 'assistant', content: [{ type: 'text', text: item.text }] } }];
    case 'tool': return item.source === 'provider' ? serverToolMessages(item, key) : toolMessages({ state, chat, tool: item, key });
    case 'ask': return [];
    default: return item satisfies never;
  }
}

function toolMessages({ state, chat, tool, key }: { readonly state: State; readonly chat: string; readonly tool: ToolItem; readonly key: string }): readonly PagedMessage[] {
  const look = { ...nameOf(tool), summary: tool.title, details: detailsOf({ state, chat, tool }) };
  const call: PagedMessage = { key, message: { role: 'tool_call', content: { ...look, arguments: argumentsOf(tool) } } };
  if (tool.status !== 'ended') return [call];
  const refused = tool.result?.status === 'denied' ? [{ type: 'text', text: tool.result.reason }] : [];
  const contents = [...refused, ...outputsOf(tool)];
  const output = { error: tool.result?.status !== 'done', contents };
  return [call, { key: `${key}/output`, message: { role: 'tool_call_output', content: { ...look, output, totalTimeMs: (tool.endedAt ?? tool.at) - (tool.runningAt ?? tool.at) } } }];
}

/** What the provider of a model ran itself. */
function serverToolMessages(tool: ToolItem, key: string): readonly PagedMessage[] {
  const use: PagedMessage = { key, message: { role: 'server_tool_use', content: { ...nameOf(tool), summary: tool.title, input: argumentsOf(tool) } } };
  if (tool.status !== 'ended') return [use];
  return [use, { key: `${key}/output`, message: { role: 'server_tool_result', content: { toolUseId: tool.id, error: tool.result?.status !== 'done', contents: outputsOf(tool) } } }];
}

function user(id: string, text: string): PagedMessage {
  return { key: id, message: { role: 'user', content: [{ type: 'text', text }], contentId: id } };
}
