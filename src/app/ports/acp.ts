// What the ACP door needs from this host: the accounts at model providers, their routes, and completion.
import type { ModelCatalogue } from '../../agents/native/models/catalogue/modelCatalogue.ts';
import { builtInProviders } from '../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import { keyVariables } from '../../agents/native/models/providers/access.ts';
import type { Account, Accounts } from '../../doors/acp/inbound/accounts.ts';
import type { AcpOptions } from '../../doors/acp/options.ts';
import type { CompletePrompt } from '../../doors/acp/unstable/nes/predict.ts';
import type { ProviderEndpoints } from '../../doors/acp/unstable/providers.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import type { Secrets } from '../../io/auth/secrets.ts';
import { ecaOneShot } from './eca/oneShot.ts';
import { forgetLogin, storedKey } from '../models/providerLogins.ts';
import type { App } from '../app.ts';

export function acpPorts(app: App): Pick<AcpOptions, 'accounts' | 'routes' | 'complete'> {
  const catalogue = catalogueIn(app);
  return {
    accounts: accountsOf(app, catalogue),
    routes: routesOf(catalogue),
    complete: completeWith(ecaOneShot(app)),
  };
}

/** A failed completion is no suggestion, so that an error never interrupts the user's typing. */
function completeWith(shot: ReturnType<typeof ecaOneShot>): CompletePrompt {
  return async (request) => {
    const id = shot.model('completion', []);
    let text = '';
    if (id === undefined) return undefined;
    for await (const part of shot.ask({ model: id, ...request })) {
      if (part.type === 'problem') return undefined;
      if (part.type === 'text') text += part.text;
    }
    return text;
  };
}

function routesOf(catalogue: ModelCatalogue | undefined): ProviderEndpoints {
  return {
    list: () => catalogue?.routes.list((provider) => catalogue.access(provider)) ?? [],
    set: (...route) => (catalogue ? catalogue.routes.set(...route) : 'This host has no model providers.'),
    disable: (...route) => catalogue?.routes.disable(...route),
    release: (owner) => catalogue?.routes.release(owner),
  };
}

/** Undefined for scripted models, which have no providers. */
function catalogueIn({ models: { source } }: App): ModelCatalogue | undefined {
  return 'routes' in source ? source : undefined;
}

function accountsOf({ env, paths, models }: App, catalogue: ModelCatalogue | undefined): Accounts {
  const secrets = openSecrets(paths.secrets);
  return {
    list: () => builtInProviders.flatMap((provider) => accountOf(provider, env, secrets)),
    refresh: () => models.refresh(),
    forget() {
      for (const { id } of builtInProviders) forgetLogin(id, secrets);
      models.refresh();
    },
    watch: (changed) => catalogue?.watch(changed) ?? (() => {}),
  };
}

/** A key in the environment has priority over a stored one. */
function accountOf(provider: Provider, env: NodeJS.ProcessEnv, secrets: Secrets): readonly Account[] {
  const variable = keyVariables(provider).find((name) => (env[name] ?? '') !== '');
  const stored =
    storedKey(provider.id, secrets) === undefined
      ? []
      : [{ label: `${provider.name} (stored key)`, active: variable === undefined }];
  return variable === undefined
    ? stored
    : [{ label: `${provider.name} (${variable})`, active: true }, ...stored];
}
