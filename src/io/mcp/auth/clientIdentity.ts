// Our OAuth identity at one remote server: the client registration and the tokens, in the secret store
// under the server's URL.
import { auth, extractWWWAuthenticateParams, UnauthorizedError } from '@modelcontextprotocol/client';
import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { Secrets } from '../../auth/secrets.ts';
import { readSignIn, writeSignIn } from './storedSignIn.ts';
import type { StoredSignIn } from './storedSignIn.ts';
import type { LentTokens } from './lentTokens.ts';
import type { NetworkEndpoint } from '../serverPlans.ts';

export interface IdentityOptions {
  readonly endpoint: NetworkEndpoint;
  readonly secrets: Secrets;
  /** The redirect URL; absent where no user is there to sign in. */
  readonly redirect?: string;
  readonly state?: string;
  readonly visit?: (url: URL) => void;
}

export class Identity implements OAuthClientProvider {
  readonly #options: IdentityOptions;
  #verifier = '';

  constructor(options: IdentityOptions) {
    this.#options = options;
  }

  get redirectUrl(): string {
    return this.#options.redirect ?? this.#stored.redirect ?? 'http://127.0.0.1/callback';
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope, clientName = 'Parley' } = this.#options.endpoint;
    return {
      client_name: clientName,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope === undefined ? {} : { scope }),
    };
  }

  state(): string {
    return this.#options.state ?? '';
  }

  /** A registration is only valid for the redirect URL it was made with, including the port. */
  clientInformation(): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.#options.endpoint;
    if (clientId !== undefined)
      return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
    const { client, redirect } = this.#stored;
    return this.#options.redirect === undefined || redirect === this.#options.redirect ? client : undefined;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#store({ client, redirect: this.redirectUrl });
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#stored.tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#store({ tokens });
  }

  redirectToAuthorization(url: URL): void {
    this.#options.visit?.(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#store({ discovery });
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#stored.discovery;
  }

  invalidateCredentials(scope: keyof typeof partsOf): void {
    if (scope === 'verifier') this.#verifier = '';
    const gone: readonly string[] = partsOf[scope];
    this.#write(Object.fromEntries(Object.entries(this.#stored).filter(([part]) => !gone.includes(part))));
  }

  get #stored(): StoredSignIn {
    return readSignIn(this.#options.secrets, this.#options.endpoint.url);
  }

  #store(more: StoredSignIn): void {
    this.#write({ ...this.#stored, ...more });
  }

  #write(signIn: StoredSignIn): void {
    writeSignIn(this.#options.secrets, this.#options.endpoint.url, signIn);
  }
}

const partsOf = {
  all: ['client', 'redirect', 'tokens', 'discovery'],
  client: ['client', 'redirect'],
  tokens: ['tokens'],
  discovery: ['discovery'],
  verifier: [],
} as const;

/**
 * Sends the stored token with every request and renews it when the server rejects it. Never asks the user.
 */
export function withStoredTokens(
  identity: Identity,
  { url, scope }: NetworkEndpoint,
  tokens: LentTokens,
): AuthProvider {
  let sent: string | undefined;
  return {
    token: () => Promise.resolve((sent = identity.tokens()?.access_token)),
    async onUnauthorized({ response, serverUrl, fetchFn }) {
      const refused = sent;
      await tokens.renewed(url);
      const now = identity.tokens();
      // Another connection has renewed it already.
      if (now && now.access_token !== refused) return;
      if (!now?.refresh_token) throw new UnauthorizedError();
      const { resourceMetadataUrl, scope: wanted } = extractWWWAuthenticateParams(response);
      const asked = scope ?? wanted;
      const renewal = renew(identity, {
        serverUrl,
        fetchFn,
        ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
        ...(asked === undefined ? {} : { scope: asked }),
      });
      await tokens.renew(url, renewal);
    },
  };
}

/** Prefers a token that a client lent; drops it when the server rejects it. */
export function withLentTokens(
  { url }: NetworkEndpoint,
  lent: LentTokens,
  own: AuthProvider | undefined,
): AuthProvider {
  return {
    token: async () => lent.of(url) ?? (await own?.token()),
    async onUnauthorized(refusal) {
      lent.drop(url);
      if (!own?.onUnauthorized) throw new UnauthorizedError();
      await own.onUnauthorized(refusal);
    },
  };
}

async function renew(identity: Identity, options: Parameters<typeof auth>[1]): Promise<void> {
  if ((await auth(identity, options)) !== 'AUTHORIZED') throw new UnauthorizedError();
}
