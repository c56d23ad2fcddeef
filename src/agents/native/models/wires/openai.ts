// OpenAI's own two formats. Nothing is stored at OpenAI; thoughts come back encrypted, searches and pictures whole.
import { createOpenAI } from '@ai-sdk/openai';
import { list } from '../loose.ts';
import { ChatReader } from '../readers/chat.ts';
import { ResponsesReader } from '../readers/responses.ts';
import { headersOf, sdkWire } from '../sdk.ts';
import { unsealRaw } from '../seal.ts';
import type { Connection } from '../wire.ts';

export const openaiResponses = sdkWire({
  open: (connection) => provider(connection).responses(connection.model),
  options: ({ system, variant, chat }, { cache }) => ({
    openai: {
      store: false,
      ...(cache === 'long' ? { promptCacheRetention: '24h' } : {}),
      instructions: system,
      reasoningSummary: 'auto',
      ...(variant === undefined ? {} : { reasoningEffort: variant }),
      ...(chat === undefined ? {} : { promptCacheKey: chat }),
    },
  }),
  system: 'apart',
  thoughts: 'sealed',
  reader: () => new ResponsesReader(),
  rawWithin: 'list',
  raw: (part, { connection, serves }) => {
    if (part.type === 'image')
      return serves.includes('image_generation')
        ? unsealRaw(connection.provider, part.meta, 'openai')?.map((item) => ({ ...item, result: part.data }))
        : undefined;
    return part.type === 'served' ? unsealRaw(connection.provider, part.meta, 'openai') : undefined;
  },
  besides: (body, { serves = [] }, { provider: id }) => ({
    ...body,
    tools: [
      ...list(body['tools']),
      ...serves.map((each) =>
        each === 'web_search'
          ? { type: id === 'azure' ? 'web_search_preview' : 'web_search' }
          : { type: 'image_generation' },
      ),
    ],
    ...(serves.includes('web_search')
      ? { include: [...list(body['include']), 'web_search_call.action.sources'] }
      : {}),
  }),
});

export const openaiChat = sdkWire({
  open: (connection) => provider(connection).chat(connection.model),
  options: ({ variant, chat }, { cache }) => ({
    openai: {
      store: false,
      ...(cache === 'long' ? { promptCacheRetention: '24h' } : {}),
      ...(variant === undefined ? {} : { reasoningEffort: variant }),
      ...(chat === undefined ? {} : { promptCacheKey: chat }),
    },
  }),
  thoughts: 'sealed',
  reader: () => new ChatReader(),
  besides: (body, { serves = [] }) => ({
    ...body,
    ...(serves.includes('web_search') ? { web_search_options: {} } : {}),
  }),
});

function provider(connection: Connection): ReturnType<typeof createOpenAI> {
  return createOpenAI({
    baseURL: connection.url,
    apiKey: connection.key ?? 'none',
    headers: headersOf(connection),
    fetch: connection.fetch,
  });
}
