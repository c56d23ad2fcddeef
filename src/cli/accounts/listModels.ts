// `parley models`: which models can be used, and what is missing for the others.
import { parseArgs } from 'node:util';
import type { LanguageModel } from '../../agents/native/model.ts';
import type { Catalogue } from '../../agents/native/models/catalogue/catalogue.ts';
import { pricesOf } from '../../agents/native/models/prices/prices.ts';
import { splitModel } from '../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import { dataPaths } from '../../io/settings/dataPaths.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { openSettings } from '../../io/settings/open.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { lookOnce } from '../../app/models/discoverServers.ts';
import { catalogueOf, listsBeside } from '../../app/models/openModels.ts';
import { jsonText, print } from '../output.ts';
import { providerLogins } from '../../app/models/providerLogins.ts';
import { lookAtPublished } from '../../app/models/publishedModels.ts';

interface Row {
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
  const kept = listsBeside(secrets);
  const catalogue = catalogueOf({ env: process.env, clock: realClock, secrets, settings, kept }, []);
  const logins = providerLogins({
    env: process.env,
    clock: realClock,
    secrets: openSecrets(secrets),
    fetch: catalogue.fetch,
  });
  await Promise.all([
    lookOnce(catalogue),
    lookAtPublished(
      { catalogue, kept, clock: realClock, env: process.env, logins },
      undefined,
      values.refresh ? 'any' : 'old',
    ),
  ]);
  settings.close();
  const rows = await Promise.all(catalogue.providers().map((provider) => rowOf(provider, catalogue)));
  print(values.json ? `${jsonText(rows, 2)}\n` : textOf(rows));
  return 0;
}

async function rowOf(provider: Provider, catalogue: Catalogue): Promise<Row> {
  const standing = catalogue.standing(provider);
  const found = catalogue.list().filter(({ id }) => splitModel(id).provider === provider.id);
  const head = { provider: provider.id, name: provider.name };
  if (!standing.usable) return { ...head, usable: false, why: standing.why, models: [] };
  const { url, keyFrom } = standing;
  const more = { url, ...(keyFrom === undefined ? {} : { key: keyFrom }) };
  if (found.length === 0 && provider.lists)
    return { ...head, usable: false, why: `nothing answers at ${url}`, ...more, models: [] };
  return {
    ...head,
    usable: true,
    ...more,
    models: await Promise.all(found.map((model) => modelOf(model, provider))),
  };
}

async function modelOf(
  { id, name, context, output, variants }: LanguageModel,
  provider: Provider,
): Promise<Row['models'][number]> {
  const size =
    context ??
    (provider.prices === null
      ? undefined
      : (await pricesOf(provider.prices ?? provider.id, splitModel(id).model)).context);
  return {
    id,
    name,
    ...(size === undefined ? {} : { context: size }),
    ...(output === undefined ? {} : { output }),
    ...(variants === undefined ? {} : { variants }),
  };
}

function textOf(rows: readonly Row[]): string {
  const models = rows.flatMap((row) => row.models);
  const missing = rows.filter(({ usable }) => !usable);
  const table = columns(
    models.map(({ id, context, variants = [] }) => [
      id,
      context === undefined ? '' : `${Math.round(context / 1000)}k`,
      variants.join(' '),
    ]),
  );
  const unnamed = rows
    .filter((row) => row.usable && row.models.length === 0)
    .map(({ provider }) => `${provider} can be used; name a model as in ${provider}/MODEL.`);
  return [
    ...(models.length === 0
      ? ['No model of a provider can be used yet; the built-in demo can.']
      : ['Models (context, variants):', ...table]),
    ...unnamed,
    ...(missing.length === 0
      ? []
      : ['', 'Not usable:', ...columns(missing.map(({ provider, why = '' }) => [provider, why]))]),
    '',
  ].join('\n');
}

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
}
