// The model providers as ECA clients see and sign in to them: all of them by a key, which is kept where `parley login` keeps it.
import { providerOf, providers as known, splitModel } from '../agents/native/models/providers.ts';
import type { Provider } from '../agents/native/models/providers.ts';
import { keyVariables, standingOf } from '../agents/native/models/standing.ts';
import type { Providers } from '../doors/eca/options.ts';
import type { LoginStep, ProviderAuth, ProviderStatus } from '../protocols/eca/serviceMessages.ts';
import { openSecrets } from '../io/secrets.ts';
import { offered } from './services.ts';

export function ecaProviders(env: NodeJS.ProcessEnv, secretsFile: string): Providers {
  const secrets = openSecrets(secretsFile);
  const watchers = new Set<(provider: ProviderStatus) => void>();
  const statusOf = (provider: Provider) => status(provider, { env, stored: secrets.get(provider.id) });
  const changed = (provider: Provider) => {
    offered()?.models.refresh();
    for (const tell of [...watchers]) tell(statusOf(provider));
  };
  return {
    list: () => [...known.map(statusOf), ...others()],
    login: async (id) => {
      const provider = providerOf(id);
      return provider ? step(provider, env) : unknown(id);
    },
    input: async (id, data) => {
      const provider = providerOf(id);
      const key = (data['api-key'] ?? '').trim();
      if (!provider) return unknown(id);
      if (key === '' || /\s/.test(key)) return { refused: 'A key has no blanks in it and is not empty.' };
      secrets.set(provider.id, key);
      changed(provider);
      return { action: 'done' };
    },
    logout: async (id) => {
      const provider = providerOf(id);
      if (!provider) return unknown(id);
      secrets.delete(provider.id);
      changed(provider);
      return undefined;
    },
    watch: (tell) => {
      watchers.add(tell);
      return () => void watchers.delete(tell);
    },
  };
}

const keyField = { key: 'api-key', label: 'API Key', type: 'secret' } as const;

/** There is one way for each, so nobody has to choose. */
function step(provider: Provider, env: NodeJS.ProcessEnv): LoginStep | { readonly refused: string } {
  if (provider.key === 'none') return { refused: `${provider.name} needs no key: start it and its models appear.` };
  const standing = standingOf(provider, env, 'some key');
  return standing.usable ? { action: 'input', fields: [keyField] } : { refused: `${provider.name} cannot be used: ${standing.why}.` };
}

function unknown(id: string): { readonly refused: string } {
  return { refused: `Unknown provider: ${id}` };
}

interface Given {
  readonly env: NodeJS.ProcessEnv;
  readonly stored: string | undefined;
}

function status(provider: Provider, given: Given): ProviderStatus {
  const standing = standingOf(provider, given.env, given.stored);
  return {
    id: provider.id, label: provider.name, configured: standing.usable, auth: authOf(provider, given), models: modelsOf(provider.id),
    ...(provider.key === 'none' ? {} : { login: { methods: [{ key: 'api-key', label: 'Enter API key' }] } }),
    settings: { api: provider.wire, ...(provider.url === undefined ? {} : { url: provider.url }) },
  };
}

function authOf(provider: Provider, { env, stored }: Given): ProviderAuth {
  if (provider.key === 'none') return { status: modelsOf(provider.id).length > 0 ? 'local' : 'not-running' };
  const envVar = keyVariables(provider).find((name) => (env[name] ?? '') !== '');
  if (envVar !== undefined) return { status: 'authenticated', type: 'api-key', source: 'env', envVar };
  return stored === undefined ? { status: 'unauthenticated' } : { status: 'authenticated', type: 'api-key', source: 'login', mode: 'api-key' };
}

function models(): readonly { readonly id: string; readonly variants?: readonly string[] }[] {
  const source = offered()?.models.source ?? [];
  return 'list' in source ? source.list() : source;
}

function modelsOf(provider: string): ProviderStatus['models'] {
  return models().flatMap(({ id, variants }) => {
    const { provider: owner, model } = splitModel(id);
    const capabilities = { reason: (variants?.length ?? 0) > 0, vision: false, tools: true, webSearch: false, imageGeneration: false };
    return owner === provider ? [{ id: model, capabilities }] : [];
  });
}

/** Models that belong to none of them, such as the built-in demo, have a provider that needs nothing. */
function others(): readonly ProviderStatus[] {
  const owners = new Set(models().map(({ id }) => splitModel(id).provider));
  return [...owners].filter((id) => !providerOf(id)).map((id) => ({ id, configured: true, auth: { status: 'local' }, models: modelsOf(id) }));
}
