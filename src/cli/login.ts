// `parley login PROVIDER`: stores a key that is asked for on the terminal without echo, or read from standard input.
import { parseArgs } from 'node:util';
import { providerOf, providers } from '../agents/native/models/providers.ts';
import type { Provider } from '../agents/native/models/providers.ts';
import { dataPaths } from '../io/paths.ts';
import { openSecrets } from '../io/secrets.ts';
import { askHost } from './askHost.ts';
import { askSecret } from './askSecret.ts';
import { UsageError } from './say.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: { 'key-stdin': { type: 'boolean' } }, allowPositionals: true });
  const provider = providerNamed(positionals);
  const key = (values['key-stdin'] ? await readInput() : await askSecret(`Key for ${provider.name}: `)).trim();
  if (key === '') throw new Error('no key was given; nothing is stored.');
  if (/\s/.test(key)) throw new Error('a key has no blanks in it; nothing is stored.');
  const path = dataPaths(process.env).secrets;
  openSecrets(path).set(provider.id, key);
  // A host that runs already learns of it at once.
  await askHost('refresh');
  process.stdout.write(`The key for ${provider.name} is stored in ${path}. "parley models" lists what you can use now.\n`);
  return 0;
}

/** The provider that a command names; in words that help where it names none. */
export function providerNamed(names: readonly string[]): Provider {
  const [name = '', ...more] = names;
  const provider = providerOf(name);
  const known = providers.map(({ id }) => id).join(', ');
  if (more.length > 0 || name === '') throw new UsageError(`one provider is needed: ${known}.`);
  if (!provider) throw new UsageError(`there is no provider named "${name}". The providers are: ${known}.`);
  return provider;
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
