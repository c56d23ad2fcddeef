// Whether a provider can be used as things are, and how: its address, its key, its wire. Decides from what it is given and reads nothing itself.
import type { Provider, WireName } from './providers.ts';

export type Environment = { readonly [name: string]: string | undefined };

export interface Usable {
  readonly usable: true;
  readonly url: string;
  readonly key: string | undefined;
  /** Where the key was found; never the key itself. */
  readonly keyFrom: string | undefined;
  readonly wire: WireName;
  /** What goes with every request besides what the provider always wants. */
  readonly headers?: { readonly [name: string]: string };
  /** Models the user named beyond the usual ones. */
  readonly models: readonly string[];
}

export interface Unusable {
  readonly usable: false;
  readonly why: string;
  /** Models the user named, where all that is wrong is the address: who chooses one is told. */
  readonly models?: readonly string[];
}

/** `stored` is the key from `parley login`. The environment wins over it and over the settings, unless these say otherwise. */
export function standingOf(
  provider: Provider,
  env: Environment,
  stored: string | undefined,
): Usable | Unusable {
  const prefix = prefixOf(provider.id);
  const wire = env[`${prefix}_API_WIRE`] ?? provider.wire;
  const { overEnvironment = false } = provider.given ?? {};
  const set = {
    url: provider.given?.url || undefined,
    key: provider.given?.key?.trim() === '' ? undefined : provider.given?.key,
  };
  const address = env[`${prefix}_API_URL`]?.trim() || undefined;
  const given = overEnvironment ? (set.url ?? address) : (address ?? set.url);
  const url =
    given === undefined
      ? filled(provider.url, env)
      : withVersion(given, provider.given?.path === undefined ? provider.version : '', wire);
  if (url === undefined)
    return {
      usable: false,
      why: `no address: set ${[`${prefix}_API_URL`, ...variablesIn(provider.url)].join(' or ')}`,
    };
  const named = [
    ...Object.keys(provider.given?.models ?? {}),
    ...(env[`${prefix}_API_MODELS`] ?? '')
      .split(',')
      .map((model) => model.trim())
      .filter(Boolean),
  ];
  const variable =
    overEnvironment && set.key !== undefined
      ? undefined
      : keyVariables(provider).find((name) => (env[name] ?? '').trim() !== '');
  const key = plainKey((variable === undefined ? undefined : env[variable]) ?? set.key ?? stored);
  if (key === null)
    return { usable: false, why: `the key in ${variable ?? 'the settings'} has blanks or line ends in it` };
  const signed =
    key === undefined
      ? provider.signs?.find((names) => names.every((name) => (env[name] ?? '') !== ''))?.[0]
      : undefined;
  if (key === undefined && signed === undefined && provider.key !== 'none')
    return {
      usable: false,
      why: `no key: set ${keyVariables(provider)[0]} or run "parley login ${provider.id}"`,
    };
  if (!isWire(wire)) return { usable: false, why: `${prefix}_API_WIRE is none of ${wires.join(', ')}` };
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return {
      usable: false,
      why: `${given === set.url ? 'the address in the settings' : `${prefix}_API_URL`} is not an address; write it as https://…`,
      models: named,
    };
  return {
    usable: true,
    url,
    key,
    keyFrom:
      signed ??
      variable ??
      (set.key !== undefined ? 'settings' : stored === undefined ? undefined : 'parley login'),
    wire,
    models: named,
  };
}

/** Keys are pasted with line ends around them; what is wrong inside nobody can mend, and null says so. */
function plainKey(key: string | undefined): string | null | undefined {
  const plain = key?.trim().replace(/^(["'])(.*)\1$/, '$2');
  return plain !== undefined && !/^[\x21-\x7e]+$/.test(plain) ? null : plain;
}

export function keyVariables({ id, key }: Provider): readonly string[] {
  return [`${prefixOf(id)}_API_KEY`, ...(key === 'none' ? [] : key)];
}

function prefixOf(id: string): string {
  return id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

const places = /\{([\w|]+)\}/g;

function variablesIn(url = ''): readonly string[] {
  return [...url.matchAll(places)].map(([, names = '']) => names.split('|')[0] ?? '');
}

/** Undefined where a variable is not set, or is no plain word: it must not become another address. */
function filled(url: string | undefined, env: Environment): string | undefined {
  const value = (names: string) =>
    names
      .split('|')
      .map((name) => env[name] ?? '')
      .find((word) => word !== '') ?? '';
  if (![...(url ?? '').matchAll(places)].every(([, names = '']) => /^[\w-]+$/.test(value(names))))
    return undefined;
  return url?.replaceAll(places, (_, names: string) => value(names));
}

/** Users give addresses with and without the version, and with the path that each format adds itself; the version is kept and nothing else. The address of a deployment is whole as it is. */
function withVersion(url: string, version: string, wire: string): string {
  const [address = '', ...query] = url.split('?');
  const plain = address.replace(/\/+$/, '').replace(endpoint, '');
  const bare = wire === 'ollama' ? plain.replace(/\/(?:v1|api)$/, '') : plain;
  // A gateway has its version further up, which is enough for all but those whose own path has one.
  const versioned =
    wire === 'anthropic' ? /\/v\d+(?:alpha|beta)?\d*$/ : /\/v\d+(?:alpha|beta)?\d*(?:\/|$)|\/deployments\//;
  return [versioned.test(bare) ? bare : bare + version, ...query].join('?');
}

/** What people copy along with an address. */
const endpoint =
  /\/+(?:chat\/completions|completions|responses|messages|models|api\/(?:chat|tags|generate))$/;

const wires: readonly WireName[] = [
  'anthropic',
  'openai-responses',
  'openai-chat',
  'google',
  'compatible',
  'bedrock',
  'ollama',
];

function isWire(name: string): name is WireName {
  return wires.some((wire) => wire === name);
}
