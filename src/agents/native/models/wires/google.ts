// Google's Generative Language format: thoughts are shown, calls come back with the signature of the thought behind them.
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { GoogleReader } from '../readers/google.ts';
import { headersOf, sdkWire } from '../sdk.ts';
import { budgets } from '../variants.ts';

export const google = sdkWire({
  open: (connection) =>
    createGoogleGenerativeAI({ baseURL: connection.url, apiKey: connection.key ?? 'none', headers: headersOf(connection), fetch: connection.fetch }).languageModel(connection.model),
  options: ({ variant }, { model }) => ({ google: thinking(model, variant) }),
  thoughts: 'sealed',
  reader: () => new GoogleReader(),
});

function thinking(model: string, variant: string | undefined): SharedV3ProviderOptions[string] {
  if (/gemini-(?:3|4|pro-latest|flash-latest)/.test(model)) {
    return { thinkingConfig: { includeThoughts: true, ...(variant === undefined ? {} : { thinkingLevel: variant }) } };
  }
  if (!/gemini-2\.5/.test(model)) return {};
  const budget = variant === undefined ? undefined : budgets[variant];
  return { thinkingConfig: { includeThoughts: true, ...(budget === undefined ? {} : { thinkingBudget: budget }) } };
}
