// `parley login PROVIDER`: stores an API key from the terminal or standard input, or signs in with another
// method of the provider.
import { parseArgs } from 'node:util';
import { providerOf, builtInProviders } from '../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import type { LoginWay } from '../../host/settings/providerLogins.ts';
import type { NotPossible } from '../../host/ports.ts';
import { commandSettings } from '../setup/currentSettings.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { refreshHost } from '../client/controlClient.ts';
import { askSecret } from './askSecret.ts';
import { chooseProvider } from './chooseProvider.ts';
import { openBrowser } from '../../io/processes/openBrowser.ts';
import { providerLogins } from '../../app/models/providerLogins.ts';
import type { ProviderLogins } from '../../app/models/providerLogins.ts';
import { openSettings } from '../../io/settings/open.ts';
import { didYouMean } from '../../base/nearest.ts';
import { askLine, safe, StoppedError, UsageError } from '../say.ts';
import { print, printError } from '../output.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { 'key-stdin': { type: 'boolean' }, method: { type: 'string' } },
    allowPositionals: true,
  });
  const asks = positionals.length === 0 && !values['key-stdin'] && process.stdin.isTTY;
  const provider = readProvider(asks ? [await chooseProvider()] : positionals);
  const path = dataPaths(process.env).secrets;
  const logins = providerLogins({
    env: process.env,
    secrets: openSecrets(path),
    clock: realClock,
    ...commandSettings(process.env),
  });
  const method = values['key-stdin']
    ? 'api-key'
    : (values.method ?? (await askMethod(logins.ways(provider.id))));
  const refused =
    method === 'api-key'
      ? await storeKey(logins, provider, values['key-stdin'] ? 'input' : 'terminal')
      : await signIn(logins, provider, method);
  if (refused) throw new Error(`${safe(refused.refused)} Nothing was saved.`);
  await refreshHost();
  print(
    `${method === 'api-key' ? `Saved the ${provider.name} key` : `Signed in to ${provider.name}; saved`} ` +
      `in ${path}. List your models with parley models.\n`,
  );
  return 0;
}

async function storeKey(
  logins: ProviderLogins,
  provider: Provider,
  from: 'input' | 'terminal',
): Promise<NotPossible | undefined> {
  const key = from === 'input' ? await readInput() : await askSecret(`API key for ${provider.name}: `);
  return logins.answer(provider.id, { 'api-key': key });
}

async function signIn(
  logins: ProviderLogins,
  provider: Provider,
  method: string | undefined,
): Promise<NotPossible | undefined> {
  const step = await logins.begin(provider.id, method);
  if ('refused' in step) return step;
  if (step.kind === 'choose')
    return {
      refused:
        `Choose a method with --method: ${step.ways.map(({ key }) => key).join(', ')}. Or pipe a key in ` +
        'with --key-stdin.',
    };
  if (step.kind === 'fields') return storeKey(logins, provider, 'terminal');
  print(
    `Open this page to sign in to ${provider.name}:\n\n  ${safe(step.url)}\n\n` +
      (step.kind === 'device' ? `and enter the code ${safe(step.code)}\n` : ''),
  );
  openBrowser(step.url);
  if ('done' in step) return step.done;
  return logins.answer(provider.id, { code: await askSecret('Code from the page: ') });
}

/** Does not ask if there is one method only, or no terminal. */
async function askMethod(ways: readonly LoginWay[]): Promise<string | undefined> {
  if (ways.length <= 1) return ways[0]?.key;
  if (!process.stdin.isTTY) return undefined;
  printError(`${ways.map(({ label }, at) => `  ${at + 1}  ${label}`).join('\n')}\n`);
  const answer = await askLine('Which method? ');
  if (answer === undefined) throw new StoppedError('Nothing was saved.');
  return (ways[Number(answer) - 1] ?? ways.find(({ key }) => key === answer))?.key ?? answer;
}

/** The provider that the arguments name; otherwise an error that lists all providers. */
export function readProvider(names: readonly string[]): Provider {
  const [name = '', ...more] = names;
  const provider = providerOf(name);
  const known = builtInProviders.map(({ id }) => id);
  if (more.length > 0 || name === '') throw new UsageError(`Name one provider: ${known.join(', ')}.`);
  if (provider) return provider;
  if (isOwnProvider(name))
    throw new UsageError(
      `"${name}" is a provider of your settings. Write its key there: providers.${name}.key`,
    );
  throw new UsageError(
    `Unknown provider "${name}".${didYouMean(name, known)} Use one of: ${known.join(', ')}.`,
  );
}

/** Whether the user has defined the provider in the settings. */
function isOwnProvider(name: string): boolean {
  const settings = openSettings({ env: process.env });
  const { providers } = settings.of([]);
  settings.close();
  return Object.hasOwn(providers, name);
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
