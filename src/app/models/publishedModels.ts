// Fetches the model lists of vendors in the background, at most once a day, and caches them.
// `PARLEY_FETCH_MODELS=off` turns it off.
import { present } from '../../base/present.ts';
import type { ModelCatalogue } from '../../agents/native/models/catalogue/modelCatalogue.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import type { RenewedLogin } from '../../agents/native/models/remoteOptions.ts';
import type { UsableProvider } from '../../agents/native/models/providers/access.ts';
import type { Clock } from '../../host/ports.ts';
import type { KeptList, KeptLists } from '../../io/models/cachedModelLists.ts';
import { listModels } from '../../io/models/modelServers.ts';
import type { ProviderLogins } from './providerLogins.ts';

export interface PublishedOptions {
  readonly catalogue: ModelCatalogue;
  readonly cachedLists: KeptLists;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly logins?: Pick<ProviderLogins, 'renew'> | undefined;
}

/** All times are in milliseconds. */
const day = 86_400_000;
/** A failed request is repeated after this. */
const hour = 3_600_000;
const requestTime = 5_000;

/** Delays after the start, or after a new key: the short one if a usable provider has no models at all. */
const usualDelay = 3_000;
const shortDelay = 300;

export interface PublishedModelLists {
  /** A key may be new: asks those vendors again that refused the last one. */
  retryFailed(): void;
  close(): void;
}

/** Keeps the lists of the catalogue's providers up to date until it is closed. */
export function followPublished(options: PublishedOptions): PublishedModelLists {
  const { catalogue, clock } = options;
  let closed = false;
  let fetching = false;
  /** The catalogue has changed during a fetch. */
  let changed = false;
  let cancelTimer = () => {};
  const fetchIn = (delay: number, which: Which = 'old') => {
    cancelTimer();
    cancelTimer = clock.after(delay, () => void fetchNow(which));
  };
  const fetchNow = async (which: Which) => {
    fetching = true;
    changed = false;
    await fetchPublished(options, () => !closed, which);
    fetching = false;
    if (!closed) fetchIn(changed ? usualDelay : hour);
  };
  // A new key makes its vendor's models available.
  const stopWatching = catalogue.watch(() => {
    if (fetching) changed = true;
    else fetchIn(usualDelay);
  });
  fetchIn(isNeeded(options) ? shortDelay : usualDelay);
  return {
    retryFailed: () => fetchIn(usualDelay, 'failed'),
    close() {
      closed = true;
      stopWatching();
      cancelTimer();
    },
  };
}

/** Which vendors to ask: those with an old list, those and the ones that failed last time, or all. */
type Which = 'old' | 'failed' | 'any';

/** True if a provider can be used and none of its models is known. */
function isNeeded({ catalogue, cachedLists }: PublishedOptions): boolean {
  return catalogue
    .providers()
    .some(
      (provider) =>
        provider.vendorModelList &&
        provider.models.length === 0 &&
        cachedLists.of(provider.id)?.models === undefined &&
        catalogue.access(provider).usable,
    );
}

/** Fetches the lists, all at the same time. Results that arrive when `wanted` returns false are dropped. */
export async function fetchPublished(
  options: PublishedOptions,
  wanted: () => boolean = () => true,
  which: Which = 'old',
): Promise<void> {
  const { catalogue, cachedLists, clock } = options;
  if (options.env['PARLEY_FETCH_MODELS'] === 'off') return;
  await Promise.all(
    catalogue.providers().map(async (provider) => {
      const standing = catalogue.access(provider);
      if (!provider.vendorModelList || !standing.usable || standing.keyFrom === 'a client') return;
      const before = cachedLists.of(provider.id);
      if (
        which !== 'any' &&
        before &&
        isFresh(before, standing, clock.now()) &&
        !(which === 'failed' && before.problem !== undefined)
      )
        return;
      const found = await listPublished(provider, standing, options);
      if (!wanted()) return;
      const last = before?.url === standing.url ? before.models : undefined;
      cachedLists.keep(provider.id, {
        url: standing.url,
        at: clock.now(),
        ...('problem' in found
          ? { ...(last ? { models: last } : {}), problem: found.problem }
          : { models: found }),
      });
      catalogue.refresh();
    }),
  );
}

function isFresh({ url, at, problem }: KeptList, standing: UsableProvider, now: number): boolean {
  return url === standing.url && now - at < (problem === undefined ? day : hour) && at <= now;
}

async function listPublished(
  provider: Provider,
  standing: UsableProvider,
  { catalogue, logins }: PublishedOptions,
): ReturnType<typeof listModels> {
  const renewed = standing.keyFrom === 'parley login' ? await logins?.renew(provider.id) : undefined;
  if (renewed && 'refused' in renewed) return { problem: 'the sign-in has ended' };
  // The endpoint for subscribers has no list of models.
  if (renewed?.url !== undefined && provider.vendorModelList === 'openai') return [];
  const access: Access = renewed ?? present({ key: standing.key });
  return listModels(access.url ?? standing.url, provider.vendorModelList ?? 'openai', {
    key: access.bearer ? undefined : access.key,
    fetch: catalogue.fetch,
    patience: requestTime,
    headers: {
      ...provider.headers,
      ...access.headers,
      ...keyHeaders(provider, access),
      ...provider.config?.headers,
      ...(access.bearer && provider.vendorModelList === 'anthropic'
        ? { 'anthropic-version': '2023-06-01' }
        : {}),
    },
  });
}

/** How a request proves who asks: a key, or what a sign-in has given. */
type Access = Partial<RenewedLogin>;

function keyHeaders({ keyHeader }: Provider, { key, bearer }: Access): { readonly [name: string]: string } {
  if (key === undefined) return {};
  return {
    ...(keyHeader === undefined ? {} : { [keyHeader]: key }),
    ...(bearer ? { authorization: `Bearer ${key}` } : {}),
  };
}
