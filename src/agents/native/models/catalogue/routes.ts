// Lets a client redirect or disable a provider while it is connected: another address with headers of its
// own, or none. In memory only.
import { providerOf, builtInProviders } from '../providers/providers.ts';
import type { Provider } from '../providers/providers.ts';
import { wireFormats } from '../wires/formats.ts';
import type { ProviderAccess } from '../providers/access.ts';

export interface ModelRoute {
  readonly api: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

export interface RouteView {
  readonly provider: string;
  /** The API formats that it supports. */
  readonly apis: readonly string[];
  /** Absent if it cannot be used. */
  readonly current?: { readonly api: string; readonly url: string };
}

export class ModelRoutes {
  readonly #overrides = new Map<string, { readonly route: ModelRoute | 'off'; readonly owner: string }>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /**
   * A client's override for a provider; undefined if there is none. A stored key never goes to an
   * address that a client set.
   */
  access(provider: Provider): ProviderAccess | undefined {
    const route = this.#overrides.get(provider.id)?.route;
    if (route === undefined) return undefined;
    if (route === 'off') return { usable: false, why: 'a client has disabled it' };
    const { key, headers } = credentials(route.headers);
    return {
      usable: true,
      url: route.url,
      key,
      keyFrom: 'a client',
      wire: provider.wire,
      models: [],
      headers,
    };
  }

  /** Returns what is wrong with the route; undefined if it was set. */
  set(id: string, route: ModelRoute, owner: string): string | undefined {
    const provider = providerOf(id);
    if (!provider) return `Unknown provider ${id}.`;
    const api = apiOf(provider);
    if (route.api !== api) return `${provider.name} uses the API format ${api}, not ${route.api}.`;
    if (!URL.canParse(route.url) || !/^https?:$/.test(new URL(route.url).protocol))
      return `"${route.url}" is not an http or https address.`;
    this.#override(id, route, owner);
    return undefined;
  }

  /** Succeeds for an unknown provider, too. */
  disable(id: string, owner: string): void {
    if (providerOf(id)) this.#override(id, 'off', owner);
  }

  /** Removes the overrides of a client that has disconnected. */
  release(owner: string): void {
    const own = [...this.#overrides].filter(([, override]) => override.owner === owner);
    for (const [id] of own) this.#overrides.delete(id);
    if (own.length > 0) this.#changed();
  }

  list(accessOf: (provider: Provider) => ProviderAccess): readonly RouteView[] {
    return builtInProviders.map((provider) => {
      const access = accessOf(provider);
      const api = apiOf(provider);
      return {
        provider: provider.id,
        apis: [api],
        ...(access.usable ? { current: { api, url: access.url } } : {}),
      };
    });
  }

  #override(id: string, route: ModelRoute | 'off', owner: string): void {
    this.#overrides.set(id, { route, owner });
    this.#changed();
  }
}

function apiOf({ id, wire }: Provider): string {
  return id === 'azure' ? id : wireFormats[wire].acpName;
}

/** Takes the key out of the headers, since the wire formats write the key header themselves. */
function credentials(given: ModelRoute['headers']): {
  readonly key: string | undefined;
  readonly headers: ModelRoute['headers'];
} {
  const entries = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  const bearer = entries
    .find(([name, value]) => name === 'authorization' && /^bearer /i.test(value))?.[1]
    .slice('bearer '.length);
  const key = entries.find(([name]) => name === 'x-api-key')?.[1] ?? bearer;
  return {
    key,
    headers: Object.fromEntries(
      entries.filter(
        ([name, value]) =>
          name !== 'x-api-key' && !(name === 'authorization' && value.slice('bearer '.length) === key),
      ),
    ),
  };
}
