// The settings of model providers and their models.
import * as z from 'zod';
import { providerApis } from '../../../base/providerApis.ts';
import {
  count,
  countOrZero,
  expression,
  flag,
  json,
  name,
  namedStrings,
  optional,
  secret,
  setting,
  strings,
  text,
  word,
} from './values.ts';

const api = z.enum(providerApis);

const presets = z.record(name, z.record(name, json));
const presetsMeaning = 'Reasoning presets by name, each with the fields that it adds to a request.';
const presetsExample = { high: { reasoning: { effort: 'high' } } };

const sentReasoning = z.enum(['all', 'turn', 'off']);

const price = z.number();

const cost = z.strictObject({
  input: setting(price, 'Price of input tokens.', 3),
  output: setting(price, 'Price of output tokens.', 15),
  cacheRead: optional(price, 'Price of input tokens read from the cache.', 0.3),
  cacheWrite: optional(price, 'Price of input tokens written to the cache.', 3.75),
});

export const model = z.strictObject({
  name: optional(text, 'The name that the provider uses, if it differs from the id.', 'gpt-5-2025-08-07'),
  context: optional(count, 'Size of the context window in tokens.', 200_000),
  output: optional(count, 'Maximum number of output tokens.', 32_000),
  images: optional(flag, 'Whether the model accepts images.', true),
  webSearch: optional(
    flag,
    "Whether the model may use the provider's web search. Default: the provider's setting.",
    true,
  ),
  imageGeneration: optional(
    flag,
    "Whether the model may generate images. Default: the provider's setting.",
    true,
  ),
  reasoning: optional(
    sentReasoning,
    'Which plain-text reasoning is sent back to the model: all, that of the current turn, or none ' +
      '(off). Default: turn.',
    'all',
  ),
  variants: optional(presets, presetsMeaning, presetsExample),
  cost: optional(cost, 'Prices in USD per million tokens.', { input: 3, output: 15 }),
  headers: optional(namedStrings, 'Additional HTTP headers for requests to this model.', {
    'X-Team': 'search',
  }),
  extra: optional(z.record(name, json), 'Additional fields in the body of every request.', {
    service_tier: 'flex',
  }),
});

/** Retry policy; delays are in milliseconds. */
export const retry = z.strictObject({
  attempts: optional(countOrZero, 'Maximum number of retries. Default: 10.', 5),
  emptyAttempts: optional(
    countOrZero,
    'Maximum number of retries after an empty or unreadable answer. Default: 3.',
    1,
  ),
  base: optional(count, 'Delay before the first retry, in milliseconds. Default: 2000.', 1000),
  factor: optional(z.number().min(1), 'Factor by which the delay grows with each retry. Default: 2.', 1.5),
  longest: optional(count, 'Maximum delay that Parley chooses, in milliseconds. Default: 60000.', 30_000),
  wait: optional(
    count,
    'Maximum delay that the provider may request, in milliseconds. Default: 300000.',
    120_000,
  ),
  continues: optional(
    countOrZero,
    'How often per turn the model is asked to continue a truncated answer. Default: 3.',
    1,
  ),
});

export const retryRule = z.strictObject({
  status: optional(z.int(), 'HTTP status of the response. Default: any.', 418),
  pattern: optional(
    expression,
    'Regular expression to find in the response. Default: any response.',
    'capacity exceeded',
  ),
  label: optional(text, 'Message that users see.', 'The provider has no capacity.'),
});

const thinkTags = z.strictObject({
  start: setting(word, 'Tag before the reasoning.', '<think>'),
  end: setting(word, 'Tag after the reasoning.', '</think>'),
});

export const signIn = z.strictObject({
  url: optional(
    z.url({ protocol: /^https?$/ }),
    'Sign-in server of your company, for example for GitHub Copilot.',
    'https://company.ghe.com',
  ),
  clientId: optional(word, 'OAuth client ID, if that server requires another one.', 'Iv1.0123456789abcdef'),
});

export const provider = z.strictObject({
  api: optional(api, "The wire format of the provider's API.", 'openai-chat'),
  url: optional(
    text,
    'Base URL. {model} is replaced by the model; query parameters are sent with every request.',
    'https://models.example.com/v1',
  ),
  path: optional(word, 'Path below the base URL, if it differs from the usual one.', '/chat/completions'),
  key: optional(
    secret('must be a reference such as ${env:OPENAI_API_KEY}; do not store keys in this file'),
    'API key; use ${env:NAME}.',
    '${env:OPENAI_API_KEY}',
  ),
  overEnvironment: optional(
    flag,
    'Whether this key and URL take precedence over environment variables. Default: false; true in an ' +
      'ECA configuration.',
    true,
  ),
  headers: optional(namedStrings, 'Additional HTTP headers of every request.', {
    Authorization: 'Bearer ${env:TOKEN}',
  }),
  retry: optional(retry, 'Retry policy.', { attempts: 5 }),
  retryRules: optional(z.array(retryRule), 'Additional failures to retry.', [{ status: 418 }]),
  cache: optional(z.enum(['short', 'long']), 'Lifetime of the prompt cache. Default: short.', 'long'),
  reasoning: optional(
    sentReasoning,
    'Which plain-text reasoning is sent back to the models: all, that of the current turn, or none ' +
      '(off). Default: turn.',
    'all',
  ),
  thinkTags: optional(
    thinkTags,
    'Tags that mark reasoning inside the text of an answer. Default: <think> and </think>.',
    { start: '<reasoning>', end: '</reasoning>' },
  ),
  webSearch: optional(
    flag,
    "Whether models may use the provider's web search, which needs no approval and may cost extra. " +
      'Available from Anthropic, OpenAI, Google (together with tools from Gemini 3 on) and OpenRouter. ' +
      'Default: false.',
    true,
  ),
  imageGeneration: optional(
    flag,
    'Whether models may generate images: OpenAI with its own tool, Google and OpenRouter with image ' +
      'models. Default: false.',
    true,
  ),
  needsKey: optional(
    flag,
    'Whether the provider requires an API key. Default: true for providers that Parley knows and for ' +
      'providers with a key.',
    false,
  ),
  signIn: optional(signIn, 'Sign-in server, if it differs from the usual one.', {
    url: 'https://company.ghe.com',
  }),
  fetchModels: optional(
    flag,
    'Whether to request the list of models from the provider. Default: true.',
    false,
  ),
  models: optional(z.record(name, model), 'Models by id.', { 'gpt-5': { context: 400_000 } }),
});

/** Reasoning presets for all matching models. */
export const variant = z.strictObject({
  ways: setting(presets, presetsMeaning, presetsExample),
  except: optional(strings, 'Ids of providers to exclude.', ['openrouter']),
  api: optional(
    z.union([api, z.array(api)]),
    'Wire formats that the presets apply to. Default: all.',
    'openai-responses',
  ),
});
