// Every feature of tool servers, over a program of its own and over HTTP with a sign-in, with servers that
// others' libraries or nobody's made.
import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serverTools } from '../../src/agents/native/tools/serverTools.ts';
import type {
  OpenServers,
  SampleWish,
  ServerCall,
  ServerView,
  ToolServers,
} from '../../src/host/tools/toolServers.ts';
import type { ToolServer } from '../../src/host/workspace/workbench.ts';
import { openToolServers } from '../../src/io/mcp/toolServers.ts';
import type { ServerTimes } from '../../src/io/mcp/server.ts';
import { openSecrets } from '../../src/io/auth/secrets.ts';
import { authorizationServer } from '../kit/authorizationServer.ts';
import type { AuthorizationServer } from '../kit/authorizationServer.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { listenMcp } from '../kit/mcpServer.ts';
import type { Listening } from '../kit/mcpServer.ts';
import { eventually } from '../kit/patience.ts';

let sdk: Bundle;
let raw: Bundle;
let directory: string;
let pool: ToolServers | undefined;
let vendor: AuthorizationServer;
let remote: Listening;

beforeAll(async () => {
  [raw, sdk] = (await Promise.all(
    ['mcpRawServer', 'mcpSdkServer'].map((name) =>
      bundle(fileURLToPath(new URL(`../kit/${name}.ts`, import.meta.url))),
    ),
  )) as [Bundle, Bundle];
});
afterAll(() => {
  raw.dispose();
  sdk.dispose();
});
beforeEach(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'parley-servers-')));
  vendor = await authorizationServer();
  remote = await listenMcp(({ url, headers }, base) => {
    if (url?.startsWith('/.well-known/oauth-protected-resource'))
      return {
        status: 200,
        body: { resource: `${base}/mcp`, authorization_servers: [vendor.url], scopes_supported: ['tools'] },
      };
    if (vendor.isValid(headers.authorization?.replace(/^Bearer /, ''))) return undefined;
    return {
      status: 401,
      headers: {
        'www-authenticate': `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
      },
    };
  });
});
afterEach(async () => {
  await pool?.close();
  await remote.close();
  await vendor.close();
  rmSync(directory, { recursive: true, force: true });
});

const secretsFile = () => join(directory, 'secrets.json');

function open(server: ToolServer, times: Partial<ServerTimes> = {}): OpenServers {
  pool = openToolServers({
    env: process.env,
    version: '0',
    secrets: openSecrets(secretsFile()),
    times: { again: 20, ...times },
  });
  return pool.open({ roots: [directory], given: () => [server] });
}

function program(bundled: Bundle, ...args: readonly string[]): ToolServer {
  return { type: 'process', name: 'one', command: process.execPath, args: [bundled.path, ...args], env: {} };
}

const overHttp = (): ToolServer => ({ type: 'http', name: 'one', url: remote.url, headers: {} });

async function until(status: ServerView['status'], servers: OpenServers): Promise<ServerView> {
  return eventually(
    () => servers.list().find((view) => view.status === status),
    `a server that is ${status}`,
  );
}

const never = new AbortController().signal;

function call(
  servers: OpenServers,
  tool: string,
  more: Partial<ServerCall> = {},
): ReturnType<OpenServers['call']> {
  return servers.call({ server: 'one', tool, input: {}, signal: never, ...more });
}

async function signIn(servers: OpenServers): Promise<unknown> {
  await until('requires-auth', servers);
  const begun = await servers.signIn('one');
  if ('refused' in begun) return begun;
  await vendor.visit(begun.url);
  return begun.done;
}

describe.each(['a program', 'HTTP with a sign-in'] as const)('over %s', (how) => {
  const ready = async () => {
    const servers = open(how === 'a program' ? program(sdk) : overHttp());
    if (how !== 'a program') expect(await signIn(servers)).toBe(undefined);
    await until('running', servers);
    return servers;
  };

  test('tools, pictures, prompts, resources and instructions', async () => {
    const servers = await ready();
    expect(servers.list()[0]).toMatchObject({
      instructions: 'Add before you multiply.',
      ...(how === 'a program' ? {} : { signedIn: true }),
    });
    expect(await call(servers, 'add', { input: { a: 2, b: 3 } })).toMatchObject({
      content: [{ text: '2 and 3 make 5' }],
    });
    expect(await call(servers, 'picture')).toMatchObject({
      content: [{ type: 'image', mediaType: 'image/png' }],
    });
    expect(
      await servers.prompt({ server: 'one', prompt: 'greet', arguments: { who: 'Ann' }, signal: never }),
    ).toEqual([{ role: 'user', content: { type: 'text', text: 'Hello Ann' } }]);
    expect(await servers.read({ server: 'one', uri: 'note://one', signal: never })).toEqual([
      { type: 'text', text: 'one' },
    ]);
    expect(servers.list()[0]?.templates).toEqual([
      { uri: 'page://{book}/{+path}', name: 'page', description: 'A page.' },
    ]);
    expect(await servers.read({ server: 'one', uri: 'page://seas/1/2', signal: never })).toEqual([
      { type: 'text', text: 'page://seas/1/2 of seas' },
    ]);
    expect(
      await servers.prompt({ server: 'one', prompt: 'nothing', arguments: {}, signal: never }),
    ).toHaveProperty('refused');
    expect(await servers.read({ server: 'one', uri: 'note://two', signal: never })).toHaveProperty('refused');
    expect(await servers.read({ server: 'two', uri: 'note://two', signal: never })).toEqual({
      refused: 'There is no server named two.',
    });
  });

  test('a form, a page, a model and our folders, where the server needs them', async () => {
    const servers = await ready();
    const need = async (what: string, more: Partial<ServerCall>) => {
      const result = await call(servers, 'need', { input: { what }, ...more });
      return result.content[0]?.type === 'text' ? result.content[0].text : '';
    };
    const visits: string[] = [];
    const wishes: SampleWish[] = [];
    expect(
      JSON.parse(
        await need('form', { ask: () => Promise.resolve({ kind: 'fields', values: { count: '2' } }) }),
      ),
    ).toMatchObject({ action: 'accept', content: { count: 2 } });
    expect(
      JSON.parse(
        await need('page', {
          visit: (message, url) => (
            visits.push(message, url),
            Promise.resolve({ kind: 'fields', values: {} })
          ),
        }),
      ),
    ).toMatchObject({ action: 'accept' });
    expect(
      JSON.parse(await need('page', { visit: () => Promise.resolve({ kind: 'declined' }) })),
    ).toMatchObject({ action: 'decline' });
    expect(
      JSON.parse(
        await need('model', {
          sample: (wish) => (
            wishes.push(wish),
            Promise.resolve({ model: 'm', text: 'Something.', stop: 'endTurn' })
          ),
        }),
      ),
    ).toMatchObject({ model: 'm', content: { text: 'Something.' } });
    expect(await need('folders', {})).toContain(`file://${directory}`);
    expect([visits, wishes]).toEqual([
      ['Confirm there.', 'https://pay.example/confirm'],
      [
        {
          system: 'Be brief.',
          maxTokens: 10,
          messages: [{ role: 'user', content: [{ type: 'text', text: 'Say something.' }] }],
        },
      ],
    ]);
  });
});

