// A chat as browsers of the remote API load it: the messages in the form of model requests, with
// display details. Pure.
import type { UserMessage } from '../../../model/event.ts';
import type { Chat, EndedTurn, Item, State, ToolItem, Turn } from '../../../model/state.ts';
import type { ToolName } from '../../../protocols/eca/messages.ts';
import { contentId, flagsOf } from '../inbound/flags.ts';
import { askedCall, ecaToolName } from '../outbound/tools/toolCalls.ts';
import type { PageUnit } from '../inbound/pages.ts';
import { isAutomatic } from '../outbound/replay.ts';
import { argumentsOf, detailsOf, outputsOf } from '../outbound/tools/toolDetails.ts';

export interface StoredMessage {
  readonly role:
    | 'user'
    | 'assistant'
    | 'reason'
    | 'tool_call'
    | 'tool_call_output'
    | 'compact_marker'
    | 'flag'
    | 'server_tool_use'
    | 'server_tool_result'
    | 'image_generation_call';
  readonly content: unknown;
  readonly contentId?: string;
  readonly createdAt: number;
}

export interface PagedMessage extends PageUnit {
  readonly message: StoredMessage;
}

export function storedMessages(state: State, id: string): readonly PagedMessage[] {
  const chat = state.chats[id];
  if (!chat) return [];
  const all = flagsOf(state, id);
  const flags = (at: string, createdAt: number) =>
    all
      .filter((flag) => flag.at === at)
      .map((flag): PagedMessage => ({
        key: flag.id,
        message: { role: 'flag', content: { text: flag.text }, contentId: flag.id, createdAt },
      }));
  return [...chat.turns, ...(chat.active ? [chat.active] : [])].flatMap((turn: Turn | EndedTurn) => {
    const compacted = chat.compaction?.after === turn.id ? chat.compaction : undefined;
    const mark = (createdAt: number): PagedMessage => ({
      key: `${turn.id}/compacted`,
      marksCompaction: true,
      message: { role: 'compact_marker', content: { auto: isAutomatic(chat) }, createdAt },
    });
    return [
      written(chat, turn.message, turn.startedAt),
      ...flags(turn.message.id, turn.startedAt),
      ...turn.items.flatMap((item) => [
        ...itemMessages({ state, chat: id, turn }, item),
        ...flags(contentId(item), item.at),
        ...(compacted?.item === item.id ? [mark(item.at)] : []),
      ]),
      ...(compacted && compacted.item === undefined
        ? [mark('endedAt' in turn ? turn.endedAt : turn.startedAt)]
        : []),
    ];
  });
}

/** The calls that wait for the user, with their questions. */
export function pendingCalls(state: State, id: string): readonly PendingCall[] {
  const chat = state.chats[id];
  const tools = chat?.active?.items.filter((item) => item.type === 'tool') ?? [];
  const asks = Object.values(chat?.asks ?? {}).map(({ ask }) => ask);
  return tools.flatMap((tool) => {
    const ask = asks.find((open) => 'tool' in open && open.tool === tool.id);
    if (!ask) return [];
    return [
      {
        ...ecaToolName(tool),
        arguments: argumentsOf(tool),
        summary: tool.title,
        details: detailsOf({ state, chat: id, tool }),
        manualApproval: ask.kind === 'approval',
        ...(ask.kind === 'approval' ? askedCall({ state, chat: id, tool }) : {}),
        ...(ask.kind === 'question' ? { requestId: ask.id } : {}),
      },
    ];
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
  const message = (role: StoredMessage['role'], content: unknown): PagedMessage => ({
    key,
    message: { role, content, createdAt: item.at },
  });
  switch (item.type) {
    case 'message':
      return [written(state.chats[chat], item.message, item.at)];
    case 'text':
      return [
        item.channel === 'answer'
          ? message('assistant', [{ type: 'text', text: item.text }])
          : message('reason', { id: item.id, text: item.text }),
      ];
    case 'image':
      return [
        message('image_generation_call', { id: item.id, mediaType: item.mediaType, base64: item.data }),
      ];
    // Notices about waiting are over.
    case 'notice':
      return item.waits ? [] : [message('assistant', [{ type: 'text', text: item.text }])];
    case 'tool':
      return item.source === 'provider'
        ? serverToolMessages(item, key)
        : toolMessages({ state, chat, tool: item, key });
    case 'ask':
      return [];
    default:
      return item satisfies never;
  }
}

function toolMessages({
  state,
  chat,
  tool,
  key,
}: {
  readonly state: State;
  readonly chat: string;
  readonly tool: ToolItem;
  readonly key: string;
}): readonly PagedMessage[] {
  const name = ecaToolName(tool);
  const look = {
    ...name,
    fullName: name.server === null ? name.name : `${name.server}__${name.name}`,
    summary: tool.title,
    details: detailsOf({ state, chat, tool }),
  };
  const call: PagedMessage = {
    key,
    message: { role: 'tool_call', content: { ...look, arguments: argumentsOf(tool) }, createdAt: tool.at },
  };
  if (tool.status !== 'ended') return [call];
  const refused = tool.result?.status === 'denied' ? [{ type: 'text', text: tool.result.reason }] : [];
  const error = tool.result?.status !== 'done';
  const output = { error, contents: [...refused, ...outputsOf(tool)] };
  const [began, ended] = [tool.runningAt ?? tool.at, tool.endedAt ?? tool.at];
  return [
    call,
    {
      key: `${key}/output`,
      message: {
        role: 'tool_call_output',
        content: { ...look, error, output, totalTimeMs: Math.max(0, ended - began) },
        createdAt: ended,
      },
    },
  ];
}

/** A tool call that the provider executed. */
function serverToolMessages(tool: ToolItem, key: string): readonly PagedMessage[] {
  const use: PagedMessage = {
    key,
    message: {
      role: 'server_tool_use',
      content: { ...ecaToolName(tool), summary: tool.title, input: argumentsOf(tool) },
      createdAt: tool.at,
    },
  };
  if (tool.status !== 'ended') return [use];
  const content = { toolUseId: tool.id, error: tool.result?.status !== 'done', contents: outputsOf(tool) };
  return [
    use,
    {
      key: `${key}/output`,
      message: { role: 'server_tool_result', content, createdAt: tool.endedAt ?? tool.at },
    },
  ];
}

/** What no user has written is a notice, and has the role of one. */
function written(chat: Chat | undefined, { id, text, from }: UserMessage, createdAt: number): PagedMessage {
  const isNotice = from !== undefined && chat?.origin.type !== 'tool';
  const content = [{ type: 'text', text }];
  return {
    key: id,
    message: isNotice
      ? { role: 'assistant', content, createdAt }
      : { role: 'user', content, contentId: id, createdAt },
  };
}
