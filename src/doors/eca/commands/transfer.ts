// The export format of chats: reads and writes it. Pure.
import * as z from 'zod';
import type { ImportedEvent } from '../../../host/session/session.ts';
import type { Event, Json, Origin, ToolResult } from '../../../model/event.ts';
import type { Item, State, ToolItem } from '../../../model/state.ts';

const items = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), channel: z.enum(['answer', 'reasoning']), text: z.string() }),
  z.object({ type: z.literal('image'), mediaType: z.string(), data: z.string() }),
  z.object({ type: z.literal('message'), id: z.string(), text: z.string() }),
  z.object({ type: z.literal('notice'), level: z.enum(['info', 'warning', 'error']), text: z.string() }),
  z.object({
    type: z.literal('tool'),
    name: z.string(),
    title: z.string(),
    status: z.enum(['done', 'failed', 'denied']),
    output: z.string(),
    input: z.json(),
    source: z.literal('provider').optional(),
    kind: z.enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'other']),
  }),
]);

const schema = z.object({
  parley: z.literal('chat'),
  version: z.literal(1),
  id: z.string(),
  title: z.string(),
  model: z.string().optional(),
  turns: z.array(
    z.object({
      id: z.string(),
      message: z.object({ id: z.string(), text: z.string() }),
      at: z.number(),
      endedAt: z.number(),
      items: z.array(items),
    }),
  ),
});

export type ExportedChat = z.output<typeof schema>;
type ExportedItem = ExportedChat['turns'][number]['items'][number];

export function exportedChat(state: State, chat: string, title: string): ExportedChat {
  const turns = (state.chats[chat]?.turns ?? []).map(({ id, message, startedAt, endedAt, items: done }) => ({
    id,
    message: { id: message.id, text: message.text },
    at: startedAt,
    endedAt,
    items: done.flatMap(itemOf),
  }));
  return {
    parley: 'chat',
    version: 1,
    id: chat,
    title,
    ...(state.model === undefined ? {} : { model: state.model }),
    turns,
  };
}

/** The chat in an exported text, or an error message. */
export function parseChat(text: string): ExportedChat | { readonly problem: string } {
  try {
    const read = schema.safeParse(JSON.parse(text));
    return read.success ? read.data : { problem: 'Not a chat exported by Parley.' };
  } catch {
    return { problem: 'Not valid JSON.' };
  }
}

export interface ChatImport {
  readonly id: string;
  readonly agent: string;
  readonly model: string | undefined;
  readonly roots: readonly string[];
  readonly by: Origin;
  readonly at: number;
}

export function pastFrom(
  { title, turns }: ExportedChat,
  { id: chat, agent, model, roots, by, at }: ChatImport,
): readonly ImportedEvent[] {
  const begin: readonly Event[] = [
    {
      kind: 'session.created',
      session: chat,
      agent,
      roots,
      ...(title === '' ? {} : { title }),
      ...(model === undefined ? {} : { model }),
    },
    { kind: 'chat.created', chat, origin: { type: 'user' } },
  ];
  const told = turns.flatMap((turn) => {
    const position = { chat, turn: turn.id };
    return [
      {
        at: turn.at,
        by,
        event: { kind: 'turn.started', ...position, message: turn.message, queued: false } as const,
      },
      ...turn.items
        .flatMap((item, index) => eventsOf(item, { ...position, id: `${turn.id}/${index + 1}` }))
        .map((event) => ({ at: turn.at, by, event })),
      {
        at: turn.endedAt,
        by,
        event: { kind: 'turn.ended', ...position, outcome: { kind: 'completed' } } as const,
      },
    ];
  });
  return [...begin.map((event) => ({ at, by, event })), ...told];
}

function itemOf(item: Item): readonly ExportedItem[] {
  switch (item.type) {
    case 'text':
      return [{ type: 'text', channel: item.channel, text: item.text }];
    case 'image':
      return [{ type: 'image', mediaType: item.mediaType, data: item.data }];
    case 'message':
      return [{ type: 'message', id: item.message.id, text: item.message.text }];
    case 'notice':
      return item.waits ? [] : [{ type: 'notice', level: item.level, text: item.text }];
    case 'ask':
      return [];
    case 'tool':
      return [toolOf(item)];
    default:
      return item satisfies never;
  }
}

function toolOf(item: ToolItem): ExportedItem {
  const { name, title, toolKind: kind, input = {}, result, output, source } = item;
  const texts =
    result && 'content' in result
      ? result.content.flatMap((content) => (content.type === 'text' ? [content.text] : []))
      : [];
  return {
    type: 'tool',
    name,
    title,
    kind,
    input: plain(input),
    status: result?.status === 'done' || result?.status === 'denied' ? result.status : 'failed',
    output: texts.length > 0 ? texts.join('\n') : output,
    ...(source === 'provider' ? { source } : {}),
  };
}

/** A mutable copy of the value, as the type of the schema demands. */
function plain(value: Json): z.output<ReturnType<typeof z.json>> {
  return z.json().parse(value);
}

function eventsOf(
  item: ExportedItem,
  { id, ...position }: { readonly id: string; readonly chat: string; readonly turn: string },
): readonly Event[] {
  switch (item.type) {
    case 'text':
      return [{ kind: 'text.added', ...position, item: id, channel: item.channel, text: item.text }];
    case 'image':
      return [{ kind: 'image.added', ...position, item: id, mediaType: item.mediaType, data: item.data }];
    case 'message':
      return [{ kind: 'message.steered', ...position, message: { id: item.id, text: item.text } }];
    case 'notice':
      return [{ kind: 'notice.added', ...position, level: item.level, text: item.text }];
    case 'tool': {
      const { name, title, kind: toolKind, input, source = 'native' } = item;
      return [
        { kind: 'tool.started', ...position, tool: id, name, title, toolKind, source },
        { kind: 'tool.ready', ...position, tool: id, input, title, toolKind },
        ...(item.status === 'denied'
          ? []
          : [{ kind: 'tool.running', ...position, tool: id, basis: { how: 'agent' } } as const]),
        { kind: 'tool.ended', ...position, tool: id, result: resultOf(item) },
      ];
    }
    default:
      return item satisfies never;
  }
}

function resultOf({ status, output }: Extract<ExportedItem, { type: 'tool' }>): ToolResult {
  const content = [{ type: 'text', text: output }] as const;
  if (status === 'denied') return { status, reason: 'Denied by the user.' };
  return status === 'done' ? { status, content } : { status, content, error: output };
}
