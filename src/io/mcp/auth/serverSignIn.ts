// The sign-in to one server: its stored or lent tokens, and what a client needs to know to sign in.
import type { LentToken, SignInNeed } from '../../../host/tools/toolServers.ts';
import type { Secrets } from '../../auth/secrets.ts';
import type { NetworkEndpoint, ServerPlan } from '../serverPlans.ts';
import type { LentTokens } from './lentTokens.ts';
import { deleteSignIn, isSignedIn } from './storedSignIn.ts';

export interface ServerSignInOptions {
  /** Where sign-ins are stored; without it there are none. */
  readonly secrets?: Secrets | undefined;
  readonly lent: LentTokens;
  readonly fetch: typeof fetch;
}

/** How long a server may take to send its OAuth metadata, in milliseconds. */
const metadataTimeout = 5_000;

export class ServerSignIn {
  readonly #endpoint: NetworkEndpoint | undefined;
  readonly #options: ServerSignInOptions;
  #need: SignInNeed | undefined;
  /** We were signed in when the connection was made. */
  #wasSignedIn = false;

  constructor({ endpoint }: ServerPlan, options: ServerSignInOptions) {
    this.#endpoint = 'url' in endpoint ? endpoint : undefined;
    this.#options = options;
  }

  /** What the last rejected connection asked for. */
  get need(): SignInNeed | undefined {
    return this.#need;
  }

  get isSignedIn(): boolean {
    const { secrets, lent } = this.#options;
    return (
      this.#endpoint !== undefined &&
      (lent.of(this.#endpoint.url) !== undefined ||
        (secrets !== undefined && isSignedIn(secrets, this.#endpoint.url)))
    );
  }

  /** Whether the open connection used a sign-in that no longer exists. */
  get isLost(): boolean {
    return this.#wasSignedIn && !this.isSignedIn;
  }

  connected(): void {
    this.#wasSignedIn = this.isSignedIn;
  }

  disconnected(): void {
    this.#wasSignedIn = false;
  }

  /** Takes a client's token for this server's resource; false if the resource is another one. */
  lend(resource: string, token: LentToken): boolean {
    if (!this.#endpoint || this.#need?.resource.resource !== resource) return false;
    this.#options.lent.set(this.#endpoint.url, token);
    return true;
  }

  /** Deletes the tokens; false if there were none. */
  signOut(): boolean {
    if (!this.#endpoint) return false;
    const { secrets, lent } = this.#options;
    return [
      lent.drop(this.#endpoint.url),
      secrets !== undefined && deleteSignIn(secrets, this.#endpoint.url),
    ].includes(true);
  }

  /** Reads what a sign-in needs from the server; ignored if it was stopped meanwhile. */
  async require(stop: AbortSignal): Promise<void> {
    const need = this.#endpoint && (await this.#needOf(this.#endpoint, stop));
    if (stop.aborted) return;
    this.#need = need;
    this.#wasSignedIn = false;
  }

  async #needOf(endpoint: NetworkEndpoint, stop: AbortSignal): Promise<SignInNeed> {
    const reason = this.#wasSignedIn ? 'expired' : 'required';
    const signal = AbortSignal.any([stop, AbortSignal.timeout(metadataTimeout)]);
    const { protectedResource } = await import('./protectedResource.ts');
    const { watchedFetch } = await import('../connection/watchedFetch.ts');
    return {
      ...(await protectedResource(endpoint, (url, init) =>
        watchedFetch(this.#options.fetch, endpoint.url).fetch(url, { ...init, signal }),
      )),
      reason,
    };
  }
}
