// `parley login PROVIDER`: stores a key that is asked for on the terminal without echo, or read from standard input; or signs in where the vendor has another way.
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { providerOf, providers } from '../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import type { LoginWay } from '../../host/settings/providerLogins.ts';
import type { NotPossible } from '../../host/tools/toolServers.ts';
import { print, printError } from '../output.ts';
import { settled } from '../setup/currentSettings.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { askHost } from '../client/askHost.ts';
import { askSecret } from './askSecret.ts';
import { openBrowser } from '../openBrowser.ts';
import { providerLogins } from '../../app/models/providerLogins.ts';
import type { ProviderLogins } from '../../app/models/providerLogins.ts';
import { safe, UsageError } from '../say.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { 'key-stdin': { type: 'boolean' }, method: { type: 'string' } },
    allowPositionals: true,
  });
  const provider = providerNamed(positionals);
  const path = dataPaths(process.env).secrets;
  const logins = providerLogins({
    env: process.env,
    secrets: openSecrets(path),
    clock: realClock,
    ...settled(process.env),
  });
  const method = values['key-stdin']
    ? 'api-key'
    : (values.method ?? (await chosen(logins.ways(provider.id))));
  const refused =
    method === 'api-key'
      ? await byKey(logins, provider, values['key-stdin'] ? 'input' : 'terminal')
      : await elsewhere(logins, provider, method);
  if (refused) throw new Error(`${safe(refused.refused)} Nothing is stored.`);
  // A host that runs already learns of it at once.
  await askHost('refresh');
  print(
    `${method === 'api-key' ? `The key for ${provider.name} is` : `You are signed in to ${provider.name}, which is`} stored in ${path}. "parley models" lists what you can use now.\n`,
  );
  return 0;
}

async function byKey(
  logins: ProviderLogins,
  provider: Provider,
  from: 'input' | 'terminal',
): Promise<NotPossible | undefined> {
  const key = from === 'input' ? await readInput() : await askSecret(`Key for ${provider.name}: `);
  return logins.answer(provider.id, { 'api-key': key });
}

async function elsewhere(
  logins: ProviderLogins,
  provider: Provider,
  method: string | undefined,
): Promise<NotPossible | undefined> {
  const step = await logins.begin(provider.id, method);
  if ('refused' in step) return step;
  if (step.kind === 'choose')
    return {
      refused: `Say how with --method: ${step.ways.map(({ key }) => key).join(', ')}; a key can be piped in with --key-stdin.`,
    };
  if (step.kind === 'fields') return byKey(logins, provider, 'terminal');
  print(
    `Go to this address to sign in to ${provider.name}:\n\n  ${safe(step.url)}\n\n${step.kind === 'device' ? `and enter the code ${safe(step.code)}\n` : ''}`,
  );
  openBrowser(step.url);
  if ('done' in step) return step.done;
  return logins.answer(provider.id, { code: await askSecret('The code that the page shows: ') });
}

/** Nobody is asked where there is one way only, or no terminal to ask on. */
async function chosen(ways: readonly LoginWay[]): Promise<string | undefined> {
  if (ways.length <= 1 || !process.stdin.isTTY) return ways.length <= 1 ? ways[0]?.key : undefined;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    printError(`${ways.map(({ label }, at) => `  ${at + 1}  ${label}`).join('\n')}\n`);
    const answer = (await lines.question('Which way? ')).trim();
    return (ways[Number(answer) - 1] ?? ways.find(({ key }) => key === answer))?.key ?? answer;
  } finally {
    lines.close();
  }
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
