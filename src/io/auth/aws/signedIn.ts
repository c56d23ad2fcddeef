// AWS credentials from an SSO sign-in: exchanges the token that `aws sso login` stored, and
// renews it if possible.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../../base/isRecord.ts';
import { NoCredentials, textAt } from './answers.ts';
import type { CredentialOptions, Credentials } from './credentials.ts';
import { awsFolder } from './sharedFiles.ts';
import type { Section } from './sharedFiles.ts';

export interface AwsSignInOptions extends CredentialOptions {
  readonly sessions: { readonly [name: string]: Section };
}

/** Tokens are renewed this many milliseconds before they expire. */
const early = 60_000;

export async function signInCredentials(
  name: string,
  profile: Section,
  options: AwsSignInOptions,
): Promise<Credentials> {
  const session = profile['sso_session'];
  const place = session === undefined ? profile : (options.sessions[session] ?? {});
  const { sso_region: region, sso_start_url: start } = place;
  const { sso_account_id: account, sso_role_name: role } = profile;
  if (region === undefined || start === undefined || account === undefined || role === undefined)
    throw new NoCredentials(`the AWS profile ${name} lacks the SSO region, start URL, account or role`);
  const file = join(
    awsFolder(options.env),
    'sso',
    'cache',
    `${createHash('sha1')
      .update(session ?? start)
      .digest('hex')}.json`,
  );
  const token = await tokenOf(file, region, options);
  if (token === undefined)
    throw new NoCredentials(`the AWS sign-in has expired; run "aws sso login --profile ${name}"`);
  const base = options.env['AWS_ENDPOINT_URL_SSO'] ?? `https://portal.sso.${region}.amazonaws.com`;
  const query = new URLSearchParams({ role_name: role, account_id: account });
  const response = await options
    .fetch(`${base.replace(/\/+$/, '')}/federation/credentials?${query.toString()}`, {
      headers: { 'x-amz-sso_bearer_token': token },
      redirect: 'error',
      signal: AbortSignal.timeout(10_000),
    })
    .catch(() => undefined);
  if (!response) throw new NoCredentials('the AWS SSO service cannot be reached');
  if (response.status === 401 || response.status === 403)
    throw new NoCredentials(`AWS does not accept the sign-in; run "aws sso login --profile ${name}"`);
  const credentials = roleCredentials(await response.json().catch(() => undefined));
  if (!credentials) throw new NoCredentials(`AWS returned no keys for the role ${role}`);
  return credentials;
}

function roleCredentials(answer: unknown): Credentials | undefined {
  const keys = isRecord(answer) ? answer['roleCredentials'] : undefined;
  const [id, secret] = [textAt(keys, 'accessKeyId'), textAt(keys, 'secretAccessKey')];
  if (id === undefined || secret === undefined) return undefined;
  const ends = isRecord(keys) ? keys['expiration'] : undefined;
  return {
    id,
    secret,
    session: textAt(keys, 'sessionToken'),
    expires: typeof ends === 'number' ? ends : undefined,
  };
}

async function tokenOf(file: string, region: string, options: AwsSignInOptions): Promise<string | undefined> {
  const kept = read(file);
  const ends = Date.parse(textAt(kept, 'expiresAt') ?? '');
  const access = textAt(kept, 'accessToken');
  if (access !== undefined && ends - early > options.now()) return access;
  return renewed(file, kept, { ...options, region });
}

/** Stores the renewed token, as the AWS tools do: the old refresh token may no longer be valid. */
async function renewed(
  file: string,
  kept: object | undefined,
  { region, env, fetch, now }: AwsSignInOptions & { readonly region: string },
): Promise<string | undefined> {
  const [clientId, clientSecret, refreshToken] = [
    textAt(kept, 'clientId'),
    textAt(kept, 'clientSecret'),
    textAt(kept, 'refreshToken'),
  ];
  if (clientId === undefined || clientSecret === undefined || refreshToken === undefined) return undefined;
  const base = env['AWS_ENDPOINT_URL_SSO_OIDC'] ?? `https://oidc.${region}.amazonaws.com`;
  const response = await fetch(`${base.replace(/\/+$/, '')}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret, refreshToken, grantType: 'refresh_token' }),
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined);
  const answer: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  const access = textAt(answer, 'accessToken');
  if (access === undefined) return undefined;
  const life = isRecord(answer) ? answer['expiresIn'] : undefined;
  const next = {
    ...kept,
    accessToken: access,
    expiresAt: new Date(now() + (typeof life === 'number' ? life : 3_600) * 1000).toISOString(),
    refreshToken: textAt(answer, 'refreshToken') ?? refreshToken,
  };
  try {
    writeFileSync(file, JSON.stringify(next), { mode: 0o600 });
  } catch {
    // The token is still valid for this process.
  }
  return access;
}

function read(file: string): object | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
