// The model providers as ECA clients list them and sign in to them. Keys are stored where
// `parley login` stores them.
import { providerOf, splitModel } from '../../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../../agents/native/models/providers/providers.ts';
import { keyVariables, resolveAccess } from '../../../agents/native/models/providers/access.ts';
import type { EcaProviders } from '../../../doors/eca/options.ts';
import type { LoginStep, ProviderAuth, ProviderStatus } from '../../../protocols/eca/serviceMessages.ts';
import type { LoginState, LoginStep as Step, LoginWay } from '../../../host/settings/providerLogins.ts';
import { openSecrets } from '../../../io/auth/secrets.ts';
import { realClock } from '../../../io/store/realWorld.ts';
import { openBrowser } from '../../../io/processes/openBrowser.ts';
import { storedKey } from '../../models/providerLogins.ts';
import type { ProviderLogins } from '../../models/providerLogins.ts';
import { usableModels } from '../../models/openModels.ts';
import type { Models } from '../../models/openModels.ts';
import { present } from '../../../base/present.ts';

/** The part of `App` that is needed here. */
export interface ProviderSource {
  readonly env: NodeJS.ProcessEnv;
  readonly paths: { readonly secrets: string };
  readonly models: Pick<Models, 'source' | 'providers' | 'logins' | 'refresh'>;
}

export function ecaProviders({ env, paths, models }: ProviderSource): EcaProviders {
  const secrets = openSecrets(paths.secrets);
  const { logins } = models;
  const statusOf = (provider: Provider) =>
    providerStatus(provider, {
      env,
      storedKey: storedKey(provider.id, secrets),
      logins,
      models: modelsOf(provider.id, models),
    });
  return {
    list: () => [...models.providers().map(statusOf), ...otherOwners(models)],
    login: async (id, method) => {
      const step = await logins.begin(id, method === manualKey ? 'api-key' : method);
      if ('refused' in step) return step;
      if (step.kind === 'visit' || step.kind === 'device') openBrowser(step.url);
      return stepOf(step);
    },
    input: async (id, data) => (await logins.answer(id, data)) ?? { action: 'done' },
    logout: async (id) => {
      if (!providerOf(id)) return { refused: `Unknown provider: ${id}` };
      logins.forget(id);
      return undefined;
    },
    watch: (changed) =>
      logins.watch((id) => {
        models.refresh();
        const provider = models.providers().find((candidate) => candidate.id === id);
        if (provider) changed(statusOf(provider));
      }),
  };
}

/** The name that ECA clients use for a typed key if a provider has other sign-in methods, too. */
const manualKey = 'manual';

function methodsOf(ways: readonly LoginWay[]): readonly LoginWay[] {
  return ways.length === 1
    ? ways
    : ways.map((way) => (way.key === 'api-key' ? { ...way, key: manualKey } : way));
}

function stepOf(step: Step): LoginStep {
  switch (step.kind) {
    case 'choose':
      return { action: 'choose-method', methods: methodsOf(step.ways) };
    case 'fields':
      return { action: 'input', fields: step.fields };
    case 'device':
      return {
        action: 'device-code',
        url: step.url,
        code: step.code,
        message: `Go to ${step.url} and enter the code ${step.code}.`,
      };
    case 'visit':
      return 'fields' in step
        ? {
            action: 'authorize',
            url: step.url,
            message: `Go to ${step.url} and paste the code it shows.`,
            fields: step.fields,
          }
        : { action: 'authorize', url: step.url, message: `Go to ${step.url} to sign in.` };
    default:
      return step satisfies never;
  }
}

interface StatusSource {
  readonly env: NodeJS.ProcessEnv;
  readonly storedKey: string | undefined;
  readonly logins: ProviderLogins;
  readonly models: ProviderStatus['models'];
}

function providerStatus(provider: Provider, source: StatusSource): ProviderStatus {
  const standing = resolveAccess(provider, source.env, source.storedKey);
  return {
    id: provider.id,
    label: provider.name,
    configured: standing.usable,
    auth: authOf(provider, source),
    models: source.models,
    ...(provider.key === 'none' ? {} : { login: { methods: methodsOf(source.logins.ways(provider.id)) } }),
    settings: present({ api: provider.wire, url: provider.url }),
  };
}

function authOf(provider: Provider, { env, storedKey: stored, logins, models }: StatusSource): ProviderAuth {
  if (provider.key === 'none') return { status: models.length > 0 ? 'local' : 'not-running' };
  const fromSettings: ProviderAuth | undefined = provider.config?.key
    ? { status: 'authenticated', type: 'api-key', source: 'config' }
    : undefined;
  if (fromSettings && provider.config?.overEnvironment) return fromSettings;
  const envVar = keyVariables(provider).find((name) => (env[name] ?? '') !== '');
  if (envVar !== undefined) return { status: 'authenticated', type: 'api-key', source: 'env', envVar };
  if (fromSettings) return fromSettings;
  if (stored === undefined) return { status: 'unauthenticated' };
  const state = logins.state(provider.id);
  if (state.kind !== 'signed-in')
    return { status: 'authenticated', type: 'api-key', source: 'login', mode: 'api-key' };
  return {
    status: loginStatus(state),
    type: 'oauth',
    source: 'login',
    mode: state.way,
    ...(state.expires === undefined ? {} : { expiresAt: Math.floor(state.expires / 1000) }),
  };
}

const day = 86_400_000;

/** A sign-in that we renew automatically never expires for the user. */
function loginStatus({
  renews,
  expires,
}: Extract<LoginState, { kind: 'signed-in' }>): ProviderAuth['status'] {
  if (renews || expires === undefined) return 'authenticated';
  const left = expires - realClock.now();
  if (left <= 0) return 'expired';
  return left < day ? 'expiring' : 'authenticated';
}

function modelsOf(provider: string, { source }: ProviderSource['models']): ProviderStatus['models'] {
  return usableModels(source).flatMap(({ id, variants, pictures, serves = [] }) => {
    const { provider: owner, model } = splitModel(id);
    const capabilities = {
      reason: (variants?.length ?? 0) > 0,
      vision: pictures ?? false,
      tools: true,
      webSearch: serves.includes('web_search'),
      imageGeneration: serves.includes('image_generation'),
    };
    return owner === provider ? [{ id: model, capabilities }] : [];
  });
}

/** Providers of models that are not in the catalogue, such as the built-in demo. They need no sign-in. */
function otherOwners(models: ProviderSource['models']): readonly ProviderStatus[] {
  const owners = new Set(usableModels(models.source).map(({ id }) => splitModel(id).provider));
  return [...owners]
    .filter((id) => !models.providers().some((provider) => provider.id === id))
    .map((id) => ({ id, configured: true, auth: { status: 'local' }, models: modelsOf(id, models) }));
}
