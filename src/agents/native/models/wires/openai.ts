// OpenAI's own two formats. Nothing is stored at OpenAI; thoughts come back encrypted.
import { createOpenAI } from '@ai-sdk/openai';
import { ChatReader } from '../readers/chat.ts';
import { ResponsesReader } from '../readers/responses.ts';
import { headersOf, sdkWire } from '../sdk.ts';
import type { Connection } from '../wire.ts';

export const openaiResponses = sdkWire({
  open: (connection) => provider(connection).responses(connection.model),
  options: ({ system, variant, chat }, { cache }) => ({
    openai: { store: false, ...(cache === 'long' ? { promptCacheRetention: '24h' } : {}), instructions: system, reasoningSummary: 'auto', ...(variant === undefined ? {} : { reasoningEffort: variant }), ...(chat === undefined ? {} : { promptCacheKey: chat }) },
  }),
  system: 'apart',
  thoughts: 'sealed',
  reader: () => new ResponsesReader(),
});

export const openaiChat = sdkWire({
  open: (connection) => provider(connection).chat(connection.model),
  options: ({ variant, chat }, { cache }) => ({ openai: { store: false, ...(cache === 'long' ? { promptCacheRetention: '24h' } : {}), ...(variant === undefined ? {} : { reasoningEffort: variant }), ...(chat === undefined ? {} : { promptCacheKey: chat }) } }),
  thoughts: 'sealed',
  reader: () => new ChatReader(),
});

function provider(connection: Connection): ReturnType<typeof createOpenAI> {
  return createOpenAI({ baseURL: connection.url, apiKey: connection.key ?? 'none', headers: headersOf(connection), fetch: connection.fetch });
}
