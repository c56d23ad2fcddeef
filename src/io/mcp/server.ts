// The life of one server: on its way up, running, up again after a crash, given up after too many. Knows neither settings nor sessions.
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
import type { Link, NoLink, Offer } from './connect.ts';
import { forget, isSignedIn } from './kept.ts';
import type { Lent } from './lent.ts';
import { UnderWay } from './underWay.ts';
import { reachOf } from './wanted.ts';
import type { Environment, NetworkWay, Plan } from './wanted.ts';

export interface Times {
  /** How long a handshake, and a call without a sign of life, may take, in milliseconds. */
  readonly connect: number;
  readonly call: number;
  /** The wait before the first new start; it doubles with every crash. */
  readonly again: number;
  /** How long a server that let a call wait too long may take to say that it is alive. */
  readonly ping: number;
  /** How often a server that has nothing to do is asked whether it is alive. */
  readonly keepAlive: number;
  /** How long a server on the network that was given up is left alone. */
  readonly later: number;
}

export interface ServerOptions {
  readonly env: Environment;
  readonly version: string;
  readonly times: Times;
  /** Where sign-ins are kept; without it nobody can sign in. */
  readonly secrets?: Secrets | undefined;
  readonly lent: Lent;
  readonly fetch: typeof fetch;
  changed(): void;
}

/** So many crashes within so many milliseconds, and it is left alone. */
const mostCrashes = 5;
const crashWindow = 180_000;
const longestWait = 30_000;

/** How long a call waits for a server that is on its way up, in milliseconds. */
const upPatience = 10_000;

/** How long a server may take to say what it wants to know people by, in milliseconds. */
const resourcePatience = 5_000;

const nothing: Offer = { tools: [], prompts: [], resources: [], templates: [] };

export class Server {
  readonly plan: Plan;
  readonly #options: ServerOptions;
  readonly #calls = new UnderWay();
  #status: ServerView['status'] = 'stopped';
  #problem: string | undefined;
  #offer: Offer = nothing;
  #link: Link | undefined;
  /** Ends whatever is under way: a handshake, a wait. */
  #effort = new AbortController();
  #crashes: number[] = [];
  #signIn: SignInNeed | undefined;
  #ending = new Set<Promise<void>>();
  #beenUp = false;
  /** Somebody had signed in when it ran. */
  #wasKnown = false;
  readonly #waiting = new Set<() => void>();
  /** How often each resource that was read may have changed. */
  readonly #revisions = new Map<string, number>();

  constructor(plan: Plan, options: ServerOptions) {
    this.plan = plan;
    this.#options = options;
  }

  /** On its first way up: nobody knows yet what it has to offer. */
  get isFresh(): boolean {
    return this.#status === 'starting' && !this.#beenUp;
  }

