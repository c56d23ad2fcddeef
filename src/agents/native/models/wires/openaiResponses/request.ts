// Serialises requests of OpenAI's Responses API. OpenAI stores nothing, so reasoning is sent back encrypted.
import type {
  FunctionTool,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseInputText,
  ResponseReasoningItem,
  Tool,
} from 'openai/resources/responses/responses';
import type { AssistantPart, ModelRequest, ToolSpec, UserPart } from '../../../model.ts';
import { conversation } from '../shared/conversation.ts';
import type { SentMessage, SentPart } from '../shared/conversation.ts';
import { endpointUrl, headersOf } from '../shared/envelope.ts';
import { argumentsText } from '../shared/callArguments.ts';
import { effortOf, isReasoningModel, retentionOf } from '../shared/openaiModels.ts';
import { unsealRaw } from '../shared/seal.ts';
import type { ModelConnection, Wire } from '../wire.ts';
import { refusals, ResponsesReader } from './response.ts';

export const openaiResponses: Wire = {
  write: (request, connection) => ({
    url: endpointUrl(`${connection.address.url}/responses`, connection),
    headers: headersOf({ authorization: `Bearer ${connection.credentials.key ?? 'none'}` }, connection),
    body: bodyOf(request, connection),
  }),
  framing: 'events',
  reader: () => new ResponsesReader(),
  refusals,
};

/** The vendor's types require fields that its API does not need. */
type Body = Omit<ResponseCreateParamsStreaming, 'input' | 'tools'> & {
  readonly input: readonly InputItem[];
  readonly tools?: readonly (Tool | FunctionOffer)[];
};

type FunctionOffer = Omit<FunctionTool, 'strict'>;

type InputItem =
  | Exclude<ResponseInputItem, { type: 'reasoning' }>
  | (Omit<ResponseReasoningItem, 'id'> & { readonly id?: string })
  | { readonly role: 'user'; readonly content: readonly (ResponseInputText | InputImage)[] }
  | AssistantMessage;

interface InputImage {
  readonly type: 'input_image';
  readonly image_url: string;
}

interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly { readonly type: 'output_text'; readonly text: string }[];
  readonly id?: string;
  readonly phase?: string;
}

function bodyOf(request: ModelRequest, connection: ModelConnection): Body {
  const { system, variant, chat, serves = [], tools } = request;
  const { model } = connection;
  const reasons = isReasoningModel(model);
  const effort = effortOf(model, variant);
  const include: NonNullable<Body['include']> = [
    ...(reasons ? (['reasoning.encrypted_content'] as const) : []),
    ...(serves.includes('web_search') ? (['web_search_call.action.sources'] as const) : []),
  ];
  const offered = [...tools.map(toolOf), ...serves.map((each) => servedTool(each, connection))];
  return {
    model,
    input: inputOf(request, connection),
    store: false,
    instructions: system,
    ...(include.length === 0 ? {} : { include }),
    ...(chat === undefined ? {} : { prompt_cache_key: chat }),
    ...retentionOf(connection),
    ...(reasons ? { reasoning: { ...(effort === undefined ? {} : { effort }), summary: 'auto' } } : {}),
    ...(offered.length === 0 ? {} : { tools: offered }),
    stream: true,
  };
}

function toolOf({ name, description, parameters }: ToolSpec): FunctionOffer {
  return {
    type: 'function',
    name,
    description,
    // Tool servers write schemas as they like; the vendor judges them.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    parameters: parameters as unknown as FunctionTool['parameters'],
  };
}

function servedTool(tool: NonNullable<ModelRequest['serves']>[number], { provider }: ModelConnection): Tool {
  if (tool === 'image_generation') return { type: 'image_generation' };
  return { type: provider === 'azure' ? 'web_search_preview' : 'web_search' };
}

function inputOf(request: ModelRequest, connection: ModelConnection): readonly InputItem[] {
  const { serves = [] } = request;
  const blocks = (part: AssistantPart) => ownItems(part, connection, serves.includes('image_generation'));
  const reasons = isReasoningModel(connection.model);
  return conversation(request, connection, { reasoning: 'sealed', blocks }).flatMap((message) =>
    itemsOf(message, reasons),
  );
}

/** Searches are sent back as items, and so are images while image generation is enabled. */
function ownItems(
  part: AssistantPart,
  { provider }: ModelConnection,
  draws: boolean,
): readonly object[] | undefined {
  if (part.type === 'served') return unsealRaw(provider, part.meta, 'openai');
  if (part.type !== 'image' || !draws) return undefined;
  return unsealRaw(provider, part.meta, 'openai')?.map((item) => ({ ...item, result: part.data }));
}

function itemsOf(message: SentMessage, reasons: boolean): readonly InputItem[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.content.map(userContent) }];
    case 'assistant':
      return new AssistantItems(reasons).of(message.content);
    case 'tool':
      return message.results.map(({ id, text }) => ({
        type: 'function_call_output',
        call_id: id,
        output: text,
      }));
    default:
      return message satisfies never;
  }
}

function userContent(part: UserPart): ResponseInputText | InputImage {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  return { type: 'input_image', image_url: `data:${part.mediaType};base64,${part.data}` };
}

/** The items of one answer. Summaries with the same id are one reasoning item. */
class AssistantItems {
  readonly #items: InputItem[] = [];
  readonly #reasoning = new Map<string, Omit<ResponseReasoningItem, 'id'>>();
  /** A reasoning model accepts the id of a message only after its reasoning item. */
  #takesIds: boolean;

  constructor(reasons: boolean) {
    this.#takesIds = !reasons;
  }

  of(content: readonly SentPart[]): readonly InputItem[] {
    for (const part of content) this.#add(part);
    return this.#items;
  }

  #add(part: SentPart): void {
    switch (part.type) {
      case 'text':
        return this.#text(part.text, part.seal?.['openai'] ?? {});
      case 'reasoning':
        return this.#reason(part.text, part.seal?.['openai'] ?? {});
      case 'call': {
        const { id, name, input } = part;
        this.#items.push({ type: 'function_call', call_id: id, name, arguments: argumentsText(input) });
        return;
      }
      case 'blocks':
        // The vendor sent these items, and gets them back.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        this.#items.push(...(part.blocks as unknown as InputItem[]));
        return;
      default:
        return part satisfies never;
    }
  }

  #text(text: string, { itemId, phase }: { readonly [name: string]: string }): void {
    this.#items.push({
      role: 'assistant',
      content: [{ type: 'output_text', text }],
      ...(this.#takesIds && itemId !== undefined ? { id: itemId } : {}),
      ...(phase === undefined ? {} : { phase }),
    });
  }

  #reason(
    text: string,
    { itemId, reasoningEncryptedContent: encrypted }: { readonly [name: string]: string },
  ): void {
    this.#takesIds = true;
    const summary: ResponseReasoningItem['summary'] = text === '' ? [] : [{ type: 'summary_text', text }];
    const known = itemId === undefined ? undefined : this.#reasoning.get(itemId);
    if (known) {
      known.summary.push(...summary);
      if (encrypted !== undefined) known.encrypted_content = encrypted;
      return;
    }
    if (encrypted === undefined) return;
    const item = {
      type: 'reasoning',
      ...(itemId === undefined ? {} : { id: itemId }),
      encrypted_content: encrypted,
      summary,
    } as const;
    if (itemId !== undefined) this.#reasoning.set(itemId, item);
    this.#items.push(item);
  }
}
