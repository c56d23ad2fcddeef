// All models that can be used now: those of providers with a key, then those of local servers,
// then the built-in ones.
import type { Clock } from '../../../../host/ports.ts';
import type { ModelSource } from '../../options.ts';
import type { LanguageModel } from '../../model.ts';
import { PriceTable } from '../prices/prices.ts';
import type { LatestPriceList } from '../prices/prices.ts';
import { resolveAccess } from '../providers/access.ts';
import type { EnvironmentVariables, ProviderAccess } from '../providers/access.ts';
import { builtInProviders, splitModel } from '../providers/providers.ts';
import type { Provider, WireName } from '../providers/providers.ts';
import { remoteModel } from '../remoteModel.ts';
import type { ModelFacts, RemoteOptions } from '../remoteOptions.ts';
import type { Fetch, ModelFetch } from '../wires/wire.ts';
import { ModelRoutes } from './routes.ts';

export interface ModelCatalogueOptions {
  readonly env: EnvironmentVariables;
  /** The key that was stored for a provider. */
  readonly stored: (provider: string) => string | undefined;
  readonly fetch: Fetch;
  /** Sends the requests to models; `fetch` does, if it is missing. */
  readonly ask?: ModelFetch;
  readonly clock: Clock;
  /** Models that need no provider. */
  readonly builtIn: readonly LanguageModel[];
  /** The providers with the user's settings applied. Returns the same object as long as nothing changes. */
  readonly providers?: () => readonly Provider[];
  readonly renew?: RemoteOptions['renew'];
  readonly priceList?: LatestPriceList;
  readonly sign?: RemoteOptions['sign'];
  readonly idle?: RemoteOptions['idle'];
  /** The last model list of a vendor at an address; undefined if there is none. */
  readonly published?: (provider: string, url: string) => readonly ListedModel[] | undefined;
}

/** A model in the list of a server or a vendor. */
export interface ListedModel {
  readonly name: string;
  readonly title?: string;
  readonly context?: number;
  readonly output?: number;
  readonly images?: boolean;
  readonly wire?: WireName;
}

/** A model and what it was made from. */
interface CachedModel {
  readonly provider: Provider;
  readonly listed: ListedModel | undefined;
  readonly model: LanguageModel;
}

/** Doors call `list` often, and resolving keys reads the disk. */
const listLifetime = 1_000;

export class ModelCatalogue implements ModelSource {
  /** Addresses that clients have set for providers. */
  readonly routes = new ModelRoutes(() => this.refresh());
  readonly #options: ModelCatalogueOptions;
  readonly #priceTable: PriceTable;
  readonly #models = new Map<string, CachedModel>();
  readonly #servers = new Map<string, readonly ListedModel[]>();
  readonly #watchers = new Set<() => void>();
  #listed: { readonly at: number; readonly models: readonly LanguageModel[] } | undefined;
  /** The ids that watchers know. */
  #announced: string;

  constructor(options: ModelCatalogueOptions) {
    this.#options = options;
    this.#priceTable = new PriceTable(options.priceList);
    this.#announced = idsOf(this.list());
  }

  /** The network access for lists of models. */
  get fetch(): Fetch {
    return this.#options.fetch;
  }

  list(): readonly LanguageModel[] {
    const { clock } = this.#options;
    const isFresh = this.#listed && clock.now() - this.#listed.at < listLifetime;
    return this.#listed && isFresh ? this.#listed.models : this.#load();
  }

