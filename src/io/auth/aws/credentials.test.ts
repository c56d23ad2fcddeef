import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awsCredentials } from './credentials.ts';
import type { AwsEnvironment } from './sharedFiles.ts';

const now = Date.UTC(2026, 0, 2);
const later = new Date(now + 3_600_000).toISOString();
let home: string;
let service: Server;
let url: string;
let asked: {
  readonly path: string;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
}[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'parley-aws-'));
  asked = [];
  service = createServer((request, response) => {
    let body = '';
    request
      .on('data', (chunk: Buffer) => (body += chunk.toString()))
      .on('end', () => {
        asked.push({ path: request.url ?? '', headers: request.headers, body });
        const [status, answer] = answerTo(request.url ?? '', { headers: request.headers, body });
        response.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
      });
  });
  await new Promise<void>((resolve) => {
    service.listen(0, '127.0.0.1', resolve);
  });
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await new Promise((resolve) => {
    service.close(resolve);
  });
  rmSync(home, { recursive: true, force: true });
});

/** What Amazon's services answer, each in its own form. */
function answerTo(
  path: string,
  { headers, body }: { readonly headers: { readonly [name: string]: unknown }; readonly body: string },
): readonly [number, unknown] {
  if (path.startsWith('/federation/credentials')) {
    const known = ['token-1', 'token-2'].includes(String(headers['x-amz-sso_bearer_token']));
    return known
      ? [
          200,
          {
            roleCredentials: {
              accessKeyId: 'SSO',
              secretAccessKey: 's',
              sessionToken: 't',
              expiration: now + 3_600_000,
            },
          },
        ]
      : [401, {}];
  }
  if (path === '/token')
    return body.includes('"refreshToken":"again"')
      ? [200, { accessToken: 'token-2', expiresIn: 3600, refreshToken: 'again-2' }]
      : [400, {}];
  if (path === '/container')
    return headers['authorization'] === 'word'
      ? [200, { AccessKeyId: 'BOX', SecretAccessKey: 's', Token: 't', Expiration: later }]
      : [403, {}];
  if (body.includes('denied'))
    return [403, '<ErrorResponse><Error><Message>You may not.</Message></Error></ErrorResponse>'];
  return [
    200,
    `<R><Credentials><AccessKeyId>ROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${later}</Expiration></Credentials></R>`,
  ];
}

function put(files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, '.aws', path, '..'), { recursive: true });
    writeFileSync(join(home, '.aws', path), text);
  }
}

const cached = (name: string) => `sso/cache/${createHash('sha1').update(name).digest('hex')}.json`;
const open = (env: AwsEnvironment) =>
  awsCredentials({
    env: {
      HOME: home,
      AWS_ENDPOINT_URL_STS: url,
      AWS_ENDPOINT_URL_SSO: url,
      AWS_ENDPOINT_URL_SSO_OIDC: url,
      ...env,
    },
    fetch,
    now: () => now,
  });

const sso =
  '[profile work]\nsso_session = corp\nsso_account_id = 1\nsso_role_name = Dev\nregion = eu-west-1\n\n' +
  '[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.example/start\n';

