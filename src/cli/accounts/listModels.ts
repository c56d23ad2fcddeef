// `parley models`: lists the usable models, and what is missing for other providers.
import { parseArgs } from 'node:util';
import { present } from '../../base/present.ts';
import type { LanguageModel } from '../../agents/native/model.ts';
import type { ModelCatalogue } from '../../agents/native/models/catalogue/modelCatalogue.ts';
import { PriceTable } from '../../agents/native/models/prices/prices.ts';
import { splitModel } from '../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import { columns } from '../say.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { openSettings } from '../../io/settings/open.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { searchOnce } from '../../app/models/discoverServers.ts';
import { catalogueOf, cachedListsBeside } from '../../app/models/openModels.ts';
import { providerLogins } from '../../app/models/providerLogins.ts';
import { fetchPublished } from '../../app/models/publishedModels.ts';
import { print } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

interface ProviderModels {
  readonly provider: string;
  readonly name: string;
  readonly usable: boolean;
  readonly why?: string;
  readonly url?: string;
  readonly key?: string;
  readonly models: readonly {
    readonly id: string;
    readonly name: string;
    readonly context?: number;
    readonly output?: number;
    readonly variants?: readonly string[];
  }[];
}

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: 'boolean' }, refresh: { type: 'boolean' } },
  });
  const settings = openSettings({ env: process.env });
  const { secrets } = dataPaths(process.env);
  const cachedLists = cachedListsBeside(secrets);
  const catalogue = catalogueOf({ env: process.env, clock: realClock, secrets, settings, cachedLists }, []);
  const logins = providerLogins({
    env: process.env,
    clock: realClock,
    secrets: openSecrets(secrets),
    fetch: catalogue.fetch,
  });
  await Promise.all([
    searchOnce(catalogue),
    fetchPublished(
      { catalogue, cachedLists, clock: realClock, env: process.env, logins },
      undefined,
      values.refresh ? 'any' : 'old',
    ),
  ]);
  settings.close();
  const rows = await Promise.all(catalogue.providers().map((provider) => rowOf(provider, catalogue)));
  print(values.json ? `${jsonText(rows, 2)}\n` : textOf(rows));
  return 0;
}

async function rowOf(provider: Provider, catalogue: ModelCatalogue): Promise<ProviderModels> {
  const standing = catalogue.access(provider);
  const found = catalogue.list().filter(({ id }) => splitModel(id).provider === provider.id);
  const head = { provider: provider.id, name: provider.name };
  if (!standing.usable) return { ...head, usable: false, why: standing.why, models: [] };
  const { url, keyFrom } = standing;
  const connection = present({ url, key: keyFrom });
  if (found.length === 0 && provider.serverModelList)
    return { ...head, usable: false, why: `no server at ${url}`, ...connection, models: [] };
  return {
    ...head,
    usable: true,
    ...connection,
    models: await Promise.all(found.map((model) => modelOf(model, provider))),
  };
}

async function modelOf(
  { id, name, context, output, variants }: LanguageModel,
  provider: Provider,
): Promise<ProviderModels['models'][number]> {
  const size =
    context ??
    (provider.priceListId === null
      ? undefined
      : (await new PriceTable().pricesOf(provider.priceListId ?? provider.id, splitModel(id).model)).context);
  return present({ id, name, context: size, output, variants });
}

function textOf(rows: readonly ProviderModels[]): string {
  const models = rows.flatMap((row) => row.models);
  const missing = rows.filter(({ usable }) => !usable);
  const table = indented(
    models.map(({ id, context, variants = [] }) => [
      id,
      context === undefined ? '' : `${Math.round(context / 1000)}k`,
      variants.join(' '),
    ]),
  );
  const unnamed = rows
    .filter((row) => row.usable && row.models.length === 0)
    .map(({ provider }) => `${provider} is ready; choose a model as ${provider}/MODEL.`);
  return [
    ...(models.length === 0
      ? ['No models yet, only the built-in demo. Add a key with parley login PROVIDER.']
      : ['Models (context, variants):', ...table]),
    ...unnamed,
    ...(missing.length === 0
      ? []
      : ['', 'Not available:', ...indented(missing.map(({ provider, why = '' }) => [provider, why]))]),
    '',
  ].join('\n');
}

function indented(rows: readonly (readonly string[])[]): readonly string[] {
  return columns(rows).map((line) => `  ${line}`);
}
