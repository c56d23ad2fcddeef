// Who we are for one server on the network: its registration of us and our tokens, kept with the other secrets under the server's address.
import { auth, extractWWWAuthenticateParams, UnauthorizedError } from '@modelcontextprotocol/client';
import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { Secrets } from '../auth/secrets.ts';
import { keep, keptFor } from './kept.ts';
import type { Kept } from './kept.ts';
import type { Lent } from './lent.ts';
import type { NetworkWay } from './wanted.ts';

export interface IdentityOptions {
  readonly way: NetworkWay;
  readonly secrets: Secrets;
  /** Where the browser comes back to; where it is absent nobody is there to sign in. */
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
    return this.#options.redirect ?? this.#kept.redirect ?? 'http://127.0.0.1/callback';
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope, clientName = 'Parley' } = this.#options.way;
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

  /** A registration holds for the place it was made with; another port is another place. */
  clientInformation(): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.#options.way;
    if (clientId !== undefined)
      return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
    const { client, redirect } = this.#kept;
    return this.#options.redirect === undefined || redirect === this.#options.redirect ? client : undefined;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#keep({ client, redirect: this.redirectUrl });
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#kept.tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#keep({ tokens });
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
    this.#keep({ discovery });
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#kept.discovery;
  }

  invalidateCredentials(scope: keyof typeof partsOf): void {
    if (scope === 'verifier') this.#verifier = '';
    const gone: readonly string[] = partsOf[scope];
    this.#write(Object.fromEntries(Object.entries(this.#kept).filter(([part]) => !gone.includes(part))));
  }

  get #kept(): Kept {
    return keptFor(this.#options.secrets, this.#options.way.url);
  }

  #keep(more: Kept): void {
    this.#write({ ...this.#kept, ...more });
  }

  #write(kept: Kept): void {
    keep(this.#options.secrets, this.#options.way.url, kept);
  }
}

const partsOf = {
  all: ['client', 'redirect', 'tokens', 'discovery'],
  client: ['client', 'redirect'],
  tokens: ['tokens'],
  discovery: ['discovery'],
  verifier: [],
} as const;

/** Renewals that are under way: a renewal makes the old word worthless, so two at once would lose both. */
const renewals = new Map<string, Promise<void>>();

/** Brings our token along with every request and renews it where it is not taken any more; nobody is asked anything. */
export function quietly(identity: Identity, { url, scope }: NetworkWay): AuthProvider {
  let sent: string | undefined;
  return {
    token: () => Promise.resolve((sent = identity.tokens()?.access_token)),
    async onUnauthorized({ response, serverUrl, fetchFn }) {
      const refused = sent;
      await renewals.get(url);
      const now = identity.tokens();
      // Somebody else has renewed it meanwhile.
      if (now && now.access_token !== refused) return;
      if (!now?.refresh_token) throw new UnauthorizedError();
      const { resourceMetadataUrl, scope: wanted } = extractWWWAuthenticateParams(response);
      const asked = scope ?? wanted;
      const renewal = renew(identity, {
        serverUrl,
        fetchFn,
        ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
        ...(asked === undefined ? {} : { scope: asked }),
      }).finally(() => renewals.delete(url));
      renewals.set(url, renewal);
      await renewal;
    },
  };
}

/** A token that a client lent us goes first; one that is refused is not kept. */
export function known({ url }: NetworkWay, lent: Lent, own: AuthProvider | undefined): AuthProvider {
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
