// Assumes AWS roles with our keys or with a web identity token (STS).
import { readFileSync } from 'node:fs';
import { awsSignature } from '../awsSignature.ts';
import { NoCredentials } from './answers.ts';
import type { CredentialOptions, Credentials } from './credentials.ts';

export interface RoleWish {
  readonly role: string;
  readonly name?: string | undefined;
  readonly externalId?: string | undefined;
  readonly region: string;
}

export async function assumedRole(
  { role, name, externalId, region }: RoleWish,
  own: Credentials,
  options: CredentialOptions,
): Promise<Credentials> {
  const url = serviceAt(region, options);
  const body = formOf({
    Action: 'AssumeRole',
    RoleArn: role,
    RoleSessionName: name ?? 'parley',
    ExternalId: externalId,
  });
  const env = {
    AWS_ACCESS_KEY_ID: own.id,
    AWS_SECRET_ACCESS_KEY: own.secret,
    AWS_SESSION_TOKEN: own.session,
    AWS_REGION: region,
  };
  return asked(url, body, {
    role,
    fetch: options.fetch,
    headers: awsSignature({ url, body }, { env, service: 'sts', now: options.now }),
  });
}

export async function roleByToken(
  { file, role, name }: { readonly file: string; readonly role: string; readonly name?: string | undefined },
  options: CredentialOptions & { readonly region?: string },
): Promise<Credentials> {
  const { AWS_REGION: region, AWS_DEFAULT_REGION: other } = options.env;
  const token = tokenIn(file);
  return asked(
    serviceAt(options.region ?? region ?? other ?? 'us-east-1', options),
    formOf({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: role,
      RoleSessionName: name ?? 'parley',
      WebIdentityToken: token,
    }),
    { role, fetch: options.fetch, headers: {} },
  );
}

function tokenIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new NoCredentials(`the AWS token file ${file} cannot be read`);
  }
}

function serviceAt(region: string, { env }: CredentialOptions): string {
  return env['AWS_ENDPOINT_URL_STS'] ?? `https://sts.${region}.amazonaws.com/`;
}

function formOf(fields: { readonly [name: string]: string | undefined }): string {
  const form = new URLSearchParams({ Version: '2011-06-15' });
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  return form.toString();
}

async function asked(
  url: string,
  body: string,
  {
    role,
    headers,
    fetch,
  }: Pick<CredentialOptions, 'fetch'> & {
    readonly role: string;
    readonly headers: { readonly [name: string]: string };
  },
): Promise<Credentials> {
  const usual = { 'content-type': 'application/x-www-form-urlencoded' };
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: { ...usual, ...headers },
    redirect: 'error',
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined);
  if (!response) throw new NoCredentials('the AWS service for roles cannot be reached');
  const answer = await response.text();
  const within = (tag: string) => new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(answer)?.[1];
  const [id, secret, session, ends] = [
    within('AccessKeyId'),
    within('SecretAccessKey'),
    within('SessionToken'),
    within('Expiration'),
  ];
  if (!response.ok || id === undefined || secret === undefined)
    throw new NoCredentials(
      `AWS does not let us take the role ${role}: ${within('Message') ?? `status ${response.status}`}`,
    );
  return { id, secret, session, expires: ends === undefined ? undefined : Date.parse(ends) || undefined };
}
