// Signing in to model providers on this machine: the ways, the tokens among the secrets, and their renewal before each request.
import { providerOf } from '../../agents/native/models/providers/providers.ts';
import { loginWays } from '../../agents/native/models/auth/loginWays.ts';
import type { LoginRow } from '../../agents/native/models/auth/loginWays.ts';
import type { Renewed } from '../../agents/native/models/remote.ts';
import { standingOf } from '../../agents/native/models/providers/standing.ts';
import type {
  LoginField,
  Logins,
  LoginState,
  LoginStep,
  LoginWay,
} from '../../host/settings/providerLogins.ts';
import type { Clock } from '../../host/ports.ts';
import type { SignInSettings } from '../../host/settings/settings.ts';
import type { NotPossible } from '../../host/tools/toolServers.ts';
import { beginWithBrowser, beginWithDevice, beginWithPaste, renewTokens } from '../../io/auth/oauth.ts';
import type { Begun, OAuthOptions, Tokens } from '../../io/auth/oauth.ts';
import type { Secrets } from '../../io/auth/secrets.ts';

export interface ProviderLogins extends Logins {
  ways(provider: string): readonly LoginWay[];
  /** The word to ask a provider with, renewed where it has to be; undefined where nobody is signed in. */
  renew(provider: string): Promise<Renewed | NotPossible | undefined>;
}

export interface LoginOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** Where the user signs in, where the settings say so. */
  readonly signIn?: (provider: string) => SignInSettings | undefined;
}

const keyWay: LoginWay = { key: 'api-key', label: 'Enter API key' };
const keyField: LoginField = { key: 'api-key', label: 'API Key', type: 'secret' };
const codeField: LoginField = { key: 'code', label: 'The code that the page shows', type: 'secret' };

/** A token is renewed so many milliseconds before it ends. */
const early = 60_000;

