// The life cycle of one server: starting, running, restarted after a crash, given up after too many. Knows
// neither settings nor sessions.
import { onAbort } from '../../base/waiting.ts';
import { errorText } from '../../base/errorText.ts';
import type {
  LentToken,
  PromptMessage,
  PromptWish,
  ServerCall,
  ServerResult,
  ServerView,
  SignInNeed,
} from '../../host/tools/toolServers.ts';
import type { NotPossible } from '../../host/ports.ts';
import type { Content } from '../../model/event.ts';
import type { Secrets } from '../auth/secrets.ts';
import type { ServerLink, ConnectFailure, ServerOffer } from './connection/connect.ts';
import { deleteSignIn, isSignedIn } from './auth/storedSignIn.ts';
import type { LentTokens } from './auth/lentTokens.ts';
import { RunningCalls } from './runningCalls.ts';
import { reachOf } from './serverPlans.ts';
import type { Environment, NetworkEndpoint, ServerPlan } from './serverPlans.ts';

export interface ServerTimes {
  /** How long a handshake, and a call without progress, may take, in milliseconds. */
  readonly connect: number;
  readonly call: number;
  /** The delay before the first restart; it doubles with every crash. */
  readonly again: number;
  /** How long a server may take to answer a ping after a call has timed out. */
  readonly ping: number;
  /** How often an idle server is pinged. */
  readonly keepAlive: number;
  /** When to try a remote server again that was given up. */
  readonly later: number;
}

export interface ServerOptions {
  readonly env: Environment;
  readonly version: string;
  readonly times: ServerTimes;
  /** Where sign-ins are stored; without it there are none. */
  readonly secrets?: Secrets | undefined;
  readonly lent: LentTokens;
  readonly fetch: typeof fetch;
  changed(): void;
}

/** A server that crashes this often within the window (in milliseconds) is given up. */
const mostCrashes = 5;
const crashWindow = 180_000;
const longestWait = 30_000;

/** How long a call waits for a starting server, in milliseconds. */
const upPatience = 10_000;

/** How long a server may take to send its OAuth metadata, in milliseconds. */
const resourcePatience = 5_000;

const nothing: ServerOffer = { tools: [], prompts: [], resources: [], templates: [] };

export class Server {
  readonly plan: ServerPlan;
  readonly #options: ServerOptions;
  readonly #calls = new RunningCalls();
  #status: ServerView['status'] = 'stopped';
  #problem: string | undefined;
  #offer: ServerOffer = nothing;
  #link: ServerLink | undefined;
  /** Aborts the running handshake or the delay before a restart. */
  #effort = new AbortController();
  #crashes: number[] = [];
  #signIn: SignInNeed | undefined;
  #ending = new Set<Promise<void>>();
  #wasRunning = false;
  /** We were signed in when the connection was made. */
  #wasSignedIn = false;
  readonly #waiting = new Set<() => void>();
  /** How often each resource that was read may have changed since. */
  readonly #revisions = new Map<string, number>();

  constructor(plan: ServerPlan, options: ServerOptions) {
    this.plan = plan;
    this.#options = options;
  }

  /** Starting for the first time, so its offer is still unknown. */
  get isFresh(): boolean {
    return this.#status === 'starting' && !this.#wasRunning;
  }

