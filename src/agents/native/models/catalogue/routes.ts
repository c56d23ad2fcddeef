// Where clients want the requests to a provider to go, for as long as they stay: another address with headers of their own, or nowhere. In memory only.
import { providerOf, providers } from '../providers/providers.ts';
import type { Provider } from '../providers/providers.ts';
import type { Unusable, Usable } from '../providers/standing.ts';

export interface Route {
  readonly api: string;
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

export interface RouteView {
  readonly provider: string;
  /** The formats it can be spoken to in. */
  readonly apis: readonly string[];
  /** Absent where it cannot be used. */
  readonly current?: { readonly api: string; readonly url: string };
}

export class Routes {
  readonly #wanted = new Map<string, { readonly route: Route | 'off'; readonly owner: string }>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** What holds for a provider instead of its usual standing. A stored key never goes to an address that a client named. */
  standing(provider: Provider): Usable | Unusable | undefined {
    const route = this.#wanted.get(provider.id)?.route;
    if (route === undefined) return undefined;
    if (route === 'off') return { usable: false, why: 'a client has switched it off' };
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

  /** Says what is wrong with it; undefined where it was taken. */
  set(id: string, route: Route, owner: string): string | undefined {
    const provider = providerOf(id);
    if (!provider) return `There is no provider ${id}.`;
    const api = apiOf(provider);
    if (route.api !== api) return `${provider.name} is spoken to in the format ${api}, not ${route.api}.`;
    if (!URL.canParse(route.url) || !/^https?:$/.test(new URL(route.url).protocol))
      return `"${route.url}" is no address of a server.`;
    this.#want(id, route, owner);
    return undefined;
  }

  /** To switch off what is not there is to have done it. */
  disable(id: string, owner: string): void {
    if (providerOf(id)) this.#want(id, 'off', owner);
  }

  /** Whoever leaves takes its wishes along. */
  release(owner: string): void {
    const own = [...this.#wanted].filter(([, wish]) => wish.owner === owner);
    for (const [id] of own) this.#wanted.delete(id);
    if (own.length > 0) this.#changed();
  }

  list(standing: (provider: Provider) => Usable | Unusable): readonly RouteView[] {
    return providers.map((provider) => {
      const now = standing(provider);
      const api = apiOf(provider);
      return {
        provider: provider.id,
        apis: [api],
        ...(now.usable ? { current: { api, url: now.url } } : {}),
      };
    });
  }

  #want(id: string, route: Route | 'off', owner: string): void {
    this.#wanted.set(id, { route, owner });
    this.#changed();
  }
}

/** Words with an underscore are our own. */
function apiOf({ id, wire }: Provider): string {
  if (id === 'azure' || id === 'bedrock') return id;
  if (wire === 'google' || wire === 'ollama') return `_${wire}`;
  return wire === 'anthropic' ? 'anthropic' : 'openai';
}

/** The formats put the key into a header themselves, so it must not come twice. */
function credentials(given: Route['headers']): {
  readonly key: string | undefined;
  readonly headers: Route['headers'];
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