describe('keys are found', () => {
  check(
    'in the environment',
    {},
    { AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' },
    { id: 'ENV', secret: 's', session: 't' },
  );
  check(
    'in the usual profile',
    { credentials: '[default]\naws_access_key_id=FILE\naws_secret_access_key = s # mine\n' },
    {},
    { id: 'FILE', secret: 's' },
  );
  check(
    'in a named profile, which counts more than the environment',
    {
      config: '[profile "work"]\nregion = x\n',
      credentials: '; old\n[work]\r\naws_access_key_id=WORK\r\naws_secret_access_key=a=b\r\n',
    },
    { AWS_PROFILE: 'work', AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 's' },
    { id: 'WORK', secret: 'a=b' },
  );
  check(
    'by a program',
    {
      config: `[default]\ncredential_process = echo '{"Version":1,"AccessKeyId":"PROG","SecretAccessKey":"s","Expiration":"${later}"}'\n`,
    },
    {},
    { id: 'PROG', expires: now + 3_600_000 },
  );
  check(
    'by a sign-in',
    { config: sso, [cached('corp')]: JSON.stringify({ accessToken: 'token-1', expiresAt: later }) },
    { AWS_PROFILE: 'work' },
    { id: 'SSO', session: 't', expires: now + 3_600_000 },
  );
  check(
    'by a sign-in of the older kind',
    {
      config:
        '[default]\nsso_start_url = https://c\nsso_region = us-east-1\nsso_account_id = 1\n' +
        'sso_role_name = Dev\n',
      [cached('https://c')]: JSON.stringify({ accessToken: 'token-1', expiresAt: later }),
    },
    {},
    { id: 'SSO' },
  );
  check(
    'by a role',
    {
      config:
        '[profile base]\naws_access_key_id=B\naws_secret_access_key=s\n[profile work]\nrole_arn=arn:r\n' +
        'source_profile=base\nexternal_id=e\nregion=eu-west-1\n',
    },
    { AWS_PROFILE: 'work' },
    { id: 'ROLE', session: 't' },
  );
  check(
    'by a role that the environment may take',
    { config: '[profile work]\nrole_arn=arn:r\ncredential_source=Environment\n' },
    { AWS_PROFILE: 'work', AWS_ACCESS_KEY_ID: 'ENV', AWS_SECRET_ACCESS_KEY: 's' },
    { id: 'ROLE' },
  );

  function check(
    where: string,
    files: { readonly [path: string]: string },
    ...[env, expected]: [AwsEnvironment, object]
  ): void {
    test(`${where} they are`, async () => {
      put(files);
      expect(await open(env)()).toMatchObject(expected);
    });
  }

  test('in a container, and by a token in a file', async () => {
    expect(
      await open({
        AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/container`,
        AWS_CONTAINER_AUTHORIZATION_TOKEN: 'word',
      })(),
    ).toMatchObject({ id: 'BOX', session: 't' });
    writeFileSync(join(home, 'token'), 'jwt\n');
    expect(
      await open({ AWS_WEB_IDENTITY_TOKEN_FILE: join(home, 'token'), AWS_ROLE_ARN: 'arn:r' })(),
    ).toMatchObject({ id: 'ROLE' });
    expect(asked.at(-1)?.body).toContain('WebIdentityToken=jwt');
  });
});

test('a role is asked for with a signature of the keys that may take it', async () => {
  put({
    config:
      '[profile base]\naws_access_key_id=B\naws_secret_access_key=s\n[profile work]\nrole_arn=arn:r\n' +
      'source_profile=base\nexternal_id=e\nregion=eu-west-1\n',
  });
  await open({ AWS_PROFILE: 'work' })();
  expect(asked[0]).toMatchObject({
    body: 'Version=2011-06-15&Action=AssumeRole&RoleArn=arn%3Ar&RoleSessionName=parley&ExternalId=e',
    headers: { authorization: expect.stringContaining('Credential=B/20260102/eu-west-1/sts/aws4_request') },
  });
});

test("a sign-in that has ended is renewed once for all who ask, and kept as Amazon's own programs keep it", async () => {
  put({
    config: sso,
    [cached('corp')]: JSON.stringify({
      accessToken: 'old',
      expiresAt: new Date(now - 1).toISOString(),
      clientId: 'c',
      clientSecret: 's',
      refreshToken: 'again',
      region: 'eu-west-1',
    }),
  });
  const credentials = open({ AWS_PROFILE: 'work' });
  expect((await Promise.all([credentials(), credentials()])).map(({ id }) => id)).toEqual(['SSO', 'SSO']);
  await credentials();
  expect(asked.map(({ path }) => path.split('?')[0])).toEqual(['/token', '/federation/credentials']);
  expect(JSON.parse(readFileSync(join(home, '.aws', cached('corp')), 'utf8'))).toMatchObject({
    accessToken: 'token-2',
    refreshToken: 'again-2',
    region: 'eu-west-1',
  });
});

describe('where there are none it is said why', () => {
  check(
    'nowhere',
    {},
    {},
    'there are no AWS keys: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  );
  check(
    'a profile that is not there',
    { credentials: '[default]\naws_access_key_id=A\naws_secret_access_key=s\n' },
    { AWS_PROFILE: 'work' },
    'there is no AWS profile named work',
  );
  check(
    'a profile with nothing in it',
    { config: '[profile work]\nregion=x\n' },
    { AWS_PROFILE: 'work' },
    'the AWS profile work has no keys, no SSO sign-in and no credential process',
  );
  check(
    'a sign-in that has ended',
    {
      config: sso,
      [cached('corp')]: JSON.stringify({ accessToken: 'old', expiresAt: new Date(now - 1).toISOString() }),
    },
    { AWS_PROFILE: 'work' },
    'the AWS sign-in has expired; run "aws sso login --profile work"',
  );
  check(
    'a sign-in that is not accepted',
    { config: sso, [cached('corp')]: JSON.stringify({ accessToken: 'forged', expiresAt: later }) },
    { AWS_PROFILE: 'work' },
    'AWS does not accept the sign-in; run "aws sso login --profile work"',
  );
  check(
    'a program that fails',
    { config: '[default]\ncredential_process = echo secret-words >&2; exit 3\n' },
    {},
    'the credential process of the AWS profile default returned no keys',
  );
  check(
    'a profile that leads in a circle',
    { config: '[profile a]\nrole_arn=r\nsource_profile=b\n[profile b]\nrole_arn=r\nsource_profile=a\n' },
    { AWS_PROFILE: 'a' },
    'the AWS profile a refers to itself',
  );
  check(
    'a role that is denied',
    {
      config:
        '[profile base]\naws_access_key_id=B\naws_secret_access_key=s\n[profile work]\nrole_arn=denied\n' +
        'source_profile=base\n',
    },
    { AWS_PROFILE: 'work' },
    'AWS does not let us take the role denied: You may not.',
  );
  check(
    'a container far away',
    {},
    { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://evil.example/x' },
    'AWS_CONTAINER_CREDENTIALS_FULL_URI is not an allowed address',
  );
  check(
    'a token that is not there',
    {},
    { AWS_WEB_IDENTITY_TOKEN_FILE: '/no/such/file', AWS_ROLE_ARN: 'r' },
    'the AWS token file /no/such/file cannot be read',
  );

  function check(
    what: string,
    files: { readonly [path: string]: string },
    ...[env, expected]: [AwsEnvironment, string]
  ): void {
    test(`${what} is a reason`, async () => {
      put(files);
      await expect(async () => open(env)()).rejects.toMatchObject({
        name: 'NoCredentials',
        message: expected,
      });
    });
  }
});
