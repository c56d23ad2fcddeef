// Decides whether a provider can be used, and with which address, key and wire format. Pure: the caller
// passes the environment and the stored key.
import { providerOf } from './providers.ts';
import { isWireName, wireFormats } from '../wires/formats.ts';
import type { Provider, WireName } from './providers.ts';

export type EnvironmentVariables = { readonly [name: string]: string | undefined };

/** How to reach a provider, or why it cannot be used. */
export type ProviderAccess = UsableProvider | UnusableProvider;

export interface UsableProvider {
  readonly usable: true;
  readonly url: string;
  readonly key: string | undefined;
  /** Where the key comes from; never the key itself. */
  readonly keyFrom: string | undefined;
  readonly wire: WireName;
  /** Headers of every request, in addition to the provider's own. */
  readonly headers?: { readonly [name: string]: string };
  /** Models that the user named in addition to the usual ones. */
  readonly models: readonly string[];
}

export interface UnusableProvider {
  readonly usable: false;
  readonly why: string;
  /**
   * Models that the user named. Set only if just the address is wrong: these models are listed
   * and report the problem.
   */
  readonly models?: readonly string[];
}

/**
 * `storedKey` is the key from `parley login`. Environment variables win over settings and over the stored
 * key, unless the settings contain `overEnvironment`.
 */
export function resolveAccess(
  provider: Provider,
  env: EnvironmentVariables,
  storedKey: string | undefined,
): ProviderAccess {
  const prefix = variablePrefix(provider.id);
  const wire = env[`${prefix}_API_WIRE`] ?? provider.wire;
  const address = resolveAddress(provider, env, wire);
  if (!address) return unusable(missingAddress(provider));
  const credentials = resolveCredentials(provider, env, storedKey);
  if ('why' in credentials) return unusable(credentials.why);
  if (!isWireName(wire))
    return unusable(`${prefix}_API_WIRE must be one of ${Object.keys(wireFormats).join(', ')}`);
  const models = namedModels(provider, env);
  if (!isWebAddress(address.url))
    return { ...unusable(`${address.source} is not an address; write it as https://…`), models };
  return { usable: true, url: address.url, ...credentials, wire, models };
}

export function keyVariables({ id, key }: Provider): readonly string[] {
  return [`${variablePrefix(id)}_API_KEY`, ...(key === 'none' ? [] : key)];
}

function unusable(why: string): UnusableProvider {
  return { usable: false, why };
}

interface Address {
  readonly url: string;
  /** What error messages call the place where the user wrote it. */
  readonly source: string;
}

/** Undefined if there is no address, or if a variable in it has no value. */
function resolveAddress(provider: Provider, env: EnvironmentVariables, wire: string): Address | undefined {
  const { config } = provider;
  const variable = `${variablePrefix(provider.id)}_API_URL`;
  const fromEnvironment = env[variable]?.trim() || undefined;
  const fromSettings = config?.url || undefined;
  const written = config?.overEnvironment
    ? (fromSettings ?? fromEnvironment)
    : (fromEnvironment ?? fromSettings);
  const source = written === fromSettings ? 'the address in the settings' : variable;
  if (written !== undefined) {
    const version = config?.path === undefined ? provider.version : '';
    return { url: withVersion(written, version, wire), source };
  }
  const url = fillVariables(provider.url, env);
  return url === undefined ? undefined : { url, source };
}

function missingAddress({ id, url }: Provider): string {
  return `no address: set ${[`${variablePrefix(id)}_API_URL`, ...variablesIn(url)].join(' or ')}`;
}

type Credentials = Pick<UsableProvider, 'key' | 'keyFrom'>;

