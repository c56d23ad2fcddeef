// The language models of this host: those of providers with a key, of local model servers, the built-in
// demo, and scripted ones.
import { dirname, join } from 'node:path';
import { ModelCatalogue } from '../../agents/native/models/catalogue/modelCatalogue.ts';
import { providersWith } from '../../agents/native/models/providers/fromSettings.ts';
import { builtInProviders } from '../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import type { Sign } from '../../agents/native/models/wires/wire.ts';
import { demoModel } from '../../agents/native/models/demo/demo.ts';
import { scriptedModel } from '../../agents/native/models/scripted/scripted.ts';
import { parseScript } from '../../agents/native/models/scripted/script.ts';
import { sleepOn } from '../../base/waiting.ts';
import type { LanguageModel } from '../../agents/native/model.ts';
import type { Clock } from '../../host/ports.ts';
import type { Settings } from '../../host/settings/settings.ts';
import type { CredentialOptions, Credentials } from '../../io/auth/aws/credentials.ts';
import { withProfile } from '../../io/auth/aws/sharedFiles.ts';
import { keptLists } from '../../io/models/cachedModelLists.ts';
import type { KeptLists } from '../../io/models/cachedModelLists.ts';
import { directFetch } from '../../io/http/directFetch.ts';
import { networkFetch } from '../../io/http/httpClient.ts';
import { latestPriceList } from '../../io/models/priceList.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { expand } from '../../io/settings/expand.ts';
import { askConfigured, discover, searchOnce } from './discoverServers.ts';
import { providerLogins, storedKey } from './providerLogins.ts';
import type { ProviderLogins } from './providerLogins.ts';
import { fetchPublished, followPublished } from './publishedModels.ts';
import { readUserFile } from '../../io/files/folderFile.ts';

export interface Models {
  readonly source: ModelCatalogue | readonly LanguageModel[];
  providers(): readonly Provider[];
  readonly logins: ProviderLogins;
  /** Reads the keys again. */
  refresh(): void;
  /** Looks for model servers now instead of at the next interval. */
  look(): Promise<void>;
  /** Asks the servers whose address the user has configured; undefined if there are none. */
  ask(): Promise<void> | undefined;
  close(): void;
}

export interface ModelsOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** The file with the keys. */
  readonly secrets: string;
  readonly settings?: Settings | undefined;
  readonly logins?: ProviderLogins;
  /** The model lists that vendors published last. */
  readonly cachedLists?: KeptLists;
}

/** The models that can be used now. */
export function usableModels(source: Models['source']): readonly LanguageModel[] {
  return 'list' in source ? source.list() : source;
}

/** The cached model lists are in the folder of the keys. */
export function cachedListsBeside(secrets: string): KeptLists {
  return keptLists(join(dirname(secrets), 'models.json'));
}

export function openModels({ env, clock, secrets, settings }: ModelsOptions): Models {
  const sleep = sleepOn(clock);
  const scripted = scriptedModels(env, clock);
  const demo = demoModel({ sleep });
  const logins = providerLogins({
    env,
    clock,
    secrets: openSecrets(secrets),
    fetch: networkFetch(env, () => settings?.of([]).network),
    signIn: (provider) => settings?.of([]).providers[provider]?.signIn,
  });
  // A script replaces all other models, so that its run does not depend on the user's keys.
  if (scripted.length > 0)
    return {
      source: [...scripted, demo],
      providers: () => builtInProviders,
      logins,
      refresh: () => {},
      look: async () => {},
      ask: () => undefined,
      close: () => {},
    };
  const cachedLists = cachedListsBeside(secrets);
  const catalogue = catalogueOf({ env, clock, secrets, settings, logins, cachedLists }, [demo]);
  const stopWatchingSettings = settings?.watch(() => catalogue.refresh()) ?? (() => {});
  const stopDiscovery = discover(catalogue, clock);
  const published = followPublished({ catalogue, cachedLists, clock, env, logins });
  const refresh = () => {
    catalogue.refresh();
    published.retryFailed();
  };
  const stopWatchingLogins = logins.watch(refresh);
  return {
    source: catalogue,
    logins,
    ask: () => askConfigured(catalogue),
    providers: () => catalogue.providers(),
    refresh,
    look: async () =>
      void (await Promise.all([
        searchOnce(catalogue),
        fetchPublished({ catalogue, cachedLists, clock, env, logins }),
      ])),
    close() {
      published.close();
      stopWatchingSettings();
      stopWatchingLogins();
      stopDiscovery();
    },
  };
}

export function catalogueOf(
  { env, clock, secrets, settings, logins, cachedLists = cachedListsBeside(secrets) }: ModelsOptions,
  builtIn: readonly LanguageModel[],
): ModelCatalogue {
  const store = openSecrets(secrets);
  // Providers come from the user's settings only: a workspace could send conversations and
  // keys to another address.
  let cached: { readonly values: unknown; readonly providers: readonly Provider[] } | undefined;
  const currentProviders = () => {
    const values = settings?.of([]);
    if (!cached || cached.values !== values)
      cached = {
        values,
        providers: providersWith(
          values?.providers ?? {},
          (text) => expand(text, env, (name) => store.get(`secret:${name}`)),
          values?.variants,
        ),
      };
    return cached.providers;
  };
  const network = () => settings?.of([]).network;
  const request = networkFetch(env, network);
  // `PARLEY_PRICES_URL=off` makes no request.
  const priceList = (published: string) =>
    latestPriceList({
      file: join(dirname(secrets), 'prices.json'),
      url: env['PARLEY_PRICES_URL'] ?? published,
      fetch: request,
      now: clock.now(),
    });
  const awsEnv = withProfile(env, () => settings?.of([]).providers['bedrock'] !== undefined);
  const sign = lazySign({ env: awsEnv, fetch: request, now: () => clock.now() });
  const published = (provider: string, url: string) => {
    const list = cachedLists.of(provider);
    return list?.url === url ? list.models : undefined;
  };
  return new ModelCatalogue({
    env: awsEnv,
    clock,
    published,
    builtIn,
    providers: currentProviders,
    stored: (provider) => storedKey(provider, store),
    ...(logins ? { renew: (provider) => logins.renew(provider) } : {}),
    fetch: request,
    ask: directFetch(env, network),
    priceList,
    sign,
    idle: () => settings?.of([]).limits.silence,
  });
}

/** Loads the code with the first request that has to be signed. */
function lazySign(options: CredentialOptions): Sign {
  let credentials: (() => Promise<Credentials>) | undefined;
  return async (request) => {
    const [{ awsSignature }, { awsCredentials }] = await Promise.all([
      import('../../io/auth/awsSignature.ts'),
      import('../../io/auth/aws/credentials.ts'),
    ]);
    credentials ??= awsCredentials(options);
    const { id, secret, session } = await credentials();
    const env = {
      ...options.env,
      AWS_ACCESS_KEY_ID: id,
      AWS_SECRET_ACCESS_KEY: secret,
      AWS_SESSION_TOKEN: session,
    };
    return awsSignature(request, { env, service: 'bedrock', now: options.now });
  };
}

function scriptedModels(env: NodeJS.ProcessEnv, clock: Clock): readonly LanguageModel[] {
  const script = env['PARLEY_SCRIPT'];
  const parsed = script === undefined ? { rules: [] } : parseScript(readUserFile(script));
  if ('problem' in parsed) throw new Error(`Invalid script ${script}: ${parsed.problem}`);
  return script !== undefined || env['PARLEY_SCRIPTED'] === '1'
    ? [scriptedModel({ ...parsed, sleep: sleepOn(clock) })]
    : [];
}
