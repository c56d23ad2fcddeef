// Signs in to model providers, stores their tokens among the secrets, and renews them before a request.
import { errorText } from '../../base/errorText.ts';
import { providerOf } from '../../agents/native/models/providers/providers.ts';
import { loginWays } from '../../agents/native/models/auth/loginWays.ts';
import type { LoginRow } from '../../agents/native/models/auth/loginWays.ts';
import type { RenewedLogin } from '../../agents/native/models/remoteOptions.ts';
import { resolveAccess } from '../../agents/native/models/providers/access.ts';
import type {
  LoginField,
  Logins,
  LoginState,
  LoginStep,
  LoginWay,
} from '../../host/settings/providerLogins.ts';
import type { Clock } from '../../host/ports.ts';
import type { SignInSettings } from '../../host/settings/settings.ts';
import type { NotPossible } from '../../host/ports.ts';
import { beginWithBrowser, beginWithDevice, beginWithPaste, renewTokens } from '../../io/auth/oauth.ts';
import type { PendingSignIn, OAuthOptions, Tokens } from '../../io/auth/oauth.ts';
import type { Secrets } from '../../io/auth/secrets.ts';

export interface ProviderLogins extends Logins {
  ways(provider: string): readonly LoginWay[];
  /** The credentials for a request, renewed if necessary; undefined without a sign-in. */
  renew(provider: string): Promise<RenewedLogin | NotPossible | undefined>;
}

export interface LoginOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** The sign-in server from the settings, if there is one. */
  readonly signIn?: (provider: string) => SignInSettings | undefined;
}

const keyWay: LoginWay = { key: 'api-key', label: 'Enter API key' };
const keyField: LoginField = { key: 'api-key', label: 'API Key', type: 'secret' };
const codeField: LoginField = { key: 'code', label: 'Code from the page', type: 'secret' };

/** How long before its end a token is renewed, in milliseconds. */
const early = 60_000;

export function providerLogins(options: LoginOptions): ProviderLogins {
  return new StoredLogins(options);
}

