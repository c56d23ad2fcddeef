// `parley logout PROVIDER`: forgets a stored key. A key in the environment is not ours to remove, so it is mentioned.
import { keyVariables } from '../agents/native/models/standing.ts';
import { dataPaths } from '../io/paths.ts';
import { openSecrets } from '../io/secrets.ts';
import { askHost } from './askHost.ts';
import { providerNamed } from './login.ts';

export async function run(args: readonly string[]): Promise<number> {
  const provider = providerNamed(args);
  const there = openSecrets(dataPaths(process.env).secrets).delete(provider.id);
  if (there) await askHost('refresh');
  process.stdout.write(there ? `The key for ${provider.name} is forgotten.\n` : `No key for ${provider.name} is stored.\n`);
  const variable = keyVariables(provider).find((name) => (process.env[name] ?? '') !== '');
  if (variable !== undefined) process.stdout.write(`${variable} is set and goes on being used.\n`);
  return 0;
}
