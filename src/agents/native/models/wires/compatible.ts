// Any server that speaks OpenAI's chat format. Thoughts are plain words here, at some servers between tags; they go back within the turn.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatReader } from '../readers/chat.ts';
import { headersOf, sdkWire } from '../sdk.ts';

export const compatible = sdkWire({
  open: (connection) =>
    createOpenAICompatible({
      name: connection.provider,
      baseURL: connection.url,
      headers: headersOf(connection),
      fetch: connection.fetch,
      includeUsage: connection.askUsage === 'asked',
      ...(connection.key === undefined ? {} : { apiKey: connection.key }),
    }).chatModel(connection.model),
  // Those who switch thinking off do not want to hear how hard.
  options: ({ variant }, { extra }) => ({
    openaiCompatible:
      variant === undefined || (variant === 'none' && 'thinking' in extra)
        ? {}
        : { reasoningEffort: variant },
  }),
  thoughts: 'words',
  reader: ({ thinkTags, apart }) => new ChatReader(thinkTags, { apart }),
  // The words of OpenRouter, which others have taken up.
  besides: (body, { serves = [] }) => ({
    ...body,
    ...(serves.includes('web_search') ? { plugins: [{ id: 'web' }] } : {}),
    ...(serves.includes('image_generation') ? { modalities: ['image', 'text'] } : {}),
  }),
});
