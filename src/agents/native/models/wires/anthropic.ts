// Anthropic Messages: caching is marked, thoughts come back signed.
import { createAnthropic } from '@ai-sdk/anthropic';
import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { AnthropicReader } from '../readers/anthropic.ts';
import { headersOf, sdkWire } from '../sdk.ts';
import { budgets } from '../variants.ts';
import { adaptive, budgeted } from './claudeThinking.ts';

export const anthropic = sdkWire({
  open: (connection) =>
    createAnthropic({ baseURL: connection.url, apiKey: connection.key ?? 'none', headers: headersOf(connection), fetch: connection.fetch }).languageModel(connection.model),
  options: ({ variant }, { model }) => ({ anthropic: thinking(model, variant) }),
  cacheMark: ({ cache }) => ({ anthropic: { cacheControl: { type: 'ephemeral', ...(cache === 'long' ? { ttl: '1h' } : {}) } } }),
  thoughts: 'sealed',
  reader: () => new AnthropicReader(),
  sendsOutput: true,
});

function thinking(model: string, variant: string | undefined): SharedV3ProviderOptions[string] {
  if (variant === 'none') return { thinking: { type: 'disabled' } };
  if (adaptive.test(model)) return { thinking: { type: 'adaptive', display: 'summarized' }, ...(variant === undefined ? {} : { effort: variant }) };
  const budget = variant === undefined ? undefined : budgets[variant];
  return budgeted.test(model) && budget !== undefined ? { thinking: { type: 'enabled', budgetTokens: Math.max(1_024, budget) } } : {};
}