export function providerLogins({ env, secrets, clock, fetch, signIn }: LoginOptions): ProviderLogins {
  const options: OAuthOptions = { fetch, clock };
  const watchers = new Set<(provider: string) => void>();
  const begun = new Map<string, Pick<Begun, 'cancel'>>();
  const pasting = new Map<string, (code: string) => Promise<NotPossible | undefined>>();
  const renewals = new Map<string, Promise<Kept | NotPossible>>();
  const sessions = new Map<string, Session>();
  const tell = (provider: string) => [...watchers].forEach((watcher) => watcher(provider));
  const rowOf = (provider: string, way: string) =>
    loginWays(provider, env, signIn?.(provider)).find(({ key }) => key === way);

  const keep = async (
    provider: string,
    row: LoginRow,
    tokens: Tokens | NotPossible,
  ): Promise<NotPossible | undefined> => {
    if ('refused' in tokens) return tokens;
    if (row.exchange?.for === 'key') {
      const made = await exchange(row.exchange.url, tokens.access, { fetch, method: 'POST', headers: {} });
      const key = textIn(made, 'raw_key') ?? textIn(made, 'token');
      if (key === undefined)
        return {
          refused: `${provider} gave no key: ${textIn(made, 'message') ?? 'the answer is not understood'}.`,
        };
      secrets.set(provider, key);
    } else {
      secrets.delete(provider);
      secrets.set(nameOf(provider), JSON.stringify({ way: row.key, ...tokens }));
    }
    sessions.delete(provider);
    tell(provider);
    return undefined;
  };

  const start = async (provider: string, row: LoginRow): Promise<LoginStep | NotPossible> => {
    begun.get(provider)?.cancel();
    if (row.how === 'paste') {
      const page = beginWithPaste(row, options);
      pasting.set(provider, async (code) => keep(provider, row, await page.redeem(code)));
      return { kind: 'visit', url: page.url, fields: [codeField] };
    }
    const device = row.how === 'device' ? await beginWithDevice(row, options) : undefined;
    const way = device ?? (await beginWithBrowser(row, options));
    if ('refused' in way) return way;
    begun.set(provider, way);
    const done = way.done.then((tokens) => keep(provider, row, tokens));
    return device && 'code' in device
      ? { kind: 'device', url: device.url, code: device.code, done }
      : { kind: 'visit', url: way.url, done };
  };

  /** One renewal at a time: it makes the old word worthless. */
  const fresh = (provider: string, row: LoginRow, kept: Kept): Promise<Kept | NotPossible> => {
    if (kept.expires === undefined || kept.expires - early > clock.now() || kept.refresh === undefined)
      return Promise.resolve(kept);
    const running =
      renewals.get(provider) ?? renewed(provider, row, kept).finally(() => renewals.delete(provider));
    renewals.set(provider, running);
    return running;
  };
  const renewed = async (provider: string, row: LoginRow, kept: Kept): Promise<Kept | NotPossible> => {
    const tokens = await renewTokens(row, kept, options);
    if ('refused' in tokens)
      return {
        refused: `The sign-in to ${provider} has ended; run "parley login ${provider}". ${tokens.refused}`,
      };
    const next = { way: kept.way, ...tokens };
    secrets.set(nameOf(provider), JSON.stringify(next));
    return next;
  };

  return {
    ways: (provider) => waysOf(provider, env),
    state: (provider) => stateOf(provider, secrets),
    async begin(provider, way) {
      const known = providerOf(provider);
      if (!known) return { refused: `Unknown provider: ${provider}` };
      if (known.key === 'none')
        return { refused: `${known.name} needs no key: start it and its models appear.` };
      const ways = waysOf(provider, env);
      if (way === undefined && ways.length > 1) return { kind: 'choose', ways };
      const chosen = way ?? ways[0]?.key ?? keyWay.key;
      const row = rowOf(provider, chosen);
      if (row) return start(provider, row);
      if (chosen !== keyWay.key)
        return {
          refused: `There is no way "${chosen}" to sign in to ${known.name}; there are ${ways.map(({ key }) => key).join(', ')}.`,
        };
      const standing = standingOf(known, env, 'some-key');
      return standing.usable
        ? { kind: 'fields', fields: [keyField] }
        : { refused: `${known.name} cannot be used: ${standing.why}.` };
    },
    async answer(provider, given) {
      if (!providerOf(provider)) return { refused: `Unknown provider: ${provider}` };
      const code = given[codeField.key];
      const redeem = pasting.get(provider);
      if (code !== undefined)
        return redeem ? redeem(code) : { refused: 'Nobody has begun to sign in there.' };
      const key = (given[keyField.key] ?? '').trim();
      if (key === '') return { refused: 'No key was given.' };
      if (/\s/.test(key)) return { refused: 'A key has no blanks in it.' };
      secrets.set(provider, key);
      tell(provider);
      return undefined;
    },
    forget(provider) {
      begun.get(provider)?.cancel();
      sessions.delete(provider);
      const gone = forgetLogin(provider, secrets);
      if (gone) tell(provider);
      return gone;
    },
    async renew(provider) {
      const kept = keptOf(provider, secrets);
      const row = kept && rowOf(provider, kept.way);
      if (!kept || !row || secrets.get(provider) !== undefined) return undefined;
      const now = await fresh(provider, row, kept);
      if ('refused' in now) return now;
      return row.exchange
        ? sessionOf({ provider, url: row.exchange.url, access: now.access, fetch, clock, sessions })
        : renewedBy(row, now);
    },
    watch(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}

/** The word that a sign-in has left, for those who only want to know whether there is one. */
export function storedKey(provider: string, secrets: Secrets): string | undefined {
  return secrets.get(provider) ?? keptOf(provider, secrets)?.access;
}

/** Whether there was anything. */
export function forgetLogin(provider: string, secrets: Secrets): boolean {
  return [secrets.delete(provider), secrets.delete(nameOf(provider))].some(Boolean);
}

interface Kept extends Tokens {
  readonly way: string;
}

function nameOf(provider: string): string {
  return `login:${provider}`;
}

function keptOf(provider: string, secrets: Secrets): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(secrets.get(nameOf(provider)) ?? 'null');
    return isKept(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

function isKept(value: unknown): value is Kept {
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
  const kept = keptOf(provider, secrets);
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

interface Session extends Renewed {
  readonly expires: number;
}

interface Exchange {
  readonly provider: string;
  readonly url: string;
  readonly access: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly sessions: Map<string, Session>;
}

/** A short-lived word for the lasting one; kept in memory only. */
async function sessionOf({
  provider,
  url,
  access,
  fetch: ask,
  clock,
  sessions,
}: Exchange): Promise<Renewed | NotPossible> {
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
        `${provider} does not let you in; run "parley login ${provider}". ${textIn(given, 'message') ?? ''}`.trim(),
    };
  const expires =
    'expires_at' in given && typeof given.expires_at === 'number' ? given.expires_at * 1000 : clock.now();
  const address =
    'endpoints' in given && typeof given.endpoints === 'object' && given.endpoints
      ? textIn(given.endpoints, 'api')
      : undefined;
  const made: Session = { key, expires, ...(address === undefined ? {} : { url: address }) };
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
    return { message: error instanceof Error ? error.message : 'unknown cause' };
  }
}

function renewedBy({ url, headers = {}, account }: LoginRow, { access }: Kept): Renewed {
  const name = account && claimIn(access, account.claim);
  return {
    key: access,
    bearer: true,
    headers: { ...headers, ...(account && name !== undefined ? { [account.header]: name } : {}) },
    ...(url === undefined ? {} : { url }),
  };
}

/** Some tokens say whose they are. Nobody trusts it but the provider itself. */
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
