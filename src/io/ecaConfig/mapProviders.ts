// Converts the providers of an ECA configuration, their models and the variants of these.
import * as z from 'zod';
import { providerApis } from '../../base/providerApis.ts';
import type { ProviderApi } from '../../base/providerApis.ts';
import { isExpression } from '../../host/settings/schema/values.ts';
import type { WrittenSettings } from '../../host/settings/schema/sections.ts';
import type { EcaConfig } from './file.ts';
import { part, present } from './parts.ts';

const text = z.string();
const flag = z.boolean();
const words = z.record(z.string(), text);

/** ECA has the same names, and `openai` for the newer format of OpenAI. */
function wireOf(api: string | undefined): ProviderApi | undefined {
  return api === 'openai' ? 'openai-responses' : providerApis.find((each) => each === api);
}

const model = z.object({
  modelName: text.optional(),
  extraPayload: z.record(z.string(), z.json()).optional(),
  extraHeaders: words.optional(),
  imageInput: flag.optional(),
  webSearch: flag.optional(),
  imageGeneration: flag.optional(),
  reasoningHistory: z.enum(['all', 'turn', 'off']).optional(),
  variants: z.record(z.string(), z.record(z.string(), z.json())).optional(),
  limit: z.object({ context: z.int().min(1).optional(), output: z.int().min(1).optional() }).optional(),
  cost: z
    .object({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number().optional(),
      cacheWrite: z.number().optional(),
    })
    .optional(),
});

const provider = z.object({
  api: text.optional(),
  url: text.optional(),
  completionUrlRelativePath: text.optional(),
  key: text.optional(),
  requiresAuth: flag.optional(),
  'requiresAuth?': flag.optional(),
  auth: z
    .object({ url: z.url({ protocol: /^https?$/ }), clientId: text.min(1) })
    .partial()
    .optional()
    .catch(undefined),
  extraHeaders: words.optional(),
  fetchModels: flag.optional(),
  webSearch: flag.optional(),
  imageGeneration: flag.optional(),
  models: z.record(z.string(), z.unknown()).optional(),
  thinkTagStart: text.optional(),
  thinkTagEnd: text.optional(),
  cacheRetention: z.enum(['short', 'long']).optional(),
  rateLimitMaxWaitSeconds: z.number().positive().optional(),
  retryRules: z
    .array(z.object({ status: z.int().optional(), errorPattern: text.optional(), label: text.optional() }))
    .optional(),
  retry: z
    .object({
      maxAutoContinues: z.int().min(0).optional(),
      maxRetries: z.int().min(0).optional(),
      prematureStopMaxRetries: z.int().min(0).optional(),
      baseDelayMs: z.int().min(1).optional(),
      backoffMultiplier: z.number().min(1).optional(),
      maxDelayMs: z.int().min(1).optional(),
    })
    .optional(),
});

type Provider = NonNullable<WrittenSettings['providers']>[string];

export function providers(config: EcaConfig): WrittenSettings['providers'] {
  const all = part(config, 'providers', z.record(z.string(), z.unknown()));
  return (
    all &&
    Object.fromEntries(
      Object.entries(all).flatMap(([id, value]) => {
        const read = provider.safeParse(withoutNothing(value));
        if (!read.success) return [];
        const {
          api,
          url,
          completionUrlRelativePath,
          key,
          auth,
          extraHeaders: headers,
          fetchModels,
          webSearch,
          imageGeneration,
          models,
        } = read.data;
        // To ECA users Google is a server of OpenAI's kind, so an address of it that they name is one.
        const wire = api === undefined && id === 'google' && url !== undefined ? 'openai-chat' : wireOf(api);
        // An address of that kind has its version in it, or none.
        const path =
          completionUrlRelativePath ??
          (wire === 'openai-chat' && url !== undefined ? '/chat/completions' : undefined);
        // ECA sends all reasoning back, unless a model is configured otherwise.
        const reasoning = 'all' as const;
        const needsKey = read.data['requiresAuth?'] ?? read.data.requiresAuth;
        return [
          [
            id,
            present({
              api: wire,
              url,
              path,
              key,
              overEnvironment: true,
              needsKey,
              signIn: auth && present(auth),
              headers,
              fetchModels,
              webSearch,
              imageGeneration,
              ...habits(read.data),
              reasoning,
              models:
                models &&
                Object.fromEntries(Object.entries(models).map(([name, given]) => [name, modelOf(given)])),
            }),
          ],
        ];
      }),
    )
  );
}

/** Null counts as not set. */
function withoutNothing(value: unknown): unknown {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null))
    : value;
}

/** How patient to be with it, and what is particular about it. */
function habits({
  thinkTagStart: start,
  thinkTagEnd: end,
  cacheRetention: cache,
  rateLimitMaxWaitSeconds: seconds,
  retryRules,
  retry = {},
}: z.infer<typeof provider>): Pick<Provider, 'retry' | 'retryRules' | 'cache' | 'thinkTags'> {
  const patience = present({
    attempts: retry.maxRetries,
    continues: retry.maxAutoContinues,
    emptyAttempts: retry.prematureStopMaxRetries,
    base: retry.baseDelayMs,
    factor: retry.backoffMultiplier,
    longest: retry.maxDelayMs,
    wait: seconds === undefined ? undefined : seconds * 1000,
  });
  return present({
    cache,
    thinkTags:
      start === undefined && end === undefined
        ? undefined
        : { start: start ?? '<think>', end: end ?? '</think>' },
    retry: Object.keys(patience).length === 0 ? undefined : patience,
    retryRules: retryRules
      ?.filter(({ errorPattern = '' }) => isExpression(errorPattern))
      .map(({ status, errorPattern: pattern, label }) => present({ status, pattern, label })),
  });
}

function modelOf(value: unknown): NonNullable<Provider['models']>[string] {
  const read = model.safeParse(withoutNothing(value ?? {}));
  if (!read.success) return {};
  const {
    modelName: name,
    extraPayload: extra,
    extraHeaders: headers,
    imageInput: images,
    webSearch,
    imageGeneration,
    reasoningHistory: reasoning,
    variants,
    limit,
    cost,
  } = read.data;
  return present({
    name,
    extra,
    headers,
    images,
    webSearch,
    imageGeneration,
    reasoning,
    variants,
    cost: cost && present(cost),
    context: limit?.context,
    output: limit?.output,
  });
}

const variant = z.object({
  variants: z.record(text, z.record(text, z.json())),
  excludeProviders: z.array(text).optional(),
  api: z.union([text, z.array(text)]).optional(),
});

export function variantsIn(config: EcaConfig): WrittenSettings['variants'] {
  const all = part(config, 'variantsByModel', z.record(text, z.unknown()));
  const read = Object.entries(all ?? {}).flatMap(([expression, value]) => {
    const given = variant.safeParse(value);
    return given.success && isExpression(expression)
      ? [
          [
            expression,
            present({
              ways: given.data.variants,
              except: given.data.excludeProviders,
              api:
                given.data.api === undefined
                  ? undefined
                  : [given.data.api].flat().flatMap((api) => wireOf(api) ?? []),
            }),
          ] as const,
        ]
      : [];
  });
  return read.length === 0 ? undefined : Object.fromEntries(read);
}