  view(): ServerView {
    const { tools, prompts, resources, templates, instructions } =
      this.#status === 'running' || this.#status === 'starting' ? this.#offer : nothing;
    return {
      name: this.plan.name,
      status: this.#status,
      reach: reachOf(this.plan.way),
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

  /** Resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#effort.abort();
    if (this.#link) this.#end(this.#link);
    this.#link = undefined;
    if (this.#status !== 'disabled') this.#set('stopped');
    await Promise.all(this.#ending);
  }

  /** Tries again where somebody had to sign in first, and leaves where somebody has signed out. */
  refresh(): void {
    if (this.#status === 'requires-auth') this.start();
    else if (this.#link && this.#wasKnown && !this.#isSignedIn()) this.#again();
  }

  /** Ends what was allowed before. */
  #again(): void {
    this.#wasKnown = false;
    void this.stop().then(() => this.start());
  }

  /** Takes a client's token for the resource it is; false where it is not that one. A connection that stands uses it from the next request on. */
  lend(resource: string, token: LentToken): boolean {
    const { way } = this.plan;
    if (!('url' in way) || this.#signIn?.resource.resource !== resource) return false;
    this.#options.lent.set(way.url, token);
    this.refresh();
    return true;
  }

  /** Forgets who we are; whatever was allowed by it ends. */
  signOut(): boolean {
    const { way } = this.plan;
    if (!('url' in way)) return false;
    const known = [
      this.#options.lent.drop(way.url),
      this.#options.secrets !== undefined && forget(this.#options.secrets, way.url),
    ].includes(true);
    if (known && this.#link) this.#again();
    else if (known) this.#options.changed();
    return known;
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
    work: (link: Link, signal: AbortSignal) => Promise<T>,
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
    return `The server ${this.plan.name} is not running.${this.#problem === undefined ? '' : ` ${this.#problem}`}`;
  }

  #isSignedIn(): boolean {
    const { way } = this.plan;
    const { secrets, lent } = this.#options;
    return (
      'url' in way &&
      (lent.of(way.url) !== undefined || (secrets !== undefined && isSignedIn(secrets, way.url)))
    );
  }

  async call(call: ServerCall): Promise<ServerResult> {
    await this.#up(call.signal);
    const link = this.#link;
    if (!link) return failed(this.#notRunning());
    const result = await this.#attempt(link, call);
    if (result !== 'lost') return result;
    // The server has forgotten us and has done nothing, so the call may be made once more.
    this.#end(link);
    await this.#connect();
    const again: ServerResult | 'lost' = this.#link ? await this.#attempt(this.#link, call) : 'lost';
    return again === 'lost' ? failed(`The server ${this.plan.name} has lost the connection.`) : again;
  }

  async #attempt(link: Link, call: ServerCall): Promise<ServerResult | 'lost'> {
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
        void this.#lookAfter(link);
        return failed(
          `The server did not answer within ${this.#options.times.call / 1000} seconds. It may still be at work.`,
        );
      }
      if (link.unauthorized) return this.#turnedAway(link);
      if (link.lost) return 'lost';
      if (this.#link !== link)
        return failed(`The server has ended during the call. ${this.#problem ?? ''}`.trim());
      return failed(errorText(error, 'The call failed.'));
    } finally {
      running.end();
    }
  }

  /** A server that does not answer anything any more hangs, and is started anew. */
  async #lookAfter(link: Link, patience = this.#options.times.ping): Promise<void> {
    try {
      await link.ping(AbortSignal.timeout(patience));
    } catch {
      if (this.#link !== link) return;
      if (link.unauthorized) return void this.#turnedAway(link);
      this.#end(link);
      this.#fallen({ kind: 'crashed', problem: 'The server does not answer any more.' });
    }
  }

  /** As long as it runs. One that is at work may be too busy to answer, and has a time of its own. */
  #keepAlive(link: Link): void {
    const { keepAlive, ping } = this.#options.times;
    const timer = setTimeout(
      () =>
        void (async () => {
          if (this.#link === link && this.#calls.isIdle) await this.#lookAfter(link, 2 * ping);
          if (this.#link === link) this.#keepAlive(link);
        })(),
      keepAlive,
    );
    timer.unref();
  }

  #turnedAway(link: Link): ServerResult {
    const problem = `The server ${this.plan.name} wants to know who you are again; sign in with "parley mcp login ${this.plan.name}".`;
    if (this.#link === link) {
      this.#end(link);
      this.#fallen({ kind: 'auth', problem });
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
    if (!('offer' in link)) return this.#fallen(link);
    this.#link = link;
    this.#offer = link.offer;
    // While nobody listened anything may have changed.
    for (const uri of this.#revisions.keys()) {
      link.subscribe(uri);
      if (this.#beenUp) this.#updated(uri);
    }
    this.#beenUp = true;
    this.#keepAlive(link);
    this.#wasKnown = this.#isSignedIn();
    this.#set('running');
  }

  async #reach(signal: AbortSignal): Promise<Link | NoLink> {
    let link: Link | undefined;
    const reached = import('./connect.ts').then(({ connect }) =>
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
        heard: (remark) => this.#calls.heard(remark),
        closed: (problem) => {
          if (!signal.aborted && this.#link === link) this.#fallen({ kind: 'crashed', problem });
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
        problem: errorText(error, 'The server could not be used.'),
      };
    } finally {
      this.#ending.delete(done);
    }
  }

  #fallen({ kind, problem }: NoLink): void {
    this.#link = undefined;
    if (kind === 'auth') return void this.#stranger(problem);
    if (kind === 'hopeless') return this.#set('failed', problem);
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindow), now];
    if (this.#crashes.length >= mostCrashes) return this.#giveUp(problem);
    this.#set('starting', problem);
    this.#connectIn(Math.min(longestWait, this.#options.times.again * 2 ** (this.#crashes.length - 1)));
  }

  /** A machine that was away from the network comes back to it, and with it what ran there. */
  #giveUp(problem: string): void {
    const returns = 'url' in this.plan.way && this.#beenUp;
    this.#set(
      'failed',
      `${problem} It has ended ${mostCrashes} times in a short time and is ${returns ? 'tried again later' : 'left alone'}.`,
    );
    if (returns) this.#connectIn(this.#options.times.later);
  }

  #connectIn(wait: number): void {
    const effort = new AbortController();
    this.#effort = effort;
    const timer = setTimeout(() => void this.#connect(), wait);
    effort.signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  }

  /** Finds out who a server wants us to be before it says that we are nobody. */
  async #stranger(problem: string): Promise<void> {
    const { way } = this.plan;
    const effort = new AbortController();
    this.#effort = effort;
    this.#set('starting', problem);
    const need = 'url' in way ? await this.#needOf(way, effort.signal) : undefined;
    if (effort.signal.aborted) return;
    this.#signIn = need;
    this.#wasKnown = false;
    this.#set('requires-auth', problem);
  }

  async #needOf(way: NetworkWay, stop: AbortSignal): Promise<SignInNeed> {
    const reason = this.#wasKnown ? 'expired' : 'required';
    const signal = AbortSignal.any([stop, AbortSignal.timeout(resourcePatience)]);
    const { protectedResource } = await import('./resource.ts');
    const { watchedFetch } = await import('./watchedFetch.ts');
    return {
      ...(await protectedResource(way, (url, init) =>
        watchedFetch(this.#options.fetch).fetch(url, { ...init, signal }),
      )),
      reason,
    };
  }

  #end(link: Link): void {
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
