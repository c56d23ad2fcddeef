// Which language models there are: those of providers with a key, those of servers on this machine, the built-in demo, and a scripted one where tests ask for it.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openCatalogue } from '../../agents/native/models/catalogue/catalogue.ts';
import type { Catalogue } from '../../agents/native/models/catalogue/catalogue.ts';
import { providersWith } from '../../agents/native/models/providers/fromSettings.ts';
import { providers } from '../../agents/native/models/providers/providers.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import type { Sign } from '../../agents/native/models/wires/wire.ts';
import { demoModel } from '../../agents/native/models/demo/demo.ts';
import { scriptedModel } from '../../agents/native/models/scripted/scripted.ts';
import { parseScript } from '../../agents/native/models/scripted/script.ts';
import { sleepOn } from '../../agents/native/turn/sleep.ts';
import type { LanguageModel } from '../../agents/native/model.ts';
import type { Clock } from '../../host/ports.ts';
import type { Settings } from '../../host/settings/settings.ts';
import type { CredentialOptions, Credentials } from '../../io/auth/aws/credentials.ts';
import { withProfile } from '../../io/auth/aws/sharedFiles.ts';
import { keptLists } from '../../io/models/cachedModelLists.ts';
import type { KeptLists } from '../../io/models/cachedModelLists.ts';
import { networkFetch } from '../../io/http/httpClient.ts';
import { latestPriceList } from '../../io/models/priceList.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { expand } from '../../io/settings/expand.ts';
import { askNamed, discover, lookOnce } from './discoverServers.ts';
import { providerLogins, storedKey } from './providerLogins.ts';
import type { ProviderLogins } from './providerLogins.ts';
import { followPublished, lookAtPublished } from './publishedModels.ts';

export interface Models {
  readonly source: Catalogue | readonly LanguageModel[];
  providers(): readonly Provider[];
  readonly logins: ProviderLogins;
  /** Looks again for keys. */
  refresh(): void;
  /** Asks the servers that may be there at once, instead of when it is their turn. */
  look(): Promise<void>;
  /** Asks those whose address the user has named; undefined where there is none. */
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
  /** What vendors have said about their models. */
  readonly kept?: KeptLists;
}

/** The lists lie beside the file with the keys. */
export function listsBeside(secrets: string): KeptLists {
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
  // A script stands for every model there is: a test must not depend on the keys of whoever runs it.
  if (scripted.length > 0)
    return {
      source: [...scripted, demo],
      providers: () => providers,
      logins,
      refresh: () => {},
      look: async () => {},
      ask: () => undefined,
      close: () => {},
    };
  const kept = listsBeside(secrets);
  const catalogue = catalogueOf({ env, clock, secrets, settings, logins, kept }, [demo]);
  const leave = settings?.watch(() => catalogue.refresh()) ?? (() => {});
  const end = discover(catalogue, clock);
  const published = followPublished({ catalogue, kept, clock, env, logins });
  const refresh = () => {
    catalogue.refresh();
    published.soon();
  };
  const unwatch = logins.watch(refresh);
  return {
    source: catalogue,
    logins,
    ask: () => askNamed(catalogue),
    providers: () => catalogue.providers(),
    refresh,
    look: async () =>
      void (await Promise.all([
        lookOnce(catalogue),
        lookAtPublished({ catalogue, kept, clock, env, logins }),
      ])),
    close() {
      published.close();
      leave();
      unwatch();
      end();
    },
  };
}

export function catalogueOf(
  { env, clock, secrets, settings, logins, kept = listsBeside(secrets) }: ModelsOptions,
  builtIn: readonly LanguageModel[],
): Catalogue {
  const store = openSecrets(secrets);
  // What a workspace says about providers does not count: it could send conversations and keys to another address.
  let seen: { readonly from: unknown; readonly made: readonly Provider[] } | undefined;
  const known = () => {
    const from = settings?.of([]);
    if (!seen || seen.from !== from)
      seen = {
        from,
        made: providersWith(
          from?.providers ?? {},
          (text) => expand(text, env, (name) => store.get(`secret:${name}`)),
          from?.variants,
        ),
      };
    return seen.made;
  };
  const ask = networkFetch(env, () => settings?.of([]).network);
  // `PARLEY_PRICES_URL=off` asks nobody.
  const priceList = (published: string) =>
    latestPriceList({
      file: join(dirname(secrets), 'prices.json'),
      url: env['PARLEY_PRICES_URL'] ?? published,
      fetch: ask,
      now: clock.now(),
    });
  const asked = withProfile(env, () => settings?.of([]).providers['bedrock'] !== undefined);
  const sign = lazySign({ env: asked, fetch: ask, now: () => clock.now() });
  const published = (provider: string, url: string) => {
    const list = kept.of(provider);
    return list?.url === url ? list.models : undefined;
  };
  return openCatalogue({
    env: asked,
    clock,
    published,
    builtIn,
    providers: known,
    stored: (provider) => storedKey(provider, store),
    ...(logins ? { renew: (provider) => logins.renew(provider) } : {}),
    fetch: ask,
    priceList,
    sign,
    idle: () => settings?.of([]).limits.silence,
    deterministic: () => settings?.of([]).deterministic ?? false,
  });
}

/** Loaded with the first request that has to be signed. */
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
  const parsed = script === undefined ? { rules: [] } : parseScript(readFileSync(script, 'utf8'));
  if ('problem' in parsed) throw new Error(`the script ${script} cannot be used: ${parsed.problem}`);
  return script !== undefined || env['PARLEY_SCRIPTED'] === '1'
    ? [scriptedModel({ ...parsed, sleep: sleepOn(clock) })]
    : [];
}