class StoredLogins implements ProviderLogins {
  readonly #options: LoginOptions;
  readonly #oauth: OAuthOptions;
  readonly #watchers = new Set<(provider: string) => void>();
  /** Sign-ins in progress, by provider. */
  readonly #started = new Map<string, Pick<PendingSignIn, 'cancel'>>();
  /** Redeem the code that the user pastes, by provider. */
  readonly #redeem = new Map<string, (code: string) => Promise<NotPossible | undefined>>();
  readonly #renewals = new Map<string, Promise<StoredLogin | NotPossible>>();
  /** Short-lived keys, in memory only. */
  readonly #sessions = new Map<string, ProviderSession>();

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#oauth = { fetch: options.fetch, clock: options.clock };
  }

  ways(provider: string): readonly LoginWay[] {
    return waysOf(provider, this.#options.env);
  }

  state(provider: string): LoginState {
    return stateOf(provider, this.#options.secrets);
  }

  async begin(provider: string, way?: string): Promise<LoginStep | NotPossible> {
    const known = providerOf(provider);
    if (!known) return { refused: `Unknown provider: ${provider}` };
    if (known.key === 'none')
      return { refused: `${known.name} needs no key: start it and its models appear.` };
    const ways = this.ways(provider);
    if (way === undefined && ways.length > 1) return { kind: 'choose', ways };
    const chosen = way ?? ways[0]?.key ?? keyWay.key;
    const row = this.#rowOf(provider, chosen);
    if (row) return this.#start(provider, row);
    if (chosen !== keyWay.key)
      return {
        refused:
          `Unknown sign-in method "${chosen}" for ${known.name}. Use one of: ` +
          `${ways.map(({ key }) => key).join(', ')}.`,
      };
    const standing = resolveAccess(known, this.#options.env, 'some-key');
    return standing.usable
      ? { kind: 'fields', fields: [keyField] }
      : { refused: `${known.name} cannot be used: ${standing.why}.` };
  }

  async answer(
    provider: string,
    fields: { readonly [key: string]: string },
  ): Promise<NotPossible | undefined> {
    if (!providerOf(provider)) return { refused: `Unknown provider: ${provider}` };
    const code = fields[codeField.key];
    const redeem = this.#redeem.get(provider);
    if (code !== undefined) return redeem ? redeem(code) : { refused: 'No sign-in is in progress.' };
    const key = (fields[keyField.key] ?? '').trim();
    if (key === '') return { refused: 'The key is empty.' };
    if (/\s/.test(key)) return { refused: 'A key contains no spaces.' };
    this.#options.secrets.set(provider, key);
    this.#changed(provider);
    return undefined;
  }

  forget(provider: string): boolean {
    this.#started.get(provider)?.cancel();
    this.#sessions.delete(provider);
    const existed = forgetLogin(provider, this.#options.secrets);
    if (existed) this.#changed(provider);
    return existed;
  }

  async renew(provider: string): Promise<RenewedLogin | NotPossible | undefined> {
    const { secrets, fetch, clock } = this.#options;
    const stored = storedLogin(provider, secrets);
    const row = stored && this.#rowOf(provider, stored.way);
    if (!stored || !row || secrets.get(provider) !== undefined) return undefined;
    const current = await this.#fresh(provider, row, stored);
    if ('refused' in current) return current;
    const { access } = current;
    return row.exchange
      ? sessionOf({ provider, url: row.exchange.url, access, fetch, clock, sessions: this.#sessions })
      : renewedBy(row, current);
  }

  watch(changed: (provider: string) => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  #changed(provider: string): void {
    for (const watcher of [...this.#watchers]) watcher(provider);
  }

  #rowOf(provider: string, way: string): LoginRow | undefined {
    const { env, signIn } = this.#options;
    return loginWays(provider, env, signIn?.(provider)).find(({ key }) => key === way);
  }

  async #start(provider: string, row: LoginRow): Promise<LoginStep | NotPossible> {
    this.#started.get(provider)?.cancel();
    if (row.how === 'paste') {
      const page = beginWithPaste(row, this.#oauth);
      this.#redeem.set(provider, async (code) => this.#store(provider, row, await page.redeem(code)));
      return { kind: 'visit', url: page.url, fields: [codeField] };
    }
    const device = row.how === 'device' ? await beginWithDevice(row, this.#oauth) : undefined;
    const started = device ?? (await beginWithBrowser(row, this.#oauth));
    if ('refused' in started) return started;
    this.#started.set(provider, started);
    const done = started.done.then((tokens) => this.#store(provider, row, tokens));
    return device && 'code' in device
      ? { kind: 'device', url: device.url, code: device.code, done }
      : { kind: 'visit', url: started.url, done };
  }

  async #store(
    provider: string,
    row: LoginRow,
    tokens: Tokens | NotPossible,
  ): Promise<NotPossible | undefined> {
    if ('refused' in tokens) return tokens;
    const { secrets, fetch } = this.#options;
    if (row.exchange?.for === 'key') {
      const answer = await exchange(row.exchange.url, tokens.access, { fetch, method: 'POST', headers: {} });
      const key = textIn(answer, 'raw_key') ?? textIn(answer, 'token');
      if (key === undefined)
        return {
          refused: `${provider} returned no key: ${textIn(answer, 'message') ?? 'unknown answer'}.`,
        };
      secrets.set(provider, key);
    } else {
      secrets.delete(provider);
      secrets.set(nameOf(provider), JSON.stringify({ way: row.key, ...tokens }));
    }
    this.#sessions.delete(provider);
    this.#changed(provider);
    return undefined;
  }

  /** One renewal at a time, since it invalidates the old token. */
  #fresh(provider: string, row: LoginRow, stored: StoredLogin): Promise<StoredLogin | NotPossible> {
    const { expires, refresh } = stored;
    if (expires === undefined || expires - early > this.#options.clock.now() || refresh === undefined)
      return Promise.resolve(stored);
    const running =
      this.#renewals.get(provider) ??
      this.#renewTokens(provider, row, stored).finally(() => this.#renewals.delete(provider));
    this.#renewals.set(provider, running);
    return running;
  }

  async #renewTokens(
    provider: string,
    row: LoginRow,
    stored: StoredLogin,
  ): Promise<StoredLogin | NotPossible> {
    const tokens = await renewTokens(row, stored, this.#oauth);
    if ('refused' in tokens)
      return {
        refused: `The sign-in to ${provider} has expired; run "parley login ${provider}". ${tokens.refused}`,
      };
    const renewed = { way: stored.way, ...tokens };
    this.#options.secrets.set(nameOf(provider), JSON.stringify(renewed));
    return renewed;
  }
}

/** The stored key or token of a provider. It may have expired. */
export function storedKey(provider: string, secrets: Secrets): string | undefined {
  return secrets.get(provider) ?? storedLogin(provider, secrets)?.access;
}

/** True if something was stored. */
export function forgetLogin(provider: string, secrets: Secrets): boolean {
  return [secrets.delete(provider), secrets.delete(nameOf(provider))].some(Boolean);
}

interface StoredLogin extends Tokens {
  readonly way: string;
}

function nameOf(provider: string): string {
  return `login:${provider}`;
}

function storedLogin(provider: string, secrets: Secrets): StoredLogin | undefined {
  try {
    const kept: unknown = JSON.parse(secrets.get(nameOf(provider)) ?? 'null');
    return isStoredLogin(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

function isStoredLogin(value: unknown): value is StoredLogin {
  return (
    typeof value === 'object' &&
    value !== null &&
    'way' in value &&
    typeof value.way === 'string' &&
    'access' in value &&
    typeof value.access === 'string'
  );
}

function stateOf(provider: string, secrets: Secrets): LoginState {
  if (secrets.get(provider) !== undefined) return { kind: 'key' };
  const kept = storedLogin(provider, secrets);
  return kept
    ? {
        kind: 'signed-in',
        way: kept.way,
        renews: kept.refresh !== undefined,
        ...(kept.expires === undefined ? {} : { expires: kept.expires }),
      }
    : { kind: 'none' };
}

function waysOf(provider: string, env: NodeJS.ProcessEnv): readonly LoginWay[] {
  if (providerOf(provider)?.key === 'none') return [];
  return [...loginWays(provider, env).map(({ key, label }) => ({ key, label })), keyWay];
}

interface ProviderSession extends RenewedLogin {
  readonly expires: number;
}

interface Exchange {
  readonly provider: string;
  readonly url: string;
  readonly access: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly sessions: Map<string, ProviderSession>;
}

/** Exchanges the stored token for a short-lived key. */
async function sessionOf({
  provider,
  url,
  access,
  fetch: ask,
  clock,
  sessions,
}: Exchange): Promise<RenewedLogin | NotPossible> {
  const known = sessions.get(provider);
  if (known && known.expires - early > clock.now()) return known;
  const given = await exchange(url, access, {
    fetch: ask,
    method: 'GET',
    headers: providerOf(provider)?.headers ?? {},
  });
  const key = textIn(given, 'token');
  if (key === undefined)
    return {
      refused:
        `${provider} rejected the sign-in; run "parley login ${provider}". ${textIn(given, 'message') ?? ''}`.trim(),
    };
  const expires =
    'expires_at' in given && typeof given.expires_at === 'number' ? given.expires_at * 1000 : clock.now();
  const address =
    'endpoints' in given && typeof given.endpoints === 'object' && given.endpoints
      ? textIn(given.endpoints, 'api')
      : undefined;
  const made: ProviderSession = { key, expires, ...(address === undefined ? {} : { url: address }) };
  sessions.set(provider, made);
  return made;
}

async function exchange(
  url: string,
  access: string,
  {
    fetch: ask,
    method,
    headers,
  }: {
    readonly fetch: typeof fetch;
    readonly method: 'GET' | 'POST';
    readonly headers: { readonly [name: string]: string };
  },
): Promise<object> {
  try {
    const response = await ask(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
      headers: { ...headers, accept: 'application/json', authorization: `Bearer ${access}` },
    });
    const answer: unknown = await response.json();
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch (error) {
    return { message: errorText(error) };
  }
}

function renewedBy({ url, headers = {}, account }: LoginRow, { access }: StoredLogin): RenewedLogin {
  const name = account && claimIn(access, account.claim);
  return {
    key: access,
    bearer: true,
    headers: { ...headers, ...(account && name !== undefined ? { [account.header]: name } : {}) },
    ...(url === undefined ? {} : { url }),
  };
}

/** Reads a claim of a token without checking it; only the provider relies on it. */
function claimIn(token: string, path: readonly string[]): string | undefined {
  try {
    let value: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    for (const name of path)
      value = typeof value === 'object' && value !== null ? (Reflect.get(value, name) as unknown) : undefined;
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function textIn(from: object, name: string): string | undefined {
  const value: unknown = Reflect.get(from, name);
  return typeof value === 'string' ? value : undefined;
}