describe('signing in', () => {
  test('keeps the tokens where only the user may read them, renews them unasked, and sign-outs forget them', async () => {
    const servers = open(overHttp());
    expect(await signIn(servers)).toBe(undefined);
    await until('running', servers);
    expect(statSync(secretsFile()).mode & 0o077).toBe(0);
    expect([vendor.registered[0]?.['client_name'], vendor.asked[0]?.get('resource')]).toEqual([
      'Parley',
      remote.url,
    ]);
    vendor.revoke('tokens');
    expect(
      await Promise.all([
        call(servers, 'add', { input: { a: 1, b: 1 } }),
        call(servers, 'add', { input: { a: 1, b: 1 } }),
      ]),
    ).toMatchObject([{ status: 'done' }, { status: 'done' }]);
    expect(vendor.asked.map((wish) => wish.get('grant_type'))).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
    expect([servers.signOut('one'), servers.signOut('one')]).toEqual([true, false]);
    await until('requires-auth', servers);
    expect(openSecrets(secretsFile()).names()).toEqual([]);
  });

  test('is wanted again when nothing can be renewed any more, and a host that starts later is still signed in', async () => {
    const servers = open(overHttp());
    await signIn(servers);
    await until('running', servers);
    await pool?.close();
    const later = open(overHttp());
    await until('running', later);
    vendor.revoke('all');
    expect(await call(later, 'add', { input: { a: 1, b: 1 } })).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('parley mcp login one'),
    });
    expect((await until('requires-auth', later)).tools).toEqual([]);
  });

  test('fails in words when the user refuses, and whoever comes back with the wrong word is not listened to', async () => {
    const servers = open(overHttp());
    vendor.user = 'no';
    expect(await signIn(servers)).toEqual({ refused: 'Signing in was refused: access_denied.' });
    const begun = await servers.signIn('one');
    if ('refused' in begun) throw new Error(begun.refused);
    vendor.user = 'wrong';
    expect(await vendor.visit(begun.url)).toMatchObject({
      status: 400,
      text: expect.stringContaining('belongs to no sign-in'),
    });
    const again = await servers.signIn('one');
    expect(await begun.done).toEqual({
      refused: 'Signing in did not work: The sign-in was cancelled or timed out.',
    });
    if ('refused' in again) throw new Error(again.refused);
    vendor.user = 'yes';
    await vendor.visit(again.url);
    expect(await again.done).toBe(undefined);
    await until('running', servers);
  });

  test('is not possible where there is nothing to sign in to', async () => {
    const servers = open(program(raw));
    expect(await servers.signIn('one')).toHaveProperty('refused');
    expect(await servers.signIn('two')).toEqual({ refused: 'There is no server named two.' });
  });
});

