// `parley logout PROVIDER`: removes a stored key, and mentions one in the environment,
// which we cannot remove.
import { keyVariables } from '../../agents/native/models/providers/access.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { refreshHost } from '../client/controlClient.ts';
import { readProvider } from './login.ts';
import { providerLogins } from '../../app/models/providerLogins.ts';
import { print } from '../output.ts';

export async function run(args: readonly string[]): Promise<number> {
  const provider = readProvider(args);
  const removed = providerLogins({
    env: process.env,
    secrets: openSecrets(dataPaths(process.env).secrets),
    clock: realClock,
    fetch,
  }).forget(provider.id);
  if (removed) await refreshHost();
  print(removed ? `Removed the ${provider.name} key.\n` : `No key is stored for ${provider.name}.\n`);
  const variable = keyVariables(provider).find((name) => (process.env[name] ?? '') !== '');
  if (variable !== undefined) print(`${variable} is set and still in use.\n`);
  return 0;
}
