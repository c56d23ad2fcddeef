// All models that can be asked as things are: those of providers with a key, then those of servers that were found, then the built-in ones.
import type { Clock } from '../../../../host/ports.ts';
import type { ModelSource } from '../../options.ts';
import type { LanguageModel } from '../../model.ts';
import { providers as usual, splitModel } from '../providers/providers.ts';
import type { Provider, WireName } from '../providers/providers.ts';
import { remoteModel } from '../remote.ts';
import type { RemoteOptions } from '../remote.ts';
import { Routes } from './routes.ts';
import { standingOf } from '../providers/standing.ts';
import type { Environment, Unusable, Usable } from '../providers/standing.ts';
import type { Fetch } from '../wires/wire.ts';

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
  readonly deterministic?: () => boolean;
  /** What a vendor has last said that it has, at an address; undefined where it has not. */
  readonly published?: (provider: string, url: string) => readonly FoundModel[] | undefined;
}

/** A model of a server or a vendor, and what that says about it. */
export interface FoundModel {
  readonly name: string;
  readonly title?: string;
  readonly context?: number;
  readonly output?: number;
  readonly images?: boolean;
  readonly wire?: WireName;
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

export function openCatalogue({
  env,
  stored,
  fetch,
  clock,
  builtIn,
  providers = () => usual,
  renew,
  priceList,
  sign,
  idle,
  deterministic,
  published = () => undefined,
}: CatalogueOptions): Catalogue {
  const known = new Map<
    string,
    { readonly provider: Provider; readonly facts: FoundModel | undefined; readonly model: LanguageModel }
  >();
  const servers = new Map<string, readonly FoundModel[]>();
  const watchers = new Set<() => void>();
  const routes = new Routes(() => tell());
  const standing = (provider: Provider) =>
    routes.standing(provider) ?? standingOf(provider, env, stored(provider.id));

  const vendors = (provider: Provider) => {
    const now = provider.publishes ? standing(provider) : undefined;
    return now?.usable ? published(provider.id, now.url) : undefined;
  };

  /** The same model is the same object, since it learns its context size from the first answer. */
  const model = (provider: Provider, id: string): LanguageModel => {
    const full = `${provider.id}/${id}`;
    const before = known.get(full);
    const facts = vendors(provider)?.find((there) => there.name === id);
    if (before?.provider === provider && isSame(before.facts, facts)) return before.model;
    const [, name = facts?.title, context = facts?.context, output = facts?.output] =
      provider.models.find(([row]) => row === id) ?? [];
    const there = () => servers.get(provider.id)?.find((each) => each.name === id);
    const room = () => there()?.context;
    const looks = () => (there() ?? facts)?.images;
    const made = remoteModel({
      provider,
      model: id,
      fetch,
      clock,
      standing: () => standing(provider),
      context,
      room,
      looks,
      output,
      wire: facts?.wire,
      ...(priceList ? { priceList } : {}),
      ...(sign ? { sign } : {}),
      ...(idle ? { idle } : {}),
      ...(deterministic ? { deterministic } : {}),
      ...(name === undefined ? {} : { name }),
      ...(renew ? { renew } : {}),
    });
    known.set(full, { provider, facts, model: made });
    return made;
  };
  const modelsOf = (provider: Provider): readonly LanguageModel[] => {
    const found = standing(provider);
    if (!found.usable) return (found.models ?? []).map((id) => model(provider, id));
    // A server of the user's own may not be running; what the user named is there all the same.
    if (provider.key === 'none' && !servers.has(provider.id) && provider.models.length === 0) return [];
    const names = [
      ...offeredBy(provider, vendors(provider)),
      ...found.models,
      ...(servers.get(provider.id) ?? []).map((there) => there.name),
    ];
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
    list,
    standing,
    providers,
    routes,
    fetch,
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

function isSame(a: FoundModel | undefined, b: FoundModel | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** Our own list in its order, as far as the vendor has these models, then the rest of the vendor's. What the user has named stays. */
function offeredBy(
  { models, given }: Provider,
  published: readonly FoundModel[] | undefined,
): readonly string[] {
  const own = models.map(([id]) => id);
  if (!published || published.length === 0) return own;
  const there = published.map(({ name }) => name);
  const kept = own.filter(
    (id) => id in (given?.models ?? {}) || there.some((name) => name === id || isDated(name, id)),
  );
  return [...kept, ...there.filter((name) => !kept.some((id) => isDated(name, id)))];
}

/** The same model by a longer name. */
function isDated(name: string, id: string): boolean {
  return (
    name.startsWith(`${id}-`) && /^(?:\d{4}-?\d{2}-?\d{2}|latest|\d{3})$/.test(name.slice(id.length + 1))
  );
}

/** Doors ask often, and looking means looking at the disk. */
const fresh = 1_000;

function idsOf(models: readonly LanguageModel[]): string {
  return models.map(({ id }) => id).join('\n');
}