describe('a server of the older protocol', () => {
  test('sends people to pages, before a call and in the middle of one, and to no other places', async () => {
    const servers = open(program(raw));
    const visits: string[] = [];
    const visit: ServerCall['visit'] = (_, url) => (
      visits.push(url),
      Promise.resolve({ kind: 'fields', values: {} })
    );
    expect(await call(servers, 'visit', { input: { url: 'https://b.example/' }, visit })).toMatchObject({
      content: [{ text: '{"action":"accept"}' }],
    });
    expect(await call(servers, 'visit', { input: { url: 'file:///etc/passwd' }, visit })).toMatchObject({
      content: [{ text: '{"action":"decline"}' }],
    });
    expect(await call(servers, 'visit', { input: { url: 'https://b.example/' } })).toMatchObject({
      content: [{ text: '{"action":"cancel"}' }],
    });
    expect(await call(servers, 'needs', { visit })).toMatchObject({
      status: 'done',
      content: [{ text: 'Thank you.' }],
    });
    expect(visits).toEqual(['https://b.example/', 'https://a.example/in']);
  });

  test('has a model asked if somebody agrees', async () => {
    const servers = open(program(raw));
    expect(
      await call(servers, 'sample', {
        sample: () => Promise.resolve({ model: 'm', text: 'Yes.', stop: 'endTurn' }),
      }),
    ).toMatchObject({ content: [{ text: expect.stringContaining('"text":"Yes."') }] });
    expect(
      await call(servers, 'sample', { sample: () => Promise.resolve({ refused: 'The user refused.' }) }),
    ).toMatchObject({ content: [{ text: expect.stringContaining('The user refused.') }] });
  });

  test('is started anew when it hangs', async () => {
    const servers = open(program(raw), { call: 200, ping: 200 });
    await until('running', servers);
    expect(await call(servers, 'stall')).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('did not answer within'),
    });
    await until('starting', servers);
    await until('running', servers);
    expect(await call(servers, 'echo')).toMatchObject({ status: 'done' });
  });

  test('is started anew when it does not answer a question whether it is alive, though nobody has called it', async () => {
    const servers = open(program(raw), { keepAlive: 100, ping: 1_000 });
    const pid = async () => JSON.stringify(await call(servers, 'name'));
    const before = await pid();
    expect(await call(servers, 'doze')).toMatchObject({ status: 'done' });
    await until('starting', servers);
    await until('running', servers);
    expect(await pid()).not.toBe(before);
  });

  test('has more prompts and resources once it says so', async () => {
    const servers = open(program(raw, 'library'));
    const names = () =>
      servers
        .list()
        .map(({ prompts, resources }) => [
          prompts.map(({ name }) => name),
          resources.map(({ name }) => name),
        ]);
    await until('running', servers);
    expect(names()).toEqual([[['tell-sea'], ['sea']]]);
    await call(servers, 'publish');
    await expect.poll(names).toEqual([
      [
        ['tell-sea', 'tell-lake'],
        ['sea', 'lake'],
      ],
    ]);
  });

  test('says when a resource has changed that was read, also after a new start', async () => {
    const servers = open(program(raw, 'library'));
    const sea = { server: 'one', uri: 'book://sea' };
    const changed = (than: number) =>
      eventually(() => servers.revision(sea) !== than, `a revision after ${than}`);
    expect([await servers.read({ ...sea, signal: never }), servers.revision(sea)]).toEqual([
      [{ type: 'text', text: 'Calm.' }],
      0,
    ]);
    await call(servers, 'write', { input: { text: 'Rough.' } });
    await changed(0);
    expect(await servers.read({ ...sea, signal: never })).toEqual([{ type: 'text', text: 'Rough.' }]);
    await call(servers, 'crash');
    await changed(1);
    await call(servers, 'write', { input: { text: 'Still.' } });
    await changed(2);
  });
});

