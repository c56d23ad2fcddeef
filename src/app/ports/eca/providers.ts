// The model providers as ECA clients see and sign in to them; what is kept of it is kept where `parley login` keeps it.
import type { LanguageModel } from '../../../agents/native/model.ts';
import {
  providerOf,
  providers as usual,
  splitModel,
} from '../../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../../agents/native/models/providers/providers.ts';
import { keyVariables, standingOf } from '../../../agents/native/models/providers/standing.ts';
import type { Providers } from '../../../doors/eca/options.ts';
import type { LoginStep, ProviderAuth, ProviderStatus } from '../../../protocols/eca/serviceMessages.ts';
import type { LoginState, LoginStep as Step, LoginWay } from '../../../host/settings/providerLogins.ts';
import { openSecrets } from '../../../io/auth/secrets.ts';
import { realClock } from '../../../io/store/realWorld.ts';
import { openBrowser } from '../../../cli/openBrowser.ts';
import { providerLogins, storedKey } from '../../models/providerLogins.ts';
import type { ProviderLogins } from '../../models/providerLogins.ts';
import { offered } from '../../app.ts';

export function ecaProviders(env: NodeJS.ProcessEnv, secretsFile: string): Providers {
  const secrets = openSecrets(secretsFile);
  const logins =
    offered()?.models.logins ??
    providerLogins({ env, secrets, clock: realClock, fetch: (input, init) => fetch(input, init) });
  const known = () => offered()?.models.providers() ?? usual;
  const statusOf = (provider: Provider) =>
    status(provider, { env, stored: storedKey(provider.id, secrets), logins });
  return {
    list: () => [...known().map(statusOf), ...others(known())],
    login: async (id, method) => {
      const step = await logins.begin(id, method === manual ? 'api-key' : method);
      if ('refused' in step) return step;
      if (step.kind === 'visit' || step.kind === 'device') openBrowser(step.url);
      return stepOf(step);
    },
    input: async (id, data) => (await logins.answer(id, data)) ?? { action: 'done' },
    logout: async (id) => {
      if (!providerOf(id)) return unknown(id);
      logins.forget(id);
      return undefined;
    },
    watch: (tell) =>
      logins.watch((id) => {
        offered()?.models.refresh();
        const provider = known().find((each) => each.id === id);
        if (provider) tell(statusOf(provider));
      }),
  };
}

/** What ECA clients call a key that is typed in, where there are other ways too. */
const manual = 'manual';

function methodsOf(ways: readonly LoginWay[]): readonly LoginWay[] {
  return ways.length === 1
    ? ways
    : ways.map((way) => (way.key === 'api-key' ? { ...way, key: manual } : way));
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
            message: `Go to ${step.url} and bring back the code that it shows.`,
            fields: step.fields,
          }
        : { action: 'authorize', url: step.url, message: `Go to ${step.url} to sign in.` };
    default:
      return step satisfies never;
  }
}

function unknown(id: string): { readonly refused: string } {
  return { refused: `Unknown provider: ${id}` };
}

interface Given {
  readonly env: NodeJS.ProcessEnv;
  readonly stored: string | undefined;
  readonly logins: ProviderLogins;
}

function status(provider: Provider, given: Given): ProviderStatus {
  const standing = standingOf(provider, given.env, given.stored);
  return {
    id: provider.id,
    label: provider.name,
    configured: standing.usable,
    auth: authOf(provider, given),
    models: modelsOf(provider.id),
    ...(provider.key === 'none' ? {} : { login: { methods: methodsOf(given.logins.ways(provider.id)) } }),
    settings: { api: provider.wire, ...(provider.url === undefined ? {} : { url: provider.url }) },
  };
}

function authOf(provider: Provider, { env, stored, logins }: Given): ProviderAuth {
  if (provider.key === 'none') return { status: modelsOf(provider.id).length > 0 ? 'local' : 'not-running' };
  const set: ProviderAuth | undefined = provider.given?.key
    ? { status: 'authenticated', type: 'api-key', source: 'config' }
    : undefined;
  if (set && provider.given?.overEnvironment) return set;
  const envVar = keyVariables(provider).find((name) => (env[name] ?? '') !== '');
  if (envVar !== undefined) return { status: 'authenticated', type: 'api-key', source: 'env', envVar };
  if (set) return set;
  if (stored === undefined) return { status: 'unauthenticated' };
  const state = logins.state(provider.id);
  if (state.kind !== 'signed-in')
    return { status: 'authenticated', type: 'api-key', source: 'login', mode: 'api-key' };
  return {
    status: standingAt(state),
    type: 'oauth',
    source: 'login',
    mode: state.way,
    ...(state.expires === undefined ? {} : { expiresAt: Math.floor(state.expires / 1000) }),
  };
}

/** What renews itself never expires for its user. */
function standingAt({ renews, expires }: Extract<LoginState, { kind: 'signed-in' }>): ProviderAuth['status'] {
  if (renews || expires === undefined) return 'authenticated';
  const left = expires - realClock.now();
  return left <= 0 ? 'expired' : left < 86_400_000 ? 'expiring' : 'authenticated';
}

function models(): readonly Pick<LanguageModel, 'id' | 'variants' | 'pictures' | 'serves'>[] {
  const source = offered()?.models.source ?? [];
  return 'list' in source ? source.list() : source;
}

function modelsOf(provider: string): ProviderStatus['models'] {
  return models().flatMap(({ id, variants, pictures, serves = [] }) => {
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

/** Models that belong to none of them, such as the built-in demo, have a provider that needs nothing. */
function others(known: readonly Provider[]): readonly ProviderStatus[] {
  const owners = new Set(models().map(({ id }) => splitModel(id).provider));
  return [...owners]
    .filter((id) => !known.some((provider) => provider.id === id))
    .map((id) => ({ id, configured: true, auth: { status: 'local' }, models: modelsOf(id) }));
}