  view(): ServerView {
    const { tools, prompts, resources, templates, instructions } =
      this.#status === 'running' || this.#status === 'starting' ? this.#offer : nothing;
    return {
      name: this.plan.name,
      status: this.#status,
      reach: reachOf(this.plan.endpoint),
      tools,
      prompts,
      resources,
      ...(templates.length === 0 ? {} : { templates }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
      ...(this.#isSignedIn() ? { signedIn: true } : {}),
      ...(this.#signIn ? { signIn: this.#signIn } : {}),
    };
  }

  start(): void {
    if (this.#status === 'starting' || this.#status === 'running') return;
    if (this.plan.disabled) return this.#set('disabled');
    if (this.plan.problem !== undefined) return this.#set('failed', this.plan.problem);
    this.#crashes = [];
    void this.#connect();
  }

  /** Resolves when the connection is closed and its process has exited. */
  async stop(): Promise<void> {
    this.#effort.abort();
    if (this.#link) this.#end(this.#link);
    this.#link = undefined;
    if (this.#status !== 'disabled') this.#set('stopped');
    await Promise.all(this.#ending);
  }

  /** Connects again after a sign-in, and disconnects after a sign-out. */
  refresh(): void {
    if (this.#status === 'requires-auth') this.start();
    else if (this.#link && this.#wasSignedIn && !this.#isSignedIn()) this.#restart();
  }

  #restart(): void {
    this.#wasSignedIn = false;
    void this.stop().then(() => this.start());
  }

  /**
   * Takes a client's token for this server's resource; false if the resource is another one. An open
   * connection uses it from the next request on.
   */
  lend(resource: string, token: LentToken): boolean {
    const { endpoint } = this.plan;
    if (!('url' in endpoint) || this.#signIn?.resource.resource !== resource) return false;
    this.#options.lent.set(endpoint.url, token);
    this.refresh();
    return true;
  }

  /** Deletes the tokens and ends a connection that used them. */
  signOut(): boolean {
    const { endpoint } = this.plan;
    if (!('url' in endpoint)) return false;
    const wasSignedIn = [
      this.#options.lent.drop(endpoint.url),
      this.#options.secrets !== undefined && deleteSignIn(this.#options.secrets, endpoint.url),
    ].includes(true);
    if (wasSignedIn && this.#link) this.#restart();
    else if (wasSignedIn) this.#options.changed();
    return wasSignedIn;
  }

  prompt(wish: PromptWish): Promise<readonly PromptMessage[] | NotPossible> {
    return this.#ask(wish.signal, (link, signal) => link.prompt({ ...wish, signal }));
  }

  read(uri: string, signal: AbortSignal): Promise<readonly Content[] | NotPossible> {
    return this.#ask(signal, (link, stop) => {
      this.#revisions.set(uri, this.revision(uri));
      link.subscribe(uri);
      return link.read(uri, stop);
    });
  }

  revision(uri: string): number {
    return this.#revisions.get(uri) ?? 0;
  }

  #updated(uri: string): void {
    this.#revisions.set(uri, this.revision(uri) + 1);
  }

  async #ask<T>(
    stop: AbortSignal,
    work: (link: ServerLink, signal: AbortSignal) => Promise<T>,
  ): Promise<T | NotPossible> {
    await this.#up(stop);
    if (!this.#link) return { refused: this.#notRunning() };
    try {
      return await work(this.#link, AbortSignal.any([stop, AbortSignal.timeout(this.#options.times.call)]));
    } catch (error) {
      return { refused: errorText(error, 'The server did not answer.') };
    }
  }

  #notRunning(): string {
    return (
      `The server ${this.plan.name} is not ` +
      `running.${this.#problem === undefined ? '' : ` ${this.#problem}`}`
    );
  }

  #isSignedIn(): boolean {
    const { endpoint } = this.plan;
    const { secrets, lent } = this.#options;
    return (
      'url' in endpoint &&
      (lent.of(endpoint.url) !== undefined || (secrets !== undefined && isSignedIn(secrets, endpoint.url)))
    );
  }

  async call(call: ServerCall): Promise<ServerResult> {
    await this.#up(call.signal);
    const link = this.#link;
    if (!link) return failed(this.#notRunning());
    const result = await this.#attempt(link, call);
    if (result !== 'lost') return result;
    // The server does not know our session and did nothing, so the call can be repeated safely.
    this.#end(link);
    await this.#connect();
    const again: ServerResult | 'lost' = this.#link ? await this.#attempt(this.#link, call) : 'lost';
    return again === 'lost' ? failed(`The server ${this.plan.name} is no longer connected.`) : again;
  }

  async #attempt(link: ServerLink, call: ServerCall): Promise<ServerResult | 'lost'> {
    const running = this.#calls.begin(call, this.#options.times.call);
    try {
      return await link.call({
        tool: call.tool,
        input: call.input,
        signal: AbortSignal.any([call.signal, running.signal]),
        progress: running.progress,
      });
    } catch (error) {
      if (call.signal.aborted) return failed('The call was stopped.');
      if (running.signal.aborted) {
        void this.#checkAlive(link);
        return failed(
          `The server did not answer within ${this.#options.times.call / 1000} seconds. It may still be ` +
            'running the call.',
        );
      }
      if (link.unauthorized) return this.#rejected(link);
      if (link.lost) return 'lost';
      if (this.#link !== link)
        return failed(`The server ended during the call. ${this.#problem ?? ''}`.trim());
      return failed(errorText(error, 'The call failed.'));
    } finally {
      running.end();
    }
  }

  /** Restarts a server that does not answer a ping. */
  async #checkAlive(link: ServerLink, patience = this.#options.times.ping): Promise<void> {
    try {
      await link.ping(AbortSignal.timeout(patience));
    } catch {
      if (this.#link !== link) return;
      if (link.unauthorized) return void this.#rejected(link);
      this.#end(link);
      this.#disconnected({ kind: 'crashed', problem: 'The server does not respond.' });
    }
  }

  /**
   * Pings the server while it runs. A busy server may not answer, and its calls have their own time limit.
   */
  #keepAlive(link: ServerLink): void {
    const { keepAlive, ping } = this.#options.times;
    const timer = setTimeout(
      () =>
        void (async () => {
          if (this.#link === link && this.#calls.isIdle) await this.#checkAlive(link, 2 * ping);
          if (this.#link === link) this.#keepAlive(link);
        })(),
      keepAlive,
    );
    timer.unref();
  }

  #rejected(link: ServerLink): ServerResult {
    const problem =
      `The sign-in to ${this.plan.name} is no longer valid. Run "parley mcp login ${this.plan.name}" to ` +
      'sign in again.';
    if (this.#link === link) {
      this.#end(link);
      this.#disconnected({ kind: 'auth', problem });
    }
    return failed(problem);
  }

  async #connect(): Promise<void> {
    const effort = new AbortController();
    this.#effort = effort;
    this.#link = undefined;
    this.#set('starting', this.#problem);
    const link = await this.#reach(effort.signal);
    if (effort.signal.aborted) return void ('offer' in link && this.#end(link));
    if (!('offer' in link)) return this.#disconnected(link);
    this.#link = link;
    this.#offer = link.offer;
    // Changes while we were not connected were not reported.
    for (const uri of this.#revisions.keys()) {
      link.subscribe(uri);
      if (this.#wasRunning) this.#updated(uri);
    }
    this.#wasRunning = true;
    this.#keepAlive(link);
    this.#wasSignedIn = this.#isSignedIn();
    this.#set('running');
  }

  async #reach(signal: AbortSignal): Promise<ServerLink | ConnectFailure> {
    let link: ServerLink | undefined;
    const reached = import('./connection/connect.ts').then(({ connect }) =>
      connect(this.plan, {
        env: this.#options.env,
        version: this.#options.version,
        patience: this.#options.times.connect,
        signal,
        changed: (offer) => {
          if (signal.aborted) return;
          this.#offer = offer;
          this.#options.changed();
        },
        updated: (uri) => this.#updated(uri),
        logged: (message) => this.#calls.logged(message),
        closed: (problem) => {
          if (!signal.aborted && this.#link === link) this.#disconnected({ kind: 'crashed', problem });
        },
        helpers: this.#calls.helpers,
        secrets: this.#options.secrets,
        lent: this.#options.lent,
        fetch: this.#options.fetch,
      }),
    );
    const done = Promise.allSettled([reached]).then(() => undefined);
    this.#ending.add(done);
    try {
      const result = await reached;
      if ('offer' in result) link = result;
      return result;
    } catch (error) {
      return {
        kind: 'hopeless',
        problem: errorText(error, 'The server cannot be used.'),
      };
    } finally {
      this.#ending.delete(done);
    }
  }

  #disconnected({ kind, problem }: ConnectFailure): void {
    this.#link = undefined;
    if (kind === 'auth') return void this.#requireSignIn(problem);
    if (kind === 'hopeless') return this.#set('failed', problem);
    const now = performance.now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindow), now];
    if (this.#crashes.length >= mostCrashes) return this.#giveUp(problem);
    this.#set('starting', problem);
    this.#connectIn(Math.min(longestWait, this.#options.times.again * 2 ** (this.#crashes.length - 1)));
  }

  /** A remote server may come back with the network connection; a local one is not tried again. */
  #giveUp(problem: string): void {
    const returns = 'url' in this.plan.endpoint && this.#wasRunning;
    this.#set(
      'failed',
      `${problem} It crashed ${mostCrashes} times in a short ` +
        `time${returns ? '; Parley tries it again later' : ' and is not restarted'}.`,
    );
    if (returns) this.#connectIn(this.#options.times.later);
  }

  #connectIn(wait: number): void {
    const effort = new AbortController();
    this.#effort = effort;
    const timer = setTimeout(() => void this.#connect(), wait);
    onAbort(effort.signal, () => clearTimeout(timer));
  }

  /** Reads the OAuth metadata before it reports that a sign-in is needed. */
  async #requireSignIn(problem: string): Promise<void> {
    const { endpoint } = this.plan;
    const effort = new AbortController();
    this.#effort = effort;
    this.#set('starting', problem);
    const need = 'url' in endpoint ? await this.#needOf(endpoint, effort.signal) : undefined;
    if (effort.signal.aborted) return;
    this.#signIn = need;
    this.#wasSignedIn = false;
    this.#set('requires-auth', problem);
  }

  async #needOf(endpoint: NetworkEndpoint, stop: AbortSignal): Promise<SignInNeed> {
    const reason = this.#wasSignedIn ? 'expired' : 'required';
    const signal = AbortSignal.any([stop, AbortSignal.timeout(resourcePatience)]);
    const { protectedResource } = await import('./auth/protectedResource.ts');
    const { watchedFetch } = await import('./connection/watchedFetch.ts');
    return {
      ...(await protectedResource(endpoint, (url, init) =>
        watchedFetch(this.#options.fetch).fetch(url, { ...init, signal }),
      )),
      reason,
    };
  }

  #end(link: ServerLink): void {
    const ended = link
      .close()
      .catch(() => {})
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  #up(signal: AbortSignal): Promise<void> {
    if (this.#status !== 'starting') return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, upPatience);
      signal.addEventListener('abort', done, { once: true });
      this.#waiting.add(done);
    });
  }

  #set(status: ServerView['status'], problem?: string): void {
    this.#status = status;
    this.#problem = problem;
    if (status !== 'starting') for (const done of this.#waiting) done();
    this.#options.changed();
  }
}

function failed(error: string): ServerResult {
  return { status: 'failed', content: [{ type: 'text', text: error }], error };
}
