// Builds the `Connection` for one request from the provider's row, the user's settings and
// the resolved key. Pure.
import { tryExpression } from '../../../host/policy/expression.ts';
import type { ModelRequest } from '../model.ts';
import type { UsableProvider } from './providers/access.ts';
import type { ModelConfig, Provider, WireName } from './providers/providers.ts';
import type { RemoteOptions, RenewedLogin } from './remoteOptions.ts';
import type { IdleTimeoutFetch } from './wires/shared/idleTimeout.ts';
import type { ModelConnection } from './wires/wire.ts';

const defaultThinkTags = { start: '<think>', end: '</think>' } as const;

export interface ModelConnectionOptions extends Pick<RemoteOptions, 'provider' | 'model' | 'facts' | 'sign'> {
  readonly context: number | undefined;
  readonly connected: IdleTimeoutFetch;
}

/** The address and key of a provider; those of a sign-in replace its own. */
export type ProviderLogin = Pick<UsableProvider, 'url' | 'key' | 'keyFrom'> &
  Pick<RenewedLogin, 'headers' | 'bearer'>;

export function connectionFor(
  login: ProviderLogin,
  request: ModelRequest,
  { provider, model, facts, sign, context, connected }: ModelConnectionOptions,
): ModelConnection {
  const { config } = provider;
  const modelConfig = config?.models[model];
  const name = modelConfig?.name ?? model;
  const [url = '', query = ''] = login.url.replaceAll('{model}', encodeURIComponent(name)).split('?', 2);
  const { fetch, hear, signal } = connected;
  return {
    provider: provider.id,
    model: name,
    address: { url, query, path: config?.path },
    credentials: {
      key: login.key,
      keyHeader: login.bearer ? 'authorization' : provider.keyHeader,
      sign,
    },
    headers: headersFor(login, request, { provider, modelConfig }),
    extra: extraFields(provider, model, request.variant),
    limits: { context, output: facts?.output },
    conventions: conventionsOf(provider, modelConfig),
    transfer: { fetch, hear, signal },
  };
}

function conventionsOf(
  { config, callId, reportsUsage }: Provider,
  modelConfig: ModelConfig | undefined,
): ModelConnection['conventions'] {
  return {
    callId: callId ?? 'any',
    requestsUsage: reportsUsage !== 'always',
    reasoning: modelConfig?.reasoning ?? config?.reasoning ?? 'turn',
    thinkTags: config?.thinkTags ?? defaultThinkTags,
    cache: config?.cache ?? 'short',
  };
}

/**
 * The reasoning variants that the settings define for a model; those of the model itself
 * win over the provider's.
 */
export function variantsFor(provider: Provider, model: string): NonNullable<ModelConfig['variants']> {
  const matching = (provider.variants ?? [])
    .filter(([models]) => tryExpression(models, model) === true)
    .map(([, variants]) => variants);
  const own = provider.config?.models[model]?.variants ?? {};
  return [...matching, own].reduce((all, variants) => ({ ...all, ...variants }));
}

/** A variant from the settings is a set of extra fields, so the wire must not translate its name. */
export function requestFor(
  request: ModelRequest,
  { provider, model }: Pick<RemoteOptions, 'provider' | 'model'>,
): ModelRequest {
  const isFromSettings =
    request.variant !== undefined && variantsFor(provider, model)[request.variant] !== undefined;
  return isFromSettings ? { ...request, variant: undefined } : request;
}

/** A wire that the user has chosen applies to all models of the provider. */
export function wireFor(
  { model, facts, provider }: Pick<RemoteOptions, 'model' | 'facts' | 'provider'>,
  { wire }: UsableProvider,
): WireName {
  if (wire !== provider.wire) return wire;
  return facts?.wire ?? provider.modelWires?.find(([models]) => models.test(model))?.[1] ?? wire;
}

function extraFields(
  provider: Provider,
  model: string,
  variant: string | undefined,
): ModelConnection['extra'] {
  return {
    ...provider.extra,
    ...(provider.hasThinkingSwitch ? thinkingSwitch(variant) : {}),
    ...provider.config?.models[model]?.extra,
    ...(variant === undefined ? {} : variantsFor(provider, model)[variant]),
  };
}

function thinkingSwitch(variant: string | undefined): ModelConnection['extra'] {
  return variant === undefined ? {} : { thinking: { type: variant === 'none' ? 'disabled' : 'enabled' } };
}

interface ConfiguredModel {
  readonly provider: Provider;
  readonly modelConfig: ModelConfig | undefined;
}

function headersFor(
  { headers, keyFrom }: ProviderLogin,
  request: ModelRequest,
  { provider, modelConfig }: ConfiguredModel,
): ModelConnection['headers'] {
  // Headers from the user's settings may be secret, so they do not go to an address that a client has set.
  const isClientAddress = keyFrom === 'a client';
  return {
    ...provider.headers,
    ...(provider.sendsInitiator ? initiatorHeaders(request) : {}),
    ...headers,
    ...(isClientAddress ? {} : { ...provider.config?.headers, ...modelConfig?.headers }),
  };
}

/** GitHub Copilot charges for requests that the user began, and not for the agent's follow-up requests. */
function initiatorHeaders({ messages }: ModelRequest): { readonly [name: string]: string } {
  const hasImages = messages.some(
    (message) => message.role !== 'tool' && message.content.some(({ type }) => type === 'image'),
  );
  return {
    'x-initiator': messages.at(-1)?.role === 'user' ? 'user' : 'agent',
    ...(hasImages ? { 'copilot-vision-request': 'true' } : {}),
  };
}
