// The MCP servers of this host. Workspaces with equal plans share a server; it stops when
// no workspace uses it.
import type {
  LentToken,
  OpenServers,
  ServerPlace,
  ServerView,
  SignIn,
  ToolServers,
} from '../../host/tools/toolServers.ts';
import type { NotPossible } from '../../host/ports.ts';
import { fitsName } from '../../base/paths.ts';
import { serverToolName } from '../../host/tools/serverNames.ts';
import type { LimitSettings, Settings } from '../../host/settings/settings.ts';
import { networkFetch } from '../http/httpClient.ts';
import { LentTokens } from './auth/lentTokens.ts';
import { Server } from './server.ts';
import type { ServerTimes } from './server.ts';
import type { Secrets } from '../auth/secrets.ts';
import { keyOf, serverPlans } from './serverPlans.ts';
import type { Environment } from './serverPlans.ts';

export interface ToolServersOptions {
  readonly settings?: Settings | undefined;
  readonly env: Environment;
  readonly version: string;
  /** Where sign-ins are stored; without it there are none. */
  readonly secrets?: Secrets | undefined;
  readonly times?: Partial<ServerTimes>;
}

const usualTimes: ServerTimes = {
  connect: 60_000,
  call: 60_000,
  again: 500,
  ping: 5_000,
  keepAlive: 30_000,
  later: 60_000,
};

/** How long a server may take to accept or reject a token, in milliseconds. */
const tokenPatience = 10_000;

export function openToolServers(options: ToolServersOptions): ToolServers {
  return new Pool(options);
}

class Pool implements ToolServers {
  readonly #options: ToolServersOptions;
  readonly #servers = new Map<string, Server>();
  /** The keys of the servers of each open workspace. */
  readonly #places = new Map<ServerPlace, readonly string[]>();
  readonly #listeners = new Set<() => void>();
  readonly #ending = new Set<Promise<void>>();
  /** Running sign-ins by the server's URL. */
  readonly #signIns = new Map<string, SignIn>();
  readonly #unwatch: () => void;
  readonly #fetch: typeof fetch;
  readonly #lent = new LentTokens();

