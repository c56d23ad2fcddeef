// The providers as the user's settings make them: known ones changed, new ones added. Pure; references are filled in by whoever calls.
import type { ProviderSettings, SettingsValues } from '../../../../host/settings/settings.ts';
import { providers } from './providers.ts';
import type { Given, GivenModel, ModelRow, Provider, WireName } from './providers.ts';

/** `fill` gives the text behind a reference; undefined where there is none. */
export function providersWith(
  settings: { readonly [id: string]: ProviderSettings },
  fill: (text: string) => string | undefined,
  variants: SettingsValues['variants'] = {},
): readonly Provider[] {
  const known = providers.map((provider) => {
    const given = settings[provider.id];
    return given ? changed(provider, given, fill) : provider;
  });
  const others = Object.entries(settings).filter(([id]) => !providers.some((provider) => provider.id === id));
  return [...known, ...others.map(([id, given]) => changed(newProvider(id, given), given, fill))].map(
    (provider) => thinking(provider, variants),
  );
}

function thinking(provider: Provider, variants: NonNullable<SettingsValues['variants']>): Provider {
  const own = Object.entries(variants).filter(
    ([, { except = [], api }]) =>
      !except.includes(provider.id) &&
      (api === undefined || [api].flat().some((each) => wireOf(each, provider.id) === provider.wire)),
  );
  return own.length === 0
    ? provider
    : { ...provider, variants: own.map(([expression, { ways }]) => [new RegExp(expression, 'u'), ways]) };
}

function newProvider(id: string, { api, key }: ProviderSettings): Provider {
  const wire = api === undefined ? 'compatible' : wireOf(api, id);
  return { id, name: id, wire, version: versions[wire], key: key === undefined ? 'none' : [], models: [] };
}

const versions: { readonly [W in WireName]: string } = {
  anthropic: '/v1',
  'openai-responses': '/v1',
  'openai-chat': '/v1',
  google: '/v1beta',
  compatible: '/v1',
  bedrock: '',
  ollama: '',
};

/** Whoever speaks OpenAI's chat format has habits of its own, unless it is OpenAI. */
function wireOf(api: NonNullable<ProviderSettings['api']>, id: string): WireName {
  return api === 'openai-chat' && id !== 'openai' ? 'compatible' : api;
}

function changed(
  provider: Provider,
  settings: ProviderSettings,
  fill: (text: string) => string | undefined,
): Provider {
  const {
    api,
    url,
    key,
    headers = {},
    models = {},
    fetchModels,
    needsKey,
    signIn: _signIn,
    ...habits
  } = settings;
  const wire = api === undefined ? provider.wire : wireOf(api, provider.id);
  const rows = Object.entries(models).map(([id, { context, output }]): ModelRow => [id, id, context, output]);
  const isGoogleChat = provider.id === 'google' && wire === 'compatible';
  const given: Given = {
    ...(isGoogleChat ? { thinkTags: googleTags } : {}),
    ...habits,
    headers: filledIn(headers, fill),
    ...filledAs('url', url, fill),
    ...filledAs('key', key, fill),
    models: Object.fromEntries(
      Object.entries(models).map(
        ([id, { context: _, output: __, headers: own = {}, ...model }]): [string, GivenModel] => [
          id,
          { ...model, headers: filledIn(own, fill) },
        ],
      ),
    ),
  };
  const { lists, publishes, ...rest } = provider;
  const known = lists ?? publishes;
  const asked =
    fetchModels === false
      ? {}
      : known === undefined
        ? askedBy(wire, given.url)
        : { ...(lists ? { lists } : {}), ...(publishes ? { publishes } : {}) };
  const wanted = needsKey === false ? 'none' : needsKey === true && rest.key === 'none' ? [] : rest.key;
  return {
    ...rest,
    wire,
    given,
    key: wanted,
    ...(isGoogleChat ? { extra: googleExtra } : {}),
    ...asked,
    models: [...provider.models.filter(([id]) => !(id in models)), ...rows],
  };
}

/** Where Google is spoken to in OpenAI's chat format, thoughts come only if they are asked for, and between tags of its own. */
const googleTags = { start: '<thought>', end: '</thought>' };
const googleExtra = { extra_body: { google: { thinking_config: { include_thoughts: true } } } };

/** A server on this machine comes and goes; one elsewhere is a vendor like the others. */
function askedBy(wire: WireName, url = ''): Pick<Provider, 'lists' | 'publishes'> {
  if (wire === 'ollama') return { lists: 'ollama' };
  if (wire === 'bedrock') return {};
  if (wire === 'compatible' && /^https?:\/\/(?:localhost|127\.|\[::1\])/i.test(url))
    return { lists: 'openai' };
  return { publishes: wire === 'anthropic' || wire === 'google' ? wire : 'openai' };
}

function filledIn(
  values: { readonly [name: string]: string },
  fill: (text: string) => string | undefined,
): { readonly [name: string]: string } {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, text]) => {
      const value = fill(text);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function filledAs<K extends 'url' | 'key'>(
  name: K,
  text: string | undefined,
  fill: (text: string) => string | undefined,
): { readonly [N in K]?: string } {
  const value = text === undefined ? undefined : fill(text);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the name is the only key
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in K]?: string };
}
