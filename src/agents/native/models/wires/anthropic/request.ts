// Serialises requests of the Anthropic Messages API, with cache marks, signed reasoning and earlier searches.
import type {
  CacheControlEphemeral,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolUnion,
} from '@anthropic-ai/sdk/resources/messages';
import type { AssistantPart, ModelRequest, ToolSpec, UserPart } from '../../../model.ts';
import { budgets } from '../../providers/variants.ts';
import { callArguments } from '../shared/callArguments.ts';
import { conversation } from '../shared/conversation.ts';
import type { SentMessage, SentPart } from '../shared/conversation.ts';
import { endpointUrl, headersOf } from '../shared/envelope.ts';
import { thinkingOf } from '../shared/claudeThinking.ts';
import { unsealRaw } from '../shared/seal.ts';
import type { ModelConnection, Wire } from '../wire.ts';
import { quoteBlocks } from './quotes.ts';
import { AnthropicReader, refusals } from './response.ts';

export const anthropic: Wire = {
  write: (request, connection) => ({
    url: endpointUrl(`${connection.address.url}/messages`, connection),
    headers: headersOf(
      {
        'anthropic-version': '2023-06-01',
        'x-api-key': connection.credentials.key ?? 'none',
        // A proxy that compresses the stream would delay it.
        'accept-encoding': 'identity',
      },
      connection,
    ),
    body: bodyOf(request, connection),
  }),
  framing: 'events',
  reader: () => new AnthropicReader(),
  refusals,
};

function bodyOf(request: ModelRequest, connection: ModelConnection): MessageCreateParamsStreaming {
  const { system, tools, serves = [], variant } = request;
  const thinking = thinkingOf(connection.model, variant, budgets);
  const mark: CacheControlEphemeral = {
    type: 'ephemeral',
    ...(connection.conventions.cache === 'long' ? { ttl: '1h' } : {}),
  };
  const offered: ToolUnion[] = [...tools.map(toolOf), ...(serves.includes('web_search') ? [webSearch] : [])];
  return {
    model: connection.model,
    max_tokens: maxTokens(connection, thinking),
    ...thinking,
    system: [{ type: 'text', text: system, cache_control: mark }],
    messages: messagesOf(request, connection, mark),
    ...(offered.length === 0 ? {} : { tools: offered }),
    stream: true,
  };
}

/** `max_uses` limits the searches of one answer. */
const webSearch = { type: 'web_search_20250305', name: 'web_search', max_uses: 10 } as const;

function toolOf({ name, description, parameters }: ToolSpec): Tool {
  return {
    name,
    description,
    // Tool servers write schemas as they like; the vendor judges them.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    input_schema: parameters as unknown as Tool.InputSchema,
    eager_input_streaming: true,
  };
}

/** The longest answer of each model in tokens; the first matching row counts. */
const longest: readonly (readonly [model: RegExp, tokens: number])[] = [
  [/claude-(?:(?:opus|sonnet|haiku|fable)-5|opus-4-[678]|sonnet-4-6)/, 128_000],
  [/claude-(?:(?:sonnet|opus|haiku)-4-5|sonnet-4-)/, 64_000],
  [/claude-opus-4-/, 32_000],
  [/claude-3-haiku/, 4_096],
];

/** For models that are not in the table above and have no configured limit. */
function usualLength(model: string): number {
  return /claude-(?!instant|v?[23](?:[-.:]|$))/.test(model) ? 128_000 : 4_096;
}

/** Reasoning tokens count as part of the answer. */
function maxTokens(
  { model, limits: { output } }: ModelConnection,
  { thinking }: Pick<MessageCreateParamsStreaming, 'thinking'>,
): number {
  const limit = longest.find(([models]) => models.test(model))?.[1];
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : 0;
  return Math.min((output ?? limit ?? usualLength(model)) + budget, limit ?? Infinity);
}

