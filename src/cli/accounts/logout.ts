// `parley logout PROVIDER`: forgets a stored key. A key in the environment is not ours to remove, so it is mentioned.
import { keyVariables } from '../../agents/native/models/providers/standing.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { askHost } from '../client/askHost.ts';
import { providerNamed } from './login.ts';
import { print } from '../output.ts';
import { providerLogins } from '../../app/models/providerLogins.ts';

export async function run(args: readonly string[]): Promise<number> {
  const provider = providerNamed(args);
  const there = providerLogins({
    env: process.env,
    secrets: openSecrets(dataPaths(process.env).secrets),
    clock: realClock,
    fetch,
  }).forget(provider.id);
  if (there) await askHost('refresh');
  print(
    there
      ? `What was stored for ${provider.name} is forgotten.\n`
      : `Nothing is stored for ${provider.name}.\n`,
  );
  const variable = keyVariables(provider).find((name) => (process.env[name] ?? '') !== '');
  if (variable !== undefined) print(`${variable} is set and goes on being used.\n`);
  return 0;
}
