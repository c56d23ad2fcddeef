// Sign-ins to tool servers under attack: servers and pages that lie about who they are get neither a code nor
// a token, and a token goes nowhere but to the server that it was given for.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OpenServers, SignIn, ToolServers } from '../../src/host/tools/toolServers.ts';
import { openSecrets } from '../../src/io/auth/secrets.ts';
import { openToolServers } from '../../src/io/mcp/toolServers.ts';
import { authorizationServer } from '../kit/authorizationServer.ts';
import type { AuthorizationServer } from '../kit/authorizationServer.ts';
import { listenMcp } from '../kit/mcpServer.ts';
import type { Listening } from '../kit/mcpServer.ts';
import { eventually } from '../kit/patience.ts';

let directory: string;
let vendor: AuthorizationServer;
let remote: Listening;
let pool: ToolServers;
let servers: OpenServers;
/** What the server says that it is, and who signs its users in. */
let named: { resource: string | undefined; signer: string };

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parley-sign-in-'));
  vendor = await authorizationServer();
  named = { resource: undefined, signer: vendor.url };
  remote = await listenMcp(({ url, headers }, base) => {
    if (url?.startsWith('/.well-known/oauth-protected-resource'))
      return {
        status: 200,
        body: { resource: named.resource ?? `${base}/mcp`, authorization_servers: [named.signer] },
      };
    if (vendor.isValid(headers.authorization?.replace(/^Bearer /, ''))) return undefined;
    const metadata = `${base}/.well-known/oauth-protected-resource/mcp`;
    return { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${metadata}"` } };
  });
  pool = openToolServers({
    env: process.env,
    version: '0',
    secrets: openSecrets(join(directory, 'secrets.json')),
    times: { again: 20 },
  });
  servers = open(remote.url);
});
afterEach(async () => {
  await pool.close();
  await remote.close();
  await vendor.close();
  rmSync(directory, { recursive: true, force: true });
});

function open(url: string): OpenServers {
  return pool.open({ roots: [directory], given: () => [{ type: 'http', name: 'one', url, headers: {} }] });
}

async function until(status: string): Promise<void> {
  await eventually(() => servers.list().some((view) => view.status === status), `a server that is ${status}`);
}

async function begin(): Promise<SignIn> {
  await until('requires-auth');
  const begun = await servers.signIn('one');
  if ('refused' in begun) throw new Error(begun.refused);
  return begun;
}

function expectNothingGiven(): void {
  expect(vendor.asked).toEqual([]);
  expect(servers.list().some(({ signedIn }) => signedIn)).toBe(false);
}

test.each<[string, () => void, RegExp]>([
  [
    'calls itself by the name of another issuer',
    () => (vendor.lies.metadata = { issuer: 'https://bank.example' }),
    /issuer/i,
  ],
  [
    'accepts only codes without a proof of who began',
    () => (vendor.lies.metadata = { code_challenge_methods_supported: ['plain'] }),
    /code challenge/i,
  ],
  [
    'signs in for the resource of another server',
    () => (named.resource = 'https://bank.example/api'),
    /does not match/i,
  ],
])('a server that %s is not signed in to', async (_, lie, reason) => {
  lie();
  await expect(begin()).rejects.toThrow(reason);
  expectNothingGiven();
});

test('an answer that another issuer signed is refused, and its code is not used', async () => {
  const begun = await begin();
  vendor.lies.callback = { iss: 'https://bank.example' };
  await vendor.visit(begun.url);
  expect(await begun.done).toEqual({ refused: expect.stringMatching(/issuer/i) });
  expectNothingGiven();
});

test('a code that comes without the word of this sign-in, or to another place, is not used', async () => {
  const begun = await begin();
  const asked = new URL(begun.url).searchParams;
  const back = new URL(asked.get('redirect_uri') ?? '');
  expect([back.hostname, asked.get('code_challenge_method')]).toEqual(['127.0.0.1', 'S256']);
  expect(vendor.registered.map((client) => client['redirect_uris'])).toEqual([[back.href]]);
  const status = async (change: (url: URL) => void) => {
    const url = new URL(back);
    url.search = new URLSearchParams({ code: 'stolen', state: asked.get('state') ?? '' }).toString();
    change(url);
    return (await fetch(url)).status;
  };
  expect([
    await status((url) => url.searchParams.delete('state')),
    await status((url) => url.searchParams.set('state', '')),
    await status((url) => url.searchParams.set('state', 'guess')),
    await status((url) => (url.pathname = '/')),
    await status((url) => (url.pathname = '/callback/more')),
  ]).toEqual([400, 400, 400, 404, 404]);
  const elsewhere = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => {
    elsewhere.listen(0, '127.0.0.1', resolve);
  });
  const { port } = elsewhere.address() as { port: number };
  expect(await status((url) => (url.port = String(port)))).toBe(200);
  elsewhere.close();
  begun.cancel();
  expect(await begun.done).toHaveProperty('refused');
  expectNothingGiven();
});

test('whoever takes over the server during a sign-in gets no code', async () => {
  const begun = await begin();
  const thief = await authorizationServer();
  named.signer = thief.url;
  await vendor.visit(begun.url);
  await begun.done;
  expect([vendor.asked.length, thief.asked, thief.registered]).toEqual([1, [], []]);
  await thief.close();
});

test('a token is for one address, readable by its owner alone, and in nothing that clients are told', async () => {
  const begun = await begin();
  await vendor.visit(begun.url);
  expect(await begun.done).toBe(undefined);
  await until('running');
  const proof = vendor.asked[0];
  expect([proof?.get('resource'), proof?.get('code_verifier')]).toEqual([
    remote.url,
    expect.stringMatching(/.{43,}/),
  ]);
  const stored = readFileSync(join(directory, 'secrets.json'), 'utf8');
  expect([statSync(join(directory, 'secrets.json')).mode & 0o777, /access-\d/.test(stored)]).toEqual([
    0o600,
    true,
  ]);
  expect(JSON.stringify(servers.list())).not.toMatch(/access-|renew-/);

  const heard: (string | undefined)[] = [];
  const other = await listenMcp(({ headers }) => {
    heard.push(headers.authorization);
    return undefined;
  });
  const same = open(other.url);
  await eventually(() => same.list().some(({ status }) => status === 'running'), 'another server');
  expect([...new Set(heard)]).toEqual([undefined]);
  await other.close();
});
