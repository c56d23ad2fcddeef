// The sign-in methods of providers that accept more than a key. Data only.
import type { LoginWay, OAuthPlace } from '../../../../host/settings/providerLogins.ts';
import type { SignInSettings } from '../../../../host/settings/settings.ts';

export interface LoginRow extends LoginWay, OAuthPlace {
  readonly how: 'browser' | 'paste' | 'device';
  /** What the token is exchanged for: a short-lived session token, or a permanent key. */
  readonly exchange?: { readonly for: 'session' | 'key'; readonly url: string };
  /** The API address for such a token, if it differs. */
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  /** The header for the account id, which is read from the token. */
  readonly account?: { readonly header: string; readonly claim: readonly string[] };
}

const anthropic = {
  how: 'paste',
  token: 'https://console.anthropic.com/v1/oauth/token',
  clientId: '9d1c250a-e61b-44d9-88ed-5944d1962f5e',
  scope: 'org:create_api_key user:profile user:inference',
  body: 'json',
  redirect: 'https://console.anthropic.com/oauth/code/callback',
  parameters: { code: 'true' },
} as const;

const rows: { readonly [provider: string]: readonly LoginRow[] | undefined } = {
  anthropic: [
    {
      ...anthropic,
      key: 'max',
      label: 'Claude Pro or Max',
      authorize: 'https://claude.ai/oauth/authorize',
      headers: { 'anthropic-beta': 'oauth-2025-04-20' },
    },
    {
      ...anthropic,
      key: 'console',
      label: 'Create a key in the Anthropic Console',
      authorize: 'https://console.anthropic.com/oauth/authorize',
      exchange: { for: 'key', url: 'https://api.anthropic.com/api/oauth/claude_cli/create_api_key' },
    },
  ],
  openai: [
    {
      key: 'pro',
      label: 'ChatGPT Plus or Pro',
      how: 'browser',
      authorize: 'https://auth.openai.com/oauth/authorize',
      token: 'https://auth.openai.com/oauth/token',
      clientId: 'app_EMoamEEZ73f0CkXaXp7hrann',
      scope: 'openid profile email offline_access',
      body: 'form',
      redirect: { port: 1455, path: '/auth/callback' },
      parameters: { id_token_add_organizations: 'true', codex_cli_simplified_flow: 'true' },
      url: 'https://chatgpt.com/backend-api/codex',
      headers: { 'openai-beta': 'responses=experimental', originator: 'parley' },
      account: { header: 'chatgpt-account-id', claim: ['https://api.openai.com/auth', 'chatgpt_account_id'] },
    },
  ],
  'github-copilot': [
    {
      key: 'device',
      label: 'GitHub',
      how: 'device',
      authorize: '',
      device: 'https://github.com/login/device/code',
      token: 'https://github.com/login/oauth/access_token',
      clientId: 'Iv1.b507a08c87ecfe98',
      scope: 'read:user',
      body: 'json',
      exchange: { for: 'session', url: 'https://api.github.com/copilot_internal/v2/token' },
    },
  ],
};

type Environment = { readonly [name: string]: string | undefined };

/**
 * The sign-in methods besides a key.
 * `<PROVIDER>_AUTH_URL` sets another authorization server, `<PROVIDER>_CLIENT_ID` another client id; the
 * settings name a company's server.
 */
export function loginWays(
  provider: string,
  env: Environment,
  settings: SignInSettings = {},
): readonly LoginRow[] {
  const prefix = provider.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  const base = env[`${prefix}_AUTH_URL`];
  const clientId = env[`${prefix}_CLIENT_ID`] ?? settings.clientId;
  const moved = (row: LoginRow) => {
    if (base) return elsewhere(row, trimmed(base));
    return settings.url === undefined ? row : inCompany(row, trimmed(settings.url));
  };
  return (rows[provider] ?? []).map((row) => ({ ...moved(row), ...(clientId ? { clientId } : {}) }));
}

/** The same paths on the company's server, where GitHub's API is below `/api/v3`. */
function inCompany(row: LoginRow, base: string): LoginRow {
  const there = (url: string) =>
    URL.canParse(url)
      ? `${base}${url.startsWith('https://api.github.com/') ? '/api/v3' : ''}${new URL(url).pathname}`
      : url;
  return {
    ...row,
    authorize: there(row.authorize),
    token: there(row.token),
    ...(row.device === undefined ? {} : { device: there(row.device) }),
    ...(row.exchange ? { exchange: { ...row.exchange, url: there(row.exchange.url) } } : {}),
  };
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

function elsewhere({ url: _, ...row }: LoginRow, base: string): LoginRow {
  return {
    ...row,
    authorize: `${base}/authorize`,
    token: `${base}/token`,
    device: `${base}/device`,
    ...(row.exchange ? { exchange: { ...row.exchange, url: `${base}/exchange` } } : {}),
    ...(typeof row.redirect === 'object' ? { redirect: { ...row.redirect, port: 0 } } : {}),
  };
}
