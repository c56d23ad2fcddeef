// Google's Generative Language format: thoughts are shown, calls come back with the signature of the thought behind them.
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { fields, list } from '../loose.ts';
import type { Fields } from '../loose.ts';
import { GoogleReader } from '../readers/google.ts';
import { headersOf, sdkWire } from '../sdk.ts';
import { unsealRaw } from '../seal.ts';
import { budgets } from '../variants.ts';

export const google = sdkWire({
  open: (connection) =>
    createGoogleGenerativeAI({
      baseURL: connection.url,
      apiKey: connection.key ?? 'none',
      headers: headersOf(connection),
      fetch: connection.fetch,
    }).languageModel(connection.model),
  options: ({ variant }, { model }) => ({ google: thinking(model, variant) }),
  thoughts: 'sealed',
  reader: () => new GoogleReader(),
  raw: (part, { connection }) => {
    const blocks =
      part.type === 'served' || part.type === 'image'
        ? unsealRaw(connection.provider, part.meta, 'google')
        : undefined;
    return part.type === 'image'
      ? blocks?.map((block) => ({ ...block, inlineData: { mimeType: part.mediaType, data: part.data } }))
      : blocks;
  },
  besides: (body, { serves = [] }, { model }) => ({
    ...body,
    ...(serves.includes('web_search') ? searching(body, model) : {}),
    ...(serves.includes('image_generation') ? drawing(body) : {}),
  }),
});

/** Older models search or call tools, and not both. */
function searching(body: Fields, model: string): Fields {
  const tools = list(body['tools']);
  if (tools.length === 0) return { tools: [{ googleSearch: {} }] };
  return newer.test(model)
    ? {
        tools: [...tools, { googleSearch: {} }],
        toolConfig: { ...fields(body['toolConfig']), includeServerSideToolInvocations: true },
      }
    : {};
}

function drawing(body: Fields): Fields {
  return { generationConfig: { ...fields(body['generationConfig']), responseModalities: ['TEXT', 'IMAGE'] } };
}

const newer = /gemini-(?:3|4|pro-latest|flash-latest)/;

function thinking(model: string, variant: string | undefined): SharedV3ProviderOptions[string] {
  if (newer.test(model)) {
    return {
      thinkingConfig: { includeThoughts: true, ...(variant === undefined ? {} : { thinkingLevel: variant }) },
    };
  }
  if (!/gemini-2\.5/.test(model)) return {};
  const budget = variant === undefined ? undefined : budgets[variant];
  return {
    thinkingConfig: { includeThoughts: true, ...(budget === undefined ? {} : { thinkingBudget: budget }) },
  };
}
