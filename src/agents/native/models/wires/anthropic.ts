// Anthropic Messages: caching is marked, thoughts come back signed, and what was searched and quoted goes back as it came.
import { createAnthropic } from '@ai-sdk/anthropic';
import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { list } from '../loose.ts';
import { quoting } from '../quotes.ts';
import { AnthropicReader } from '../readers/anthropic.ts';
import { headersOf, sdkWire } from '../sdk.ts';
import { unsealRaw } from '../seal.ts';
import { budgets } from '../variants.ts';
import { adaptive, budgeted } from './claudeThinking.ts';

export const anthropic = sdkWire({
  // Whoever packs a stream on the way holds its words back.
  open: (connection) =>
    createAnthropic({
      baseURL: connection.url,
      apiKey: connection.key ?? 'none',
      headers: { 'accept-encoding': 'identity', ...headersOf(connection) },
      fetch: connection.fetch,
    }).languageModel(connection.model),
  options: ({ variant }, { model }) => ({ anthropic: thinking(model, variant) }),
  cacheMark: ({ cache }) => ({
    anthropic: { cacheControl: { type: 'ephemeral', ...(cache === 'long' ? { ttl: '1h' } : {}) } },
  }),
  thoughts: 'sealed',
  reader: () => new AnthropicReader(),
  sendsOutput: true,
  raw: (part, { connection, serves }) => {
    const blocks =
      part.type === 'served' || part.type === 'text'
        ? unsealRaw(connection.provider, part.meta, 'anthropic')
        : undefined;
    return blocks && part.type === 'text'
      ? serves.includes('web_search')
        ? quoting(part.text, blocks)
        : undefined
      : blocks;
  },
  besides: (body) => ({ ...body, tools: [...list(body['tools']), webSearch] }),
});

/** So often it may search for one answer. */
const webSearch = { type: 'web_search_20250305', name: 'web_search', max_uses: 10 } as const;

function thinking(model: string, variant: string | undefined): SharedV3ProviderOptions[string] {
  if (variant === 'none') return { thinking: { type: 'disabled' } };
  if (adaptive.test(model))
    return {
      thinking: { type: 'adaptive', display: 'summarized' },
      ...(variant === undefined ? {} : { effort: variant }),
    };
  const budget = variant === undefined ? undefined : budgets[variant];
  return budgeted.test(model) && budget !== undefined
    ? { thinking: { type: 'enabled', budgetTokens: Math.max(1_024, budget) } }
    : {};
}