test('a server of the newest protocol says when a resource has changed that was read', async () => {
  const servers = open(overHttp());
  expect(await signIn(servers)).toBe(undefined);
  await until('running', servers);
  const note = { server: 'one', uri: 'note://one' };
  await servers.read({ ...note, signal: never });
  await expect
    .poll(() => {
      remote.changed('note://one');
      return servers.revision(note);
    })
    .toBeGreaterThan(0);
});

test('a server of the newest protocol that let a call wait too long is asked in its own words whether it is alive, and lives on', async () => {
  const servers = open(program(sdk), { call: 1_000, ping: 5_000, keepAlive: 50 });
  await until('running', servers);
  const statuses: string[] = [];
  pool?.watch(() => statuses.push(servers.list()[0]?.status ?? ''));
  expect(
    await call(servers, 'need', {
      input: { what: 'form' },
      ask: () =>
        new Promise((resolve) => {
          setTimeout(() => resolve({ kind: 'declined' }), 1_200);
        }),
    }),
  ).toMatchObject({ status: 'done' });
  expect(await call(servers, 'wait')).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('did not answer within'),
  });
  expect(await call(servers, 'add', { input: { a: 1, b: 1 } })).toMatchObject({ status: 'done' });
  expect(statuses).toEqual([]);
});

test('tools with the same name, with a name that is too long or of other letters are told apart by names that every provider takes', async () => {
  const servers = open(program(raw, 'sloppy'));
  await until('running', servers);
  const named = serverTools(servers).map(({ name }) => name);
  expect([new Set(named).size, named.every((name) => /^[\w-]{1,64}$/.test(name))]).toEqual([4, true]);
});
