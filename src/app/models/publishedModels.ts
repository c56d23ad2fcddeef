// Asks vendors which models they have, once a day at most and never while anybody waits; what they said last is kept. `PARLEY_FETCH_MODELS=off` asks nobody.
import type { Catalogue } from '../../agents/native/models/catalogue/catalogue.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import type { Usable } from '../../agents/native/models/providers/standing.ts';
import type { Clock } from '../../host/ports.ts';
import type { KeptList, KeptLists } from '../../io/models/cachedModelLists.ts';
import { listModels } from '../../io/models/modelServers.ts';
import type { ProviderLogins } from './providerLogins.ts';

export interface PublishedOptions {
  readonly catalogue: Catalogue;
  readonly kept: KeptLists;
  readonly clock: Clock;
  readonly env: NodeJS.ProcessEnv;
  readonly logins?: Pick<ProviderLogins, 'renew'> | undefined;
}

const aDay = 86_400_000;
/** A vendor that could not be asked is asked again after this. */
const anHour = 3_600_000;
const patience = 5_000;

/** Milliseconds after the start, or after a key has come. */
const soon = 3_000;
const atOnce = 300;

export interface Published {
  /** A key may have come: whoever could not be asked with the last one is asked again. */
  soon(): void;
  close(): void;
}

/** Shows what is kept at once, and looks for news later on. */
export function followPublished(options: PublishedOptions): Published {
  const { catalogue, clock } = options;
  let over = false;
  let looking = false;
  let missed = 0;
  let recall = () => {};
  const lookIn = (pause: number, which: Which = 'old') => {
    recall();
    recall = clock.after(pause, () => void look(which));
  };
  const look = async (which: Which) => {
    looking = true;
    missed = 0;
    await lookAtPublished(options, () => !over, which);
    looking = false;
    if (!over) lookIn(missed > 0 ? soon : anHour);
  };
  // A key that comes brings its vendor's models along.
  const leave = catalogue.watch(() => {
    if (looking) missed += 1;
    else lookIn(soon);
  });
  lookIn(isNeeded(options) ? atOnce : soon);
  return {
    soon: () => lookIn(soon, 'failed'),
    close() {
      over = true;
      leave();
      recall();
    },
  };
}

/** Whom to ask: those whose list is old, also those who have not answered the last time, or everybody. */
type Which = 'old' | 'failed' | 'any';

/** Whether somebody can be used of whom no model is known at all. */
function isNeeded({ catalogue, kept }: PublishedOptions): boolean {
  return catalogue
    .providers()
    .some(
      (provider) =>
        provider.publishes &&
        provider.models.length === 0 &&
        kept.of(provider.id)?.models === undefined &&
        catalogue.standing(provider).usable,
    );
}

/** Asks those whose list is old, all at the same time. */
export async function lookAtPublished(
  options: PublishedOptions,
  wanted: () => boolean = () => true,
  which: Which = 'old',
): Promise<void> {
  const { catalogue, kept, clock } = options;
  if (options.env['PARLEY_FETCH_MODELS'] === 'off') return;
  await Promise.all(
    catalogue.providers().map(async (provider) => {
      const standing = catalogue.standing(provider);
      if (!provider.publishes || !standing.usable || standing.keyFrom === 'a client') return;
      const before = kept.of(provider.id);
      if (
        which !== 'any' &&
        before &&
        isFresh(before, standing, clock.now()) &&
        !(which === 'failed' && before.problem !== undefined)
      )
        return;
      const found = await asked(provider, standing, options);
      if (!wanted()) return;
      const last = before?.url === standing.url ? before.models : undefined;
      kept.keep(provider.id, {
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

function isFresh({ url, at, problem }: KeptList, standing: Usable, now: number): boolean {
  return url === standing.url && now - at < (problem === undefined ? aDay : anHour) && at <= now;
}

async function asked(
  provider: Provider,
  standing: Usable,
  { catalogue, logins }: PublishedOptions,
): ReturnType<typeof listModels> {
  const renewed = standing.keyFrom === 'parley login' ? await logins?.renew(provider.id) : undefined;
  if (renewed && 'refused' in renewed) return { problem: 'the sign-in has ended' };
  // Who signs in as a subscriber is served elsewhere, where nobody lists anything.
  if (renewed?.url !== undefined && provider.publishes === 'openai') return [];
  const key = renewed?.key ?? standing.key;
  const bearer = key !== undefined && (renewed?.bearer ?? false) ? { authorization: `Bearer ${key}` } : {};
  const named = key !== undefined && provider.keyHeader !== undefined ? { [provider.keyHeader]: key } : {};
  return listModels(renewed?.url ?? standing.url, provider.publishes ?? 'openai', {
    key: renewed?.bearer ? undefined : key,
    fetch: catalogue.fetch,
    patience,
    headers: {
      ...provider.headers,
      ...renewed?.headers,
      ...named,
      ...bearer,
      ...provider.given?.headers,
      ...(renewed?.bearer && provider.publishes === 'anthropic' ? { 'anthropic-version': '2023-06-01' } : {}),
    },
  });
}