/** Marks the two newest user messages, since the next request begins with the same text up to them. */
function messagesOf(
  request: ModelRequest,
  connection: ModelConnection,
  mark: CacheControlEphemeral,
): MessageParam[] {
  const { serves = [] } = request;
  const blocks = (part: AssistantPart) => ownBlocks(part, connection, serves.includes('web_search'));
  const sent = trimEnd(conversation(request, connection, { reasoning: 'sealed', blocks }));
  const marked = new Set(sent.flatMap(({ role }, at) => (role === 'assistant' ? [] : [at])).slice(-2));
  const messages: { readonly role: 'user' | 'assistant'; readonly content: ContentBlockParam[] }[] = [];
  for (const [at, message] of sent.entries()) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const content = contentOf(message, marked.has(at) ? mark : undefined);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content });
  }
  return messages.map(({ role, content }) => ({
    role,
    content: role === 'user' ? content : callsLast(content),
  }));
}

/**
 * Moves calls behind text, since the vendor refuses text after calls. Reasoning keeps its
 * place before its calls.
 */
function callsLast(content: readonly ContentBlockParam[]): ContentBlockParam[] {
  const ordered: ContentBlockParam[] = [];
  const calls: ContentBlockParam[] = [];
  for (const block of content) {
    if (block.type === 'tool_use') {
      calls.push(block);
      continue;
    }
    if (block.type === 'thinking' || block.type === 'redacted_thinking') ordered.push(...calls.splice(0));
    ordered.push(block);
  }
  return [...ordered, ...calls];
}

/** The vendor refuses a partial answer that ends with white space. */
function trimEnd(sent: readonly SentMessage[]): readonly SentMessage[] {
  const last = sent.at(-1);
  const end = last?.role === 'assistant' ? last.content.at(-1) : undefined;
  if (last?.role !== 'assistant' || end?.type !== 'text') return sent;
  const content = [...last.content.slice(0, -1), { ...end, text: end.text.trim() }];
  return [...sent.slice(0, -1), { role: 'assistant', content }];
}

/** Searches are sent back unchanged, and text with its citations while search is enabled. */
function ownBlocks(
  part: AssistantPart,
  { provider }: ModelConnection,
  searches: boolean,
): readonly object[] | undefined {
  if (part.type === 'served') return unsealRaw(provider, part.meta, 'anthropic');
  if (part.type !== 'text' || !searches) return undefined;
  const quotes = unsealRaw(provider, part.meta, 'anthropic');
  return quotes && quoteBlocks(part.text, quotes);
}

function contentOf(message: SentMessage, mark: CacheControlEphemeral | undefined): ContentBlockParam[] {
  const cached = (at: number, count: number) => (mark && at === count - 1 ? { cache_control: mark } : {});
  switch (message.role) {
    case 'user':
      return message.content.map((part, at) => ({
        ...userBlock(part),
        ...cached(at, message.content.length),
      }));
    case 'assistant':
      return message.content.flatMap(assistantBlocks);
    case 'tool':
      return message.results.map(({ id, failed, text }, at) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: text,
        ...(failed ? { is_error: true } : {}),
        ...cached(at, message.results.length),
      }));
    default:
      return message satisfies never;
  }
}

function userBlock(part: UserPart): Extract<ContentBlockParam, { type: 'text' | 'image' }> {
  if (part.type === 'text') return { type: 'text', text: part.text };
  // Clients name the type; the vendor judges it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const type = part.mediaType as 'image/png';
  return { type: 'image', source: { type: 'base64', media_type: type, data: part.data } };
}

function assistantBlocks(part: SentPart): ContentBlockParam[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text } satisfies TextBlockParam];
    case 'reasoning': {
      const { signature, redactedData } = part.seal?.['anthropic'] ?? {};
      if (signature !== undefined) return [{ type: 'thinking', thinking: part.text, signature }];
      return redactedData === undefined ? [] : [{ type: 'redacted_thinking', data: redactedData }];
    }
    case 'call':
      return [{ type: 'tool_use', id: part.id, name: part.name, input: callArguments(part.input) }];
    case 'blocks':
      // The vendor sent these blocks, and gets them back.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return part.blocks as unknown as ContentBlockParam[];
    default:
      return part satisfies never;
  }
}
