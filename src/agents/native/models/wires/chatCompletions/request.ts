// Serialises chat completions requests: one variant for OpenAI, one for the many compatible servers.
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsStreaming,
  ChatCompletionFunctionTool,
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions/completions';
import type { ModelRequest, ToolSpec, UserPart } from '../../../model.ts';
import { argumentsText } from '../shared/callArguments.ts';
import { conversation } from '../shared/conversation.ts';
import type { SentMessage, SentPart } from '../shared/conversation.ts';
import { endpointUrl, headersOf } from '../shared/envelope.ts';
import { effortOf, isReasoningModel, retentionOf } from '../shared/openaiModels.ts';
import type { ModelConnection, Wire } from '../wire.ts';
import { ChatReader, refusals } from './response.ts';

export const openaiChat: Wire = {
  write: (request, connection) => ({
    url: endpointUrl(`${connection.address.url}/chat/completions`, connection),
    headers: headersOf({ authorization: `Bearer ${connection.credentials.key ?? 'none'}` }, connection),
    body: openaiBody(request, connection),
  }),
  framing: 'events',
  reader: () => new ChatReader(),
  refusals,
};

/** Compatible servers send reasoning as plain text, some between tags; it is sent back within the turn. */
export const compatible: Wire = {
  write: (request, connection) => ({
    url: endpointUrl(`${connection.address.url}/chat/completions`, connection),
    headers: headersOf(
      connection.credentials.key === undefined
        ? {}
        : { authorization: `Bearer ${connection.credentials.key}` },
      connection,
    ),
    body: compatibleBody(request, connection),
  }),
  framing: 'events',
  reader: ({ conventions }) => new ChatReader(conventions.thinkTags),
  refusals,
};

function openaiBody(request: ModelRequest, connection: ModelConnection): ChatCompletionCreateParamsStreaming {
  const { system, variant, chat, serves = [], tools } = request;
  const { model } = connection;
  const effort = effortOf(model, variant);
  const role = isReasoningModel(model) ? 'developer' : 'system';
  const sent = conversation(request, connection, { reasoning: 'sealed' });
  return {
    model,
    store: false,
    ...(effort === undefined ? {} : { reasoning_effort: effort }),
    ...(chat === undefined ? {} : { prompt_cache_key: chat }),
    ...retentionOf(connection),
    messages: [{ role, content: system }, ...sent.flatMap((message) => messagesOf(message, plainAnswer))],
    ...toolsOf(tools),
    stream: true,
    stream_options: { include_usage: true },
    ...(serves.includes('web_search') ? { web_search_options: {} } : {}),
  };
}

/** Fields that only some of these servers support; OpenRouter introduced them. */
interface CompatibleBody extends Omit<
  ChatCompletionCreateParamsStreaming,
  'modalities' | 'reasoning_effort'
> {
  readonly reasoning_effort?: string;
  readonly plugins?: readonly { readonly id: 'web' }[];
  readonly modalities?: readonly ('image' | 'text')[];
}

function compatibleBody(request: ModelRequest, connection: ModelConnection): CompatibleBody {
  const { system, variant, serves = [], tools } = request;
  const { model, extra, conventions } = connection;
  const { requestsUsage } = conventions;
  // A server with a thinking switch refuses an effort when thinking is off.
  const isOff = variant === 'none' && 'thinking' in extra;
  const sent = conversation(request, connection, { reasoning: 'text' });
  return {
    model,
    ...(variant === undefined || isOff ? {} : { reasoning_effort: variant }),
    messages: [
      { role: 'system', content: system },
      ...sent.flatMap((message) => messagesOf(message, answerWithReasoning)),
    ],
    ...toolsOf(tools),
    stream: true,
    ...(requestsUsage ? { stream_options: { include_usage: true } } : {}),
    ...(serves.includes('web_search') ? { plugins: [{ id: 'web' }] } : {}),
    ...(serves.includes('image_generation') ? { modalities: ['image', 'text'] } : {}),
  };
}

function toolsOf(tools: readonly ToolSpec[]): { readonly tools?: ChatCompletionFunctionTool[] } {
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      type: 'function',
      // Tool servers write schemas as they like; the vendor judges them.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      function: { name, description, parameters: parameters as unknown as { [key: string]: unknown } },
    })),
  };
}

type WriteAnswer = (content: readonly SentPart[]) => ChatCompletionMessageParam;

function messagesOf(message: SentMessage, writeAnswer: WriteAnswer): ChatCompletionMessageParam[] {
  switch (message.role) {
    case 'user': {
      const [first, ...more] = message.content;
      const isText = first?.type === 'text' && more.length === 0;
      return [{ role: 'user', content: isText ? first.text : message.content.map(userContent) }];
    }
    case 'assistant':
      return [writeAnswer(message.content)];
    case 'tool':
      return message.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
    default:
      return message satisfies never;
  }
}

function userContent(part: UserPart): ChatCompletionContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
}

function plainAnswer(content: readonly SentPart[]): ChatCompletionAssistantMessageParam {
  return answerOf(content, callOf);
}

function answerOf(
  content: readonly SentPart[],
  writeCall: (call: SentCall) => ChatCompletionMessageFunctionToolCall,
): ChatCompletionAssistantMessageParam {
  const calls = content.filter(isCall).map(writeCall);
  const text = textOf(content, 'text');
  return {
    role: 'assistant',
    content: calls.length > 0 && text === '' ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/**
 * DeepSeek-like servers expect reasoning in its own field, and Google expects its signature with the call.
 */
function answerWithReasoning(content: readonly SentPart[]): ChatCompletionAssistantMessageParam & {
  readonly reasoning_content?: string;
} {
  const message = answerOf(content, signedCall);
  const reasoning = textOf(content, 'reasoning');
  return reasoning === '' ? message : { ...message, reasoning_content: reasoning };
}

function textOf(content: readonly SentPart[], type: 'text' | 'reasoning'): string {
  return content.reduce((text, part) => (part.type === type ? text + part.text : text), '');
}

function isCall(part: SentPart): part is SentCall {
  return part.type === 'call';
}

type SentCall = Extract<SentPart, { type: 'call' }>;

function callOf({ id, name, input }: SentCall): ChatCompletionMessageFunctionToolCall {
  return { id, type: 'function', function: { name, arguments: argumentsText(input) } };
}

function signedCall(call: SentCall): ChatCompletionMessageFunctionToolCall {
  const signature = call.seal?.['google']?.['thoughtSignature'];
  if (signature === undefined) return callOf(call);
  return { ...callOf(call), ...{ extra_content: { google: { thought_signature: signature } } } };
}