  constructor(options: ToolServersOptions) {
    this.#options = options;
    this.#fetch = networkFetch(options.env, () => options.settings?.of([]).network);
    this.#unwatch =
      options.settings?.watch(() => [...this.#places.keys()].forEach((place) => this.#reconcile(place))) ??
      (() => {});
  }

  open(asked: ServerPlace): OpenServers {
    const place = { ...asked };
    this.#reconcile(place);
    const named = (name: string) => this.#of(place).find(({ plan }) => plan.name === name);
    return {
      list: () => {
        if (this.#places.has(place)) this.#reconcile(place);
        return this.#of(place).map((server) =>
          offered(server.view(), this.#options.settings?.of(place.roots).disabledTools ?? []),
        );
      },
      settled: (patience) => this.#settled(place, patience),
      call: async (call) => {
        const server = named(call.server);
        if (server) return server.call(call);
        const { refused: error } = noServer(call.server);
        return { status: 'failed', content: [{ type: 'text', text: error }], error };
      },
      start: (name) => {
        named(name)?.start();
        return named(name) !== undefined;
      },
      stop: (name) => {
        const server = named(name);
        if (server) this.#end(server);
        return server !== undefined;
      },
      prompt: async (wish) => (await named(wish.server)?.prompt(wish)) ?? noServer(wish.server),
      read: async ({ server, uri, signal }) => (await named(server)?.read(uri, signal)) ?? noServer(server),
      revision: ({ server, uri }) => named(server)?.revision(uri) ?? 0,
      signIn: async (name) => {
        const server = named(name);
        return server ? this.#signIn(server) : noServer(name);
      },
      signOut: (name) => named(name)?.signOut() ?? false,
      close: () => {
        this.#places.delete(place);
        this.#sweep();
      },
    };
  }

  list(): readonly ServerView[] {
    return [...this.#servers.values()].map((server) => server.view());
  }

  watch(changed: () => void): () => void {
    const listener = () => changed();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  refresh(): void {
    for (const server of this.#servers.values()) server.refresh();
  }

  async authenticate(resource: string, token: LentToken): Promise<'unknown' | 'refused' | 'taken'> {
    const asked = [...this.#servers.values()].filter((server) => server.lend(resource, token));
    if (asked.length === 0) return 'unknown';
    await this.#until(() => asked.every((server) => server.view().status !== 'starting'), tokenPatience);
    return asked.some((server) => server.view().status === 'requires-auth') ? 'refused' : 'taken';
  }

  async close(): Promise<void> {
    this.#unwatch();
    for (const signIn of this.#signIns.values()) signIn.cancel();
    this.#listeners.clear();
    this.#places.clear();
    this.#sweep();
    await Promise.all(this.#ending);
  }

  #of(place: ServerPlace): readonly Server[] {
    return (this.#places.get(place) ?? []).flatMap((key) => this.#servers.get(key) ?? []);
  }

  #reconcile(place: ServerPlace): void {
    const { settings, env, version, times, secrets } = this.#options;
    const before = this.#places.get(place);
    const fresh: Server[] = [];
    const keys = serverPlans(place, settings, {
      env,
      stored: (name) => secrets?.get(`secret:${name}`),
    }).map((plan) => {
      const key = keyOf(plan);
      if (this.#servers.has(key)) return key;
      const server = new Server(plan, {
        env,
        version,
        secrets,
        lent: this.#lent,
        fetch: this.#fetch,
        times: { ...usualTimes, ...timesOf(settings?.of(place.roots).limits), ...times },
        changed: () => this.#tell(),
      });
      this.#servers.set(key, server);
      fresh.push(server);
      return key;
    });
    this.#places.set(place, keys);
    // Start last: listeners read the list again as soon as a server starts.
    for (const server of fresh) server.start();
    if (before?.some((key) => !keys.includes(key))) this.#sweep();
  }

  /** A new sign-in cancels the one before. */
  async #signIn({ plan: { name, endpoint } }: Server): Promise<SignIn | NotPossible> {
    const { secrets } = this.#options;
    if (!secrets || !('url' in endpoint))
      return { refused: `"${name}" is a local program and needs no sign-in.` };
    this.#signIns.get(endpoint.url)?.cancel();
    const { beginSignIn } = await import('./auth/signIn.ts');
    const begun = await beginSignIn(endpoint, secrets, this.#fetch);
    if ('refused' in begun) return begun;
    this.#signIns.set(endpoint.url, begun);
    void this.#afterwards(endpoint.url, begun);
    return begun;
  }

  async #afterwards(url: string, begun: SignIn): Promise<void> {
    const refused = await begun.done;
    if (this.#signIns.get(url) === begun) this.#signIns.delete(url);
    if (!refused) this.refresh();
  }

  #sweep(): void {
    const wanted = new Set([...this.#places.values()].flat());
    for (const [key, server] of this.#servers) {
      if (wanted.has(key)) continue;
      this.#servers.delete(key);
      this.#end(server);
    }
    this.#tell();
  }

  #end(server: Server): void {
    const ended = server.stop().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #settled(place: ServerPlace, patience: number): Promise<void> {
    return this.#until(() => !this.#of(place).some((server) => server.isFresh), patience);
  }

  #until(isSo: () => boolean, patience: number): Promise<void> {
    return new Promise((resolve) => {
      if (isSo()) return resolve();
      const done = () => {
        clearTimeout(timer);
        leave();
        resolve();
      };
      const timer = setTimeout(done, patience);
      const leave = this.watch(() => isSo() && done());
    });
  }
}

function noServer(name: string): NotPossible {
  return { refused: `There is no server named ${name}.` };
}

/** Marks the tools that the settings disable. */
function offered(view: ServerView, off: readonly string[]): ServerView {
  if (off.length === 0) return view;
  return {
    ...view,
    tools: view.tools.map((tool) =>
      off.some((pattern) => fitsName(pattern, serverToolName(view.name, tool.name)))
        ? { ...tool, disabled: true }
        : tool,
    ),
  };
}

function timesOf({
  serverTimeout: wait,
  serverKeepAlive: keepAlive,
}: Partial<LimitSettings> = {}): Partial<ServerTimes> {
  return {
    ...(wait === undefined ? {} : { connect: wait, call: wait }),
    ...(keepAlive === undefined ? {} : { keepAlive }),
  };
}
