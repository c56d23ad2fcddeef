// Applies the user's settings to the built-in providers and adds the user's own. Pure: the
// caller resolves references.
import { present } from '../../../../base/present.ts';
import type { ProviderApi } from '../../../../base/providerApis.ts';
import type { ProviderSettings, SettingsValues } from '../../../../host/settings/settings.ts';
import { wireFormats } from '../wires/formats.ts';
import { builtInProviders } from './providers.ts';
import type { ModelConfig, ModelRow, Provider, ProviderConfig, WireName } from './providers.ts';

/** The text behind a reference such as `${env:NAME}`; undefined if there is none. */
type ResolveReference = (text: string) => string | undefined;

export function providersWith(
  settings: { readonly [id: string]: ProviderSettings },
  resolve: ResolveReference,
  variants: SettingsValues['variants'] = {},
): readonly Provider[] {
  const builtIn = builtInProviders.map((provider) => {
    const own = settings[provider.id];
    return own ? configure(provider, own, resolve) : provider;
  });
  const added = Object.entries(settings)
    .filter(([id]) => !builtInProviders.some((provider) => provider.id === id))
    .map(([id, own]) => configure(newProvider(id, own), own, resolve));
  return [...builtIn, ...added].map((provider) => withVariants(provider, variants));
}

function withVariants(provider: Provider, variants: NonNullable<SettingsValues['variants']>): Provider {
  const matching = Object.entries(variants).filter(
    ([, { except = [], api }]) =>
      !except.includes(provider.id) &&
      (api === undefined || [api].flat().some((each) => wireFor(each, provider.id) === provider.wire)),
  );
  return matching.length === 0
    ? provider
    : {
        ...provider,
        variants: matching.map(([models, { ways }]) => [models, ways]),
      };
}

function newProvider(id: string, { api, key }: ProviderSettings): Provider {
  const wire = api === undefined ? 'compatible' : wireFor(api, id);
  return {
    id,
    name: id,
    wire,
    version: wireFormats[wire].version,
    key: key === undefined ? 'none' : [],
    models: [],
  };
}

/** Servers other than OpenAI's deviate from its chat format, so they get the `compatible` wire. */
function wireFor(api: ProviderApi, id: string): WireName {
  return api === 'openai-chat' && id !== 'openai' ? 'compatible' : api;
}

function configure(provider: Provider, settings: ProviderSettings, resolve: ResolveReference): Provider {
  const {
    api,
    url,
    key,
    headers = {},
    models = {},
    fetchModels,
    needsKey,
    signIn: _signIn,
    ...rest
  } = settings;
  const wire = api === undefined ? provider.wire : wireFor(api, provider.id);
  const rows = Object.entries(models).map(([id, { context, output }]): ModelRow => [id, id, context, output]);
  const isGoogleChat = provider.id === 'google' && wire === 'compatible';
  const config: ProviderConfig = {
    ...(isGoogleChat ? { thinkTags: googleTags } : {}),
    ...rest,
    headers: resolveAll(headers, resolve),
    ...present({ url: url && resolve(url), key: key && resolve(key) }),
    models: modelConfigs(models, resolve),
  };
  const { serverModelList: _server, vendorModelList: _vendor, ...base } = provider;
  return {
    ...base,
    wire,
    config,
    key: keyNeed(provider.key, needsKey),
    ...(isGoogleChat ? { extra: googleExtra } : {}),
    ...(fetchModels === false ? {} : modelListOf(provider, wire, config.url)),
    models: [...provider.models.filter(([id]) => !(id in models)), ...rows],
  };
}

function modelConfigs(
  models: NonNullable<ProviderSettings['models']>,
  resolve: ResolveReference,
): ProviderConfig['models'] {
  const configs = Object.entries(models).map(
    ([id, { context: _, output: __, headers = {}, ...model }]): [string, ModelConfig] => [
      id,
      { ...model, headers: resolveAll(headers, resolve) },
    ],
  );
  return Object.fromEntries(configs);
}

function keyNeed(usual: Provider['key'], needsKey: boolean | undefined): Provider['key'] {
  if (needsKey === false) return 'none';
  return needsKey === true && usual === 'none' ? [] : usual;
}

/** In OpenAI's chat format Google sends thoughts only on request, between tags of its own. */
const googleTags = { start: '<thought>', end: '</thought>' };
const googleExtra = { extra_body: { google: { thinking_config: { include_thoughts: true } } } };

type ModelList = Pick<Provider, 'serverModelList' | 'vendorModelList'>;

/**
 * The provider's own list format, or the usual one of its wire. A local server is polled; a
 * remote one is a vendor.
 */
function modelListOf({ serverModelList, vendorModelList }: Provider, wire: WireName, url = ''): ModelList {
  if (serverModelList ?? vendorModelList) return present({ serverModelList, vendorModelList });
  if (wire === 'compatible' && /^https?:\/\/(?:localhost|127\.|\[::1\])/i.test(url))
    return { serverModelList: 'openai' };
  return wireFormats[wire].modelList;
}

/** Leaves out values whose reference cannot be resolved. */
function resolveAll(
  values: { readonly [name: string]: string },
  resolve: ResolveReference,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, text]) => {
      const value = resolve(text);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