function resolveCredentials(
  provider: Provider,
  env: EnvironmentVariables,
  storedKey: string | undefined,
): Credentials | { readonly why: string } {
  const chosen = chooseKey(provider, env, storedKey);
  if (chosen) {
    const key = cleanKey(chosen.key);
    if (key !== undefined) return { key, keyFrom: chosen.from };
    const source = chosen.from === 'settings' ? 'the settings' : chosen.from;
    return { why: `the key from ${source} contains spaces or line breaks` };
  }
  const signing = provider.signingVariables?.find((names) => names.every((name) => isSet(env[name])));
  if (signing) return { key: undefined, keyFrom: signing[0] };
  if (provider.key === 'none') return { key: undefined, keyFrom: undefined };
  const cure = providerOf(provider.id)
    ? `run "parley login ${provider.id}"`
    : `write providers.${provider.id}.key in the settings`;
  return { why: `no key: set ${keyVariables(provider)[0]} or ${cure}` };
}

interface ChosenKey {
  readonly key: string;
  /** A variable, `settings` or `parley login`. */
  readonly from: string;
}

function chooseKey(
  provider: Provider,
  env: EnvironmentVariables,
  storedKey: string | undefined,
): ChosenKey | undefined {
  const { key: configured, overEnvironment = false } = provider.config ?? {};
  const inSettings: ChosenKey | undefined =
    configured === undefined || configured.trim() === '' ? undefined : { key: configured, from: 'settings' };
  if (overEnvironment && inSettings) return inSettings;
  const variable = keyVariables(provider).find((name) => (env[name] ?? '').trim() !== '');
  const inEnvironment = variable === undefined ? undefined : env[variable];
  if (variable !== undefined && inEnvironment !== undefined) return { key: inEnvironment, from: variable };
  return inSettings ?? (storedKey === undefined ? undefined : { key: storedKey, from: 'parley login' });
}

/**
 * Removes quotes and line ends that were pasted along; undefined if the key contains
 * characters that no key has.
 */
function cleanKey(key: string): string | undefined {
  const plain = key.trim().replace(/^(["'])(.*)\1$/, '$2');
  return /^[\x21-\x7e]+$/.test(plain) ? plain : undefined;
}

function namedModels({ id, config }: Provider, env: EnvironmentVariables): readonly string[] {
  const listed = (env[`${variablePrefix(id)}_API_MODELS`] ?? '').split(',').map((model) => model.trim());
  return [...Object.keys(config?.models ?? {}), ...listed.filter(Boolean)];
}

function isSet(value: string | undefined): boolean {
  return (value ?? '') !== '';
}

function variablePrefix(id: string): string {
  return id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

const placeholder = /\{([\w|]+)\}/g;

function variablesIn(url = ''): readonly string[] {
  return [...url.matchAll(placeholder)].map(([, names = '']) => names.split('|')[0] ?? '');
}

/**
 * Undefined if a variable is missing or contains anything but word characters: a value
 * must not change the host.
 */
function fillVariables(url: string | undefined, env: EnvironmentVariables): string | undefined {
  const valueOf = (names: string) =>
    names
      .split('|')
      .map((name) => env[name] ?? '')
      .find((value) => value !== '') ?? '';
  const isFilled = [...(url ?? '').matchAll(placeholder)].every(([, names = '']) =>
    /^[\w-]+$/.test(valueOf(names)),
  );
  return isFilled ? url?.replaceAll(placeholder, (_, names: string) => valueOf(names)) : undefined;
}

/**
 * Users write addresses with and without the version, and with the path that each wire format adds. The
 * result has the version and no such path. The address of a deployment stays as it is.
 */
function withVersion(url: string, version: string, wire: string): string {
  const [address = '', ...query] = url.split('?');
  const plain = address.replace(/\/+$/, '').replace(endpointPath, '');
  const base = wire === 'ollama' ? plain.replace(/\/(?:v1|api)$/, '') : plain;
  // A gateway has its version earlier in the path. Only Anthropic's format needs one at the end.
  const versioned =
    wire === 'anthropic' ? /\/v\d+(?:alpha|beta)?\d*$/ : /\/v\d+(?:alpha|beta)?\d*(?:\/|$)|\/deployments\//;
  return [versioned.test(base) ? base : base + version, ...query].join('?');
}

/** Paths that users copy together with an address. */
const endpointPath =
  /\/+(?:chat\/completions|completions|responses|messages|models|api\/(?:chat|tags|generate))$/;

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
