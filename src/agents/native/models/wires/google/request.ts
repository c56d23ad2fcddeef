// Serialises requests of Google's generateContent API. Calls are sent back with their thought signature.
import type { AssistantPart, ModelRequest, ToolSpec, UserPart } from '../../../model.ts';
import type { Json } from '../../../../../model/event.ts';
import { budgets } from '../../providers/variants.ts';
import { callArguments } from '../shared/callArguments.ts';
import { conversation } from '../shared/conversation.ts';
import type { SentMessage, SentPart } from '../shared/conversation.ts';
import { endpointUrl, headersOf } from '../shared/envelope.ts';
import { unsealRaw } from '../shared/seal.ts';
import type { ModelConnection, Wire } from '../wire.ts';
import { GoogleReader, refusals } from './response.ts';
import { openApiSchema } from './schema.ts';

export const google: Wire = {
  write: (request, connection) => {
    const { address, model, credentials } = connection;
    const path = model.includes('/') ? model : `models/${model}`;
    return {
      url: endpointUrl(`${address.url}/${path}:streamGenerateContent?alt=sse`, connection),
      headers: headersOf({ 'x-goog-api-key': credentials.key ?? 'none' }, connection),
      body: bodyOf(request, connection),
    };
  },
  framing: 'events',
  reader: () => new GoogleReader(),
  refusals,
};

/** The REST format. The types of Google's own package use enumerations that differ from it. */
interface Body {
  readonly generationConfig: {
    readonly thinkingConfig?: ThinkingConfig;
    readonly responseModalities?: readonly string[];
  };
  readonly contents: readonly Content[];
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly tools?: readonly Tool[];
  readonly toolConfig?: { readonly includeServerSideToolInvocations: true };
}

interface ThinkingConfig {
  readonly thinkingBudget?: number;
  readonly includeThoughts: true;
  readonly thinkingLevel?: Level;
}

interface Content {
  readonly role: 'user' | 'model';
  readonly parts: readonly Part[];
}

interface Part {
  readonly text?: string;
  readonly thought?: true;
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
  readonly functionCall?: { readonly id: string; readonly name: string; readonly args: object };
  readonly functionResponse?: {
    readonly id: string;
    readonly name: string;
    readonly response: { readonly name: string; readonly content: string };
  };
  readonly thoughtSignature?: string;
}

type Tool =
  | { readonly functionDeclarations: readonly FunctionDeclaration[] }
  | { readonly googleSearch: object };

interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parameters?: object;
  readonly parametersJsonSchema?: Json;
}

function bodyOf(request: ModelRequest, connection: ModelConnection): Body {
  const { system, variant, serves = [] } = request;
  const { model } = connection;
  const thinkingConfig = thinkingOf(model, variant);
  const blocks = (part: AssistantPart) => ownParts(part, connection);
  const sent = conversation(request, connection, { reasoning: 'sealed', blocks });
  const contents = sent.map((message) => contentOf(message, model));
  const isGemma = /^gemma-/i.test(model);
  return {
    generationConfig: {
      ...(thinkingConfig ? { thinkingConfig } : {}),
      ...(serves.includes('image_generation') ? { responseModalities: ['TEXT', 'IMAGE'] } : {}),
    },
    contents: isGemma ? withSystem(contents, system) : contents,
    ...(isGemma ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...toolsOf(request, model),
  };
}

/** Gemma has no system instruction, so it precedes the user's first message. */
function withSystem([first, ...rest]: readonly Content[], system: string): readonly Content[] {
  if (!first) return [];
  return first.role === 'user'
    ? [{ ...first, parts: [{ text: `${system}\n\n` }, ...first.parts] }, ...rest]
    : [first, ...rest];
}

/** Older models support search or tools, not both. */
function toolsOf({ tools, serves = [] }: ModelRequest, model: string): Pick<Body, 'tools' | 'toolConfig'> {
  const search = serves.includes('web_search') ? [{ googleSearch: {} }] : [];
  if (tools.length === 0) return search.length === 0 ? {} : { tools: search };
  const own = { functionDeclarations: tools.map(declarationOf) };
  if (search.length === 0 || !newer.test(model)) return { tools: [own] };
  return { tools: [own, ...search], toolConfig: { includeServerSideToolInvocations: true } };
}

/** A schema that the OpenAPI subset cannot express is sent unchanged in the field for JSON Schema. */
function declarationOf({ name, description, parameters }: ToolSpec): FunctionDeclaration {
  const written = openApiSchema(parameters);
  if (written === 'inexpressible') return { name, description, parametersJsonSchema: parameters };
  return { name, description, ...(written ? { parameters: written } : {}) };
}

const newer = /gemini-(?:3|4|pro-latest|flash-latest)/;

const levels = ['minimal', 'low', 'medium', 'high'] as const;

type Level = (typeof levels)[number];

function thinkingOf(model: string, variant: string | undefined): ThinkingConfig | undefined {
  if (newer.test(model)) {
    const thinkingLevel = levels.find((level) => level === variant);
    return { includeThoughts: true, ...(thinkingLevel === undefined ? {} : { thinkingLevel }) };
  }
  if (!/gemini-2\.5/.test(model)) return undefined;
  const thinkingBudget = variant === undefined ? undefined : budgets[variant];
  return { ...(thinkingBudget === undefined ? {} : { thinkingBudget }), includeThoughts: true };
}

/** Provider-executed calls and generated images are sent back with their signatures. */
function ownParts(part: AssistantPart, { provider }: ModelConnection): readonly object[] | undefined {
  if (part.type !== 'served' && part.type !== 'image') return undefined;
  const blocks = unsealRaw(provider, part.meta, 'google');
  if (part.type === 'served') return blocks;
  return blocks?.map((block) => ({ ...block, inlineData: { mimeType: part.mediaType, data: part.data } }));
}

function contentOf(message: SentMessage, model: string): Content {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: message.content.map(userPart) };
    case 'assistant':
      return { role: 'model', parts: modelParts(message.content, model) };
    case 'tool':
      return {
        role: 'user',
        parts: message.results.map(({ id, name, text }) => ({
          functionResponse: { id, name, response: { name, content: text } },
        })),
      };
    default:
      return message satisfies never;
  }
}

function userPart(part: UserPart): Part {
  return part.type === 'text'
    ? { text: part.text }
    : { inlineData: { mimeType: part.mediaType, data: part.data } };
}

/** Google's documented placeholder for a call without a signature, made by another model. */
const unsigned = 'skip_thought_signature_validator';

/**
 * Newer models refuse an answer whose calls are unsigned; in a parallel answer only the first call is signed.
 */
function modelParts(content: readonly SentPart[], model: string): readonly Part[] {
  let needsSignature = checksSignatures(model);
  return content.flatMap((part): readonly Part[] => {
    if (part.type === 'blocks') return part.blocks;
    const signature = part.seal?.['google']?.['thoughtSignature'];
    const signed = signature === undefined ? {} : { thoughtSignature: signature };
    if (part.type === 'call') {
      const functionCall = { id: part.id, name: part.name, args: callArguments(part.input) };
      if (signature !== undefined) needsSignature = false;
      return [{ functionCall, ...(needsSignature ? { thoughtSignature: unsigned } : signed) }];
    }
    if (part.text === '') return [];
    return [{ text: part.text, ...(part.type === 'reasoning' ? { thought: true } : {}), ...signed }];
  });
}

function checksSignatures(model: string): boolean {
  return /(?:^|\/)gemini-(?![12](?:[-.]|$)|pro(?:-vision)?$|robotics-er-1\.5(?:[-.]|$))/i.test(model);
}
