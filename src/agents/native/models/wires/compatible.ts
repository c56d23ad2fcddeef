// Any server that speaks OpenAI's chat format. Thoughts are plain words here, at some servers between tags; they go back within the turn.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { headersOf, sdkWire } from '../sdk.ts';
import { withoutThinkTags } from '../thinkTags.ts';
import type { Wire } from '../wire.ts';

export const compatible: Wire = (request, connection) => withoutThinkTags(chat(request, connection));

const chat = sdkWire({
  open: (connection) =>
    createOpenAICompatible({
      name: connection.provider, baseURL: connection.url, headers: headersOf(connection), fetch: connection.fetch, includeUsage: connection.askUsage === 'asked',
      ...(connection.key === undefined ? {} : { apiKey: connection.key }),
    }).chatModel(connection.model),
  options: ({ variant }) => ({ openaiCompatible: variant === undefined ? {} : { reasoningEffort: variant } }),
  thoughts: 'words',
});
