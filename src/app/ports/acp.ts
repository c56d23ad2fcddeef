// What the ACP door is given of this machine: the accounts at model providers, and the ways there.
import type { Catalogue } from '../../agents/native/models/catalogue/catalogue.ts';
import { providers } from '../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import { keyVariables } from '../../agents/native/models/providers/standing.ts';
import type { Account, Accounts } from '../../doors/acp/inbound/accounts.ts';
import type { AcpOptions } from '../../doors/acp/door.ts';
import type { Complete } from '../../doors/acp/unstable/nes/predict.ts';
import type { Routes } from '../../doors/acp/unstable/providers.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import type { Secrets } from '../../io/auth/secrets.ts';
import { ecaOneShot } from './eca/oneShot.ts';
import { forgetLogin, storedKey } from '../models/providerLogins.ts';
import { offered } from '../app.ts';

export function acpPorts(env: NodeJS.ProcessEnv): Pick<AcpOptions, 'accounts' | 'routes' | 'complete'> {
  return {
    accounts: accountsOf(env, openSecrets(dataPaths(env).secrets)),
    routes,
    complete: completeWith(ecaOneShot(env)),
  };
}

/** A problem on the way is no suggestion: whoever types is not interrupted by it. */
function completeWith(shot: ReturnType<typeof ecaOneShot>): Complete {
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

const routes: Routes = {
  list() {
    const models = catalogue();
    return models?.routes.list((provider) => models.standing(provider)) ?? [];
  },
  set: (...wish) => (catalogue() ? catalogue()?.routes.set(...wish) : 'There are no providers here.'),
  disable: (...wish) => catalogue()?.routes.disable(...wish),
  release: (owner) => catalogue()?.routes.release(owner),
};

/** A script stands for every model where tests ask for it, and has no providers. */
function catalogue(): Catalogue | undefined {
  const source = offered()?.models.source;
  return source && 'routes' in source ? source : undefined;
}

function accountsOf(env: NodeJS.ProcessEnv, secrets: Secrets): Accounts {
  return {
    list: () => providers.flatMap((provider) => accountOf(provider, env, secrets)),
    refresh: () => offered()?.models.refresh(),
    forget() {
      for (const { id } of providers) forgetLogin(id, secrets);
      offered()?.models.refresh();
    },
    watch(changed) {
      return catalogue()?.watch(changed) ?? (() => {});
    },
  };
}

/** The environment wins over what was stored. */
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
