// All models that can be asked as things are: those of providers with a key, then those of servers that were found, then the built-in ones.
import type { Clock } from '../../../host/ports.ts';
import type { ModelSource } from '../agent.ts';
import type { LanguageModel } from '../model.ts';
import { providers as usual, splitModel } from './providers.ts';
import type { Provider } from './providers.ts';
import { remoteModel } from './remote.ts';
import type { RemoteOptions } from './remote.ts';
import { Routes } from './routes.ts';
import { standingOf } from './standing.ts';
import type { Environment, Unusable, Usable } from './standing.ts';
import type { Fetch } from './wire.ts';

export interface CatalogueOptions {
  readonly env: Environment;
  /** The key that was stored for a provider. */
  readonly stored: (provider: string) => string | undefined;
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Models that need nothing. */
  readonly builtIn: readonly LanguageModel[];
  /** The providers as the settings make them; the same object means that nothing has changed. */
  readonly providers?: () => readonly Provider[];
  readonly renew?: RemoteOptions['renew'];
  readonly priceList?: RemoteOptions['priceList'];
  readonly sign?: RemoteOptions['sign'];
  readonly idle?: () => number | undefined;
}

/** A model of a server, with the tokens that fit into it where the server says. */
export interface FoundModel {
  readonly name: string;
  readonly context?: number;
}

export interface Catalogue extends ModelSource {
  providers(): readonly Provider[];
  standing(provider: Provider): Usable | Unusable;
  /** Takes in which models a server has; undefined where there is no server any more. */
  found(provider: string, models: readonly FoundModel[] | undefined): void;
  /** The network it uses. */
  readonly fetch: Fetch;
  /** Where clients want requests to go. */
  readonly routes: Routes;
  /** Looks again, because a key may have come or gone. */
  refresh(): void;
}

export function openCatalogue({ env, stored, fetch, clock, builtIn, providers = () => usual, renew, priceList, sign, idle }: CatalogueOptions): Catalogue {
  const known = new Map<string, { readonly provider: Provider; readonly model: LanguageModel }>();
  const servers = new Map<string, readonly FoundModel[]>();
  const watchers = new Set<() => void>();
  const routes = new Routes(() => tell());
  const standing = (provider: Provider) => routes.standing(provider) ?? standingOf(provider, env, stored(provider.id));

  /** The same model is the same object, since it learns its context size from the first answer. */
  const model = (provider: Provider, id: string): LanguageModel => {
    const full = `${provider.id}/${id}`;
    const before = known.get(full);
    if (before?.provider === provider) return before.model;
    const [, name, context, output] = provider.models.find(([row]) => row === id) ?? [];
    const room = () => servers.get(provider.id)?.find((there) => there.name === id)?.context;
    const made = remoteModel({ provider, model: id, fetch, clock, standing: () => standing(provider), context, room, output, ...(priceList ? { priceList } : {}), ...(sign ? { sign } : {}), ...(idle ? { idle } : {}), ...(name === undefined ? {} : { name }), ...(renew ? { renew } : {}) });
    known.set(full, { provider, model: made });
    return made;
  };
  const modelsOf = (provider: Provider): readonly LanguageModel[] => {
    const found = standing(provider);
    // A server of the user's own may not be running; what the user named is there all the same.
    if (!found.usable || (provider.key === 'none' && !servers.has(provider.id) && provider.models.length === 0)) return [];
    const names = [...provider.models.map(([id]) => id), ...found.models, ...(servers.get(provider.id) ?? []).map((there) => there.name)];
    return [...new Set(names)].map((id) => model(provider, id));
  };
  let looked: { readonly at: number; readonly models: readonly LanguageModel[] } | undefined;
  const look = () => {
    looked = { at: clock.now(), models: [...providers().flatMap(modelsOf), ...builtIn] };
    return looked.models;
  };
  const list = () => (looked && clock.now() - looked.at < fresh ? looked.models : look());
  let told = idsOf(list());
  const tell = () => {
    const now = idsOf(look());
    if (now === told) return;
    told = now;
    for (const watcher of [...watchers]) watcher();
  };

  return {
    list, standing, providers, routes, fetch,
    find(id) {
      const listed = list().find((each) => each.id === id);
      const { provider, model: name } = splitModel(id);
      const maker = listed || name === '' ? undefined : providers().find((each) => each.id === provider);
      return listed ?? (maker && model(maker, name));
    },
    watch(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    found(provider, models) {
      if (models) servers.set(provider, models);
      else servers.delete(provider);
      tell();
    },
    refresh: tell,
  };
}

/** Doors ask often, and looking means looking at the disk. */
const fresh = 1_000;

function idsOf(models: readonly LanguageModel[]): string {
  return models.map(({ id }) => id).join('\n');
}