  /** Finds any model of a configured provider, also one that no list contains. */
  find(id: string): LanguageModel | undefined {
    const listed = this.list().find((each) => each.id === id);
    if (listed) return listed;
    const { provider: providerId, model } = splitModel(id);
    const provider = model === '' ? undefined : this.providers().find((each) => each.id === providerId);
    return provider && this.#model(provider, model);
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  providers(): readonly Provider[] {
    return this.#options.providers?.() ?? builtInProviders;
  }

  access(provider: Provider): ProviderAccess {
    const { env, stored } = this.#options;
    return this.routes.access(provider) ?? resolveAccess(provider, env, stored(provider.id));
  }

  /** Sets the models of a local server; undefined if it does not run any more. */
  setServerModels(provider: string, models: readonly ListedModel[] | undefined): void {
    if (models) this.#servers.set(provider, models);
    else this.#servers.delete(provider);
    this.refresh();
  }

  /**
   * Loads the list again, because a key may have been added or removed, and tells watchers if it has changed.
   */
  refresh(): void {
    const ids = idsOf(this.#load());
    if (ids === this.#announced) return;
    this.#announced = ids;
    for (const watcher of [...this.#watchers]) watcher();
  }

  #load(): readonly LanguageModel[] {
    const { builtIn, clock } = this.#options;
    const models = [...this.providers().flatMap((provider) => this.#modelsOf(provider)), ...builtIn];
    this.#listed = { at: clock.now(), models };
    return models;
  }

  #modelsOf(provider: Provider): readonly LanguageModel[] {
    const access = this.access(provider);
    if (!access.usable) return (access.models ?? []).map((id) => this.#model(provider, id));
    // A local server may not run; models that the user has named are listed all the same.
    const isMissing = provider.key === 'none' && !this.#servers.has(provider.id);
    if (isMissing && provider.models.length === 0) return [];
    const names = [
      ...offeredModels(provider, this.#published(provider)),
      ...access.models,
      ...(this.#servers.get(provider.id) ?? []).map(({ name }) => name),
    ];
    return [...new Set(names)].map((id) => this.#model(provider, id));
  }

  #published(provider: Provider): readonly ListedModel[] | undefined {
    const access = provider.vendorModelList ? this.access(provider) : undefined;
    return access?.usable ? this.#options.published?.(provider.id, access.url) : undefined;
  }

  /** Returns the same object for the same model, since it learns facts from its answers. */
  #model(provider: Provider, id: string): LanguageModel {
    const fullId = `${provider.id}/${id}`;
    const cached = this.#models.get(fullId);
    const listed = this.#published(provider)?.find(({ name }) => name === id);
    if (cached?.provider === provider && isSame(cached.listed, listed)) return cached.model;
    const { fetch, ask = fetch, clock, renew, sign, idle } = this.#options;
    const model = remoteModel({
      provider,
      model: id,
      facts: factsOf(provider, id, listed),
      serverFacts: () => {
        const served = this.#servers.get(provider.id)?.find(({ name }) => name === id);
        return { context: served?.context, images: (served ?? listed)?.images };
      },
      access: () => this.access(provider),
      fetch: ask,
      clock,
      renew,
      sign,
      idle,
      priceTable: this.#priceTable,
    });
    this.#models.set(fullId, { provider, listed, model });
    return model;
  }
}

/** Our own table wins over the vendor's list. */
function factsOf(provider: Provider, id: string, listed: ListedModel | undefined): ModelFacts {
  const row = provider.models.find(([name]) => name === id);
  const [, name = listed?.title, context = listed?.context, output = listed?.output] = row ?? [];
  return { name, context, output, wire: listed?.wire };
}

function isSame(a: ListedModel | undefined, b: ListedModel | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Our own list in its order without models that the vendor does not list, then the rest of the vendor's list.
 * Models that the user has named stay.
 */
function offeredModels(
  { models, config }: Provider,
  published: readonly ListedModel[] | undefined,
): readonly string[] {
  const own = models.map(([id]) => id);
  if (!published || published.length === 0) return own;
  const offered = published.map(({ name }) => name);
  const kept = own.filter(
    (id) => id in (config?.models ?? {}) || offered.some((name) => name === id || isDated(name, id)),
  );
  return [...kept, ...offered.filter((name) => !kept.some((id) => isDated(name, id)))];
}

/** True if the name is the id with a date or `latest` appended. */
function isDated(name: string, id: string): boolean {
  return (
    name.startsWith(`${id}-`) && /^(?:\d{4}-?\d{2}-?\d{2}|latest|\d{3})$/.test(name.slice(id.length + 1))
  );
}

function idsOf(models: readonly LanguageModel[]): string {
  return models.map(({ id }) => id).join('\n');
}
