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
} from '../../host/tools/toolServers.ts';
import type { NotPossible } from '../../host/ports.ts';
import type { Content } from '../../model/event.ts';
import type { ServerLink, ConnectFailure, ServerOffer } from './connection/connect.ts';
import { ResourceRevisions } from './connection/resourceRevisions.ts';
import { ServerSignIn } from './auth/serverSignIn.ts';
import type { ServerSignInOptions } from './auth/serverSignIn.ts';
import { Crashes, mostCrashes } from './crashes.ts';
import { RunningCalls } from './runningCalls.ts';
import { reachOf } from './serverPlans.ts';
import type { Environment, ServerPlan } from './serverPlans.ts';
import { ServerStatus } from './serverStatus.ts';

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

export interface ServerOptions extends ServerSignInOptions {
  readonly env: Environment;
  readonly version: string;
  readonly times: ServerTimes;
  changed(): void;
}

const nothing: ServerOffer = { tools: [], prompts: [], resources: [], templates: [] };

export class Server {
  readonly plan: ServerPlan;
  readonly #options: ServerOptions;
  readonly #calls = new RunningCalls();
  readonly #status: ServerStatus;
  readonly #signIn: ServerSignIn;
  readonly #crashes: Crashes;
  readonly #revisions = new ResourceRevisions();
  #offer: ServerOffer = nothing;
  #link: ServerLink | undefined;
  /** Aborts the running handshake or the delay before a restart. */
  #effort = new AbortController();
  readonly #ending = new Set<Promise<void>>();
  #wasRunning = false;

  constructor(plan: ServerPlan, options: ServerOptions) {
    this.plan = plan;
    this.#options = options;
    this.#status = new ServerStatus(() => options.changed());
    this.#signIn = new ServerSignIn(plan, options);
    this.#crashes = new Crashes(options.times.again);
  }

  /** Starting for the first time, so its offer is still unknown. */
  get isFresh(): boolean {
    return this.#status.value === 'starting' && !this.#wasRunning;
  }

  view(): ServerView {
    const { value: status, problem } = this.#status;
    const { tools, prompts, resources, templates, instructions } =
      status === 'running' || status === 'starting' ? this.#offer : nothing;
    return {
      name: this.plan.name,
      status,
      reach: reachOf(this.plan.endpoint),
      tools,
      prompts,
      resources,
      ...(templates.length === 0 ? {} : { templates }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(problem === undefined ? {} : { problem }),
      ...(this.#signIn.isSignedIn ? { signedIn: true } : {}),
      ...(this.#signIn.need ? { signIn: this.#signIn.need } : {}),
    };
  }

  start(): void {
    if (this.#status.value === 'starting' || this.#status.value === 'running') return;
    if (this.plan.disabled) return this.#status.set('disabled');
    if (this.plan.problem !== undefined) return this.#status.set('failed', this.plan.problem);
    this.#crashes.forget();
    void this.#connect();
  }

  /** Resolves when the connection is closed and its process has exited. */
  async stop(): Promise<void> {
    this.#effort.abort();
    if (this.#link) this.#end(this.#link);
    this.#link = undefined;
    if (this.#status.value !== 'disabled') this.#status.set('stopped');
    await Promise.all(this.#ending);
  }

  /** Connects again after a sign-in, and disconnects after a sign-out. */
  refresh(): void {
    if (this.#status.value === 'requires-auth') this.start();
    else if (this.#link && this.#signIn.isLost) this.#restart();
  }

  #restart(): void {
    this.#signIn.disconnected();
    void this.stop().then(() => this.start());
  }

  /**
   * Takes a client's token for this server's resource; false if the resource is another one. An open
   * connection uses it from the next request on.
   */
  lend(resource: string, token: LentToken): boolean {
    const isTaken = this.#signIn.lend(resource, token);
    if (isTaken) this.refresh();
    return isTaken;
  }

  /** Deletes the tokens and ends a connection that used them. */
  signOut(): boolean {
    const wasSignedIn = this.#signIn.signOut();
    if (wasSignedIn && this.#link) this.#restart();
    else if (wasSignedIn) this.#options.changed();
    return wasSignedIn;
  }

  prompt(wish: PromptWish): Promise<readonly PromptMessage[] | NotPossible> {
    return this.#ask(wish.signal, (link, signal) => link.prompt({ ...wish, signal }));
  }

  read(uri: string, signal: AbortSignal): Promise<readonly Content[] | NotPossible> {
    return this.#ask(signal, (link, stop) => {
      this.#revisions.follow(uri, link);
      return link.read(uri, stop);
    });
  }

  revision(uri: string): number {
    return this.#revisions.of(uri);
  }

  async #ask<T>(
    stop: AbortSignal,
    work: (link: ServerLink, signal: AbortSignal) => Promise<T>,
  ): Promise<T | NotPossible> {
    await this.#status.started(stop);
    if (!this.#link) return { refused: this.#notRunning() };
    try {
      return await work(this.#link, AbortSignal.any([stop, AbortSignal.timeout(this.#options.times.call)]));
    } catch (error) {
      return { refused: errorText(error, 'The server did not answer.').slice(0, longestError) };
    }
  }

  #notRunning(): string {
    const { problem } = this.#status;
    return `The server ${this.plan.name} is not running.${problem === undefined ? '' : ` ${problem}`}`;
  }

  async call(call: ServerCall): Promise<ServerResult> {
    await this.#status.started(call.signal);
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
        return failed(`The server ended during the call. ${this.#status.problem ?? ''}`.trim());
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
    this.#status.set('starting', this.#status.problem);
    const link = await this.#reach(effort.signal);
    if (effort.signal.aborted) return void ('offer' in link && this.#end(link));
    if (!('offer' in link)) return this.#disconnected(link);
    this.#link = link;
    this.#offer = link.offer;
    this.#revisions.connected(link, this.#wasRunning);
    this.#wasRunning = true;
    this.#keepAlive(link);
    this.#signIn.connected();
    this.#status.set('running');
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
        updated: (uri) => this.#revisions.changed(uri),
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
    if (kind === 'hopeless') return this.#status.set('failed', problem);
    const delay = this.#crashes.add();
    if (delay === undefined) return this.#giveUp(problem);
    this.#status.set('starting', problem);
    this.#connectIn(delay);
  }

  /** A remote server may come back with the network connection; a local one is not tried again. */
  #giveUp(problem: string): void {
    const returns = 'url' in this.plan.endpoint && this.#wasRunning;
    this.#status.set(
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
    const effort = new AbortController();
    this.#effort = effort;
    this.#status.set('starting', problem);
    await this.#signIn.require(effort.signal);
    if (!effort.signal.aborted) this.#status.set('requires-auth', problem);
  }

  #end(link: ServerLink): void {
    const ended = link
      .close()
      .catch(() => {})
      .finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

/** How many characters of an error message of the server are kept. */
const longestError = 10_000;

function failed(message: string): ServerResult {
  const error = message.slice(0, longestError);
  return { status: 'failed', content: [{ type: 'text', text: error }], error };
}
