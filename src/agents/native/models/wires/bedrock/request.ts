// Serialises requests of Amazon Bedrock's Converse API: one format for models of many vendors,
// answered in binary frames.
import type { AssistantPart, ModelMessage, ModelRequest, UserPart } from '../../../model.ts';
import { budgets } from '../../providers/variants.ts';
import { callIdFor } from '../shared/callId.ts';
import { thinkingOf } from '../shared/claudeThinking.ts';
import { HandedPictures } from '../shared/handedPictures.ts';
import { unseal } from '../shared/seal.ts';
import type { ModelConnection, Wire } from '../wire.ts';
import { ConverseReader, refusals } from './response.ts';

export const bedrock: Wire = {
  write: (request, connection) => {
    const { address, credentials, headers, model } = connection;
    const { key } = credentials;
    return {
      url: `${address.url}/model/${encodeURIComponent(model)}/converse-stream`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/vnd.amazon.eventstream',
        ...headers,
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: bodyOf(request, connection),
    };
  },
  framing: 'frames',
  reader: () => new ConverseReader(),
  refusals,
  signed: true,
};

/** Models of other vendors refuse cache marks. */
const caches = /anthropic\.claude|amazon\.nova/;
const mark = { cachePoint: { type: 'default' } } as const;

function bodyOf({ system, messages, tools, variant }: ModelRequest, connection: ModelConnection): object {
  const { model, limits } = connection;
  const { output } = limits;
  const marks = caches.test(model) ? [mark] : [];
  const thinking = thinkingFields(model, variant);
  const handed = new HandedPictures();
  return {
    system: [{ text: system }, ...marks],
    messages: marked(
      alternating(
        messages
          .flatMap((message) => handed.around(message))
          .flatMap((message) => messageOf(message, connection)),
      ),
      marks,
    ),
    ...(tools.length === 0
      ? {}
      : {
          toolConfig: {
            tools: tools.map(({ name, description, parameters }) => ({
              toolSpec: { name, description, inputSchema: { json: parameters } },
            })),
          },
        }),
    ...(output === undefined ? {} : { inferenceConfig: { maxTokens: output } }),
    ...(Object.keys(thinking).length === 0 ? {} : { additionalModelRequestFields: thinking }),
  };
}

/** The reasoning fields of each vendor. */
function thinkingFields(model: string, variant: string | undefined): object {
  if (/claude/.test(model)) return thinkingOf(model, variant, budgets);
  return variant === undefined || !/gpt-oss/.test(model) ? {} : { reasoning_effort: variant };
}

interface BedrockMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly object[];
}

/** Roles must alternate, so adjacent messages of one role are merged. */
function alternating(messages: readonly BedrockMessage[]): readonly BedrockMessage[] {
  const merged: BedrockMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role === message.role)
      merged[merged.length - 1] = { ...last, content: [...last.content, ...message.content] };
    else merged.push(message);
  }
  return merged;
}

/** Marks the two newest user messages, since the next request begins with the same text up to them. */
function marked(messages: readonly BedrockMessage[], marks: readonly object[]): readonly BedrockMessage[] {
  const ours = new Set(messages.flatMap(({ role }, at) => (role === 'user' ? [at] : [])).slice(-2));
  return messages.map((message, at) =>
    ours.has(at) ? { ...message, content: [...message.content, ...marks] } : message,
  );
}

function messageOf(message: ModelMessage, connection: ModelConnection): readonly BedrockMessage[] {
  if (message.role === 'tool') {
    return message.results.map(({ id, status, text }) => ({
      role: 'user',
      content: [
        {
          toolResult: {
            toolUseId: callIdFor(id, connection.conventions.callId),
            content: [{ text: text || 'Nothing.' }],
            status: status === 'done' ? 'success' : 'error',
          },
        },
      ],
    }));
  }
  const content =
    message.role === 'user'
      ? message.content.flatMap(userBlock)
      : withoutLooseEnds(message.content.flatMap((part) => assistantBlock(part, connection)));
  return content.length === 0 ? [] : [{ role: message.role, content }];
}

function userBlock(part: UserPart): readonly object[] {
  if (part.type === 'image')
    return [
      {
        image: {
          format: part.mediaType.replace(/^image\//, '').replace('jpg', 'jpeg'),
          source: { bytes: part.data },
        },
      },
    ];
  return part.text.trim() === '' ? [] : [{ text: part.text }];
}

function assistantBlock(
  part: AssistantPart,
  { provider, conventions: { callId, reasoning } }: ModelConnection,
): readonly object[] {
  if (part.type === 'call')
    return [{ toolUse: { toolUseId: callIdFor(part.id, callId), name: part.name, input: part.input } }];
  if (part.type === 'text') return part.text.trim() === '' ? [] : [{ text: part.text }];
  if (part.type !== 'reasoning' || reasoning === 'off') return [];
  const { signature, redactedData } = unseal(provider, part.meta)?.['bedrock'] ?? {};
  if (redactedData !== undefined) return [{ reasoningContent: { redactedContent: redactedData } }];
  return signature === undefined
    ? []
    : [{ reasoningContent: { reasoningText: { text: part.text, signature } } }];
}

/** Bedrock refuses reasoning at the end of a stopped answer. */
function withoutLooseEnds(content: readonly object[]): readonly object[] {
  return content.slice(0, content.findLastIndex((block) => !('reasoningContent' in block)) + 1);
}
