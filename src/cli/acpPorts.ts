// What the ACP door is given of this machine: the accounts at model providers.
import { providers } from '../agents/native/models/providers.ts';
import type { Provider } from '../agents/native/models/providers.ts';
import { keyVariables } from '../agents/native/models/standing.ts';
import type { Account, Accounts } from '../doors/acp/accounts.ts';
import type { AcpOptions } from '../doors/acp/door.ts';
import { dataPaths } from '../io/paths.ts';
import { openSecrets } from '../io/secrets.ts';
import type { Secrets } from '../io/secrets.ts';
import { offered } from './services.ts';

export function acpPorts(env: NodeJS.ProcessEnv): Pick<AcpOptions, 'accounts'> {
  return { accounts: accountsOf(env, openSecrets(dataPaths(env).secrets)) };
}

function accountsOf(env: NodeJS.ProcessEnv, secrets: Secrets): Accounts {
  return {
    list: () => providers.flatMap((provider) => accountOf(provider, env, secrets)),
    refresh: () => offered()?.models.refresh(),
    forget() {
      for (const { id } of providers) secrets.delete(id);
      offered()?.models.refresh();
    },
    watch(changed) {
      const source = offered()?.models.source;
      return source && 'watch' in source ? source.watch(changed) : () => {};
    },
  };
}

/** The environment wins over what was stored. */
function accountOf(provider: Provider, env: NodeJS.ProcessEnv, secrets: Secrets): readonly Account[] {
  const variable = keyVariables(provider).find((name) => (env[name] ?? '') !== '');
  const stored = secrets.get(provider.id) === undefined ? [] : [{ label: `${provider.name} (stored key)`, active: variable === undefined }];
  return variable === undefined ? stored : [{ label: `${provider.name} (${variable})`, active: true }, ...stored];
}
