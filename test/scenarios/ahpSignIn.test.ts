// A tool server on the network that wants a token, with the real program: clients of both generations hear of
// it, bring one, and its tools are used.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ahpClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { v1At } from '../kit/ahpSocket.ts';
import { listenMcp } from '../kit/mcpServer.ts';
import type { Listening } from '../kit/mcpServer.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';

let home: Home;
let remote: Listening;
/** The token that counts now. */
let good = '';
/** What the server calls itself, where it is not its own address. */
let named: string | undefined;

beforeEach(async () => {
  [home, good, named] = [newHome(), 'good-token', undefined];
  remote = await listenMcp(({ url, headers }, base) => {
    if (url === '/rules')
      return {
        status: 200,
        body: {
          resource: named ?? `${base}/mcp`,
          resource_name: 'Sums',
          authorization_servers: ['https://login.example'],
          scopes_supported: ['tools'],
        },
      };
    if (headers.authorization === `Bearer ${good}`) return undefined;
    return {
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="${base}/rules", scope="tools"` },
    };
  });
  mkdirSync(join(home.dir, 'home'), { recursive: true });
  writeFileSync(
    join(home.dir, 'home', 'config.jsonc'),
    JSON.stringify({ mcpServers: { sums: { url: remote.url } }, approvals: { allow: ['sums__*'] } }),
  );
});
afterEach(async () => {
  await home.dispose();
  await remote.close();
});

async function inSession(host: Served): Promise<{ now: AhpClient; uri: string; chat: string }> {
  const now = await ahpClient(host);
  const uri = 'parley:/signed';
  await now.request('createSession', {
    channel: uri,
    provider: 'parley',
    workingDirectories: [`file://${home.workspace}`],
  });
  const { defaultChat } = await now.subscribe(uri);
  await now.subscribe(defaultChat);
  return { now, uri, chat: defaultChat };
}

const serverIn = (state: Loose) => state.customizations.find(({ id }: Loose) => id === 'sums');
const resourcesIn = (root: Loose) =>
  root.agents.find(({ provider }: Loose) => provider === 'parley').protectedResources;

test('a client brings a token for the resource of a server, which then lends its tools; it is written nowhere', async () => {
  const host = await home.serve();
  const old = await v1At(host, { id: 'old' });
  await old.request('initialize', {
    protocolVersion: 1,
    clientId: 'old',
    initialSubscriptions: ['agenthost:/root'],
  });
  const { now, uri, chat } = await inSession(host);
  const resource = {
    resource: remote.url,
    resource_name: 'Sums',
    authorization_servers: ['https://login.example'],
    scopes_supported: ['tools'],
  };
  const wanting = await now.until(uri, (state) => serverIn(state)?.state.kind === 'authRequired');
  expect(serverIn(wanting).state).toMatchObject({ reason: 'required', resource, requiredScopes: ['tools'] });
  expect((await now.wait(({ method }) => method === 'auth/required')).params).toEqual({
    channel: 'ahp-root://',
    resource,
    reason: 'required',
  });
  expect(
    (
      await old.wait(
        ({ method, params }) =>
          method === 'notification' && params.notification.type === 'notify/authRequired',
      )
    ).params.notification,
  ).toEqual({ type: 'notify/authRequired', resource: remote.url, reason: 'required' });
  const root = await now.until('ahp-root://', (state) => resourcesIn(state).length > 0);
  expect(resourcesIn(root)).toEqual([{ ...resource, required: false }]);
  await old.until('agenthost:/root', (state) => resourcesIn(state).length > 0);

  const authenticate = (client: Pick<AhpClient, 'request'>, given: Loose) =>
    client.request('authenticate', { channel: 'ahp-root://', ...given });
  await expect(
    authenticate(now, { resource: 'https://elsewhere.example', token: good }),
  ).rejects.toMatchObject({ code: -32602 });
  await expect(authenticate(now, { resource: remote.url, token: '' })).rejects.toMatchObject({
    code: -32602,
  });
  await expect(authenticate(now, { resource: remote.url, token: 'bad-token' })).rejects.toMatchObject({
    code: -32007,
    data: { resources: [resource] },
  });
  await expect(authenticate(old, { resource: remote.url, token: 'bad-token' })).rejects.toMatchObject({
    code: -32007,
    data: [resource],
  });
  expect(await authenticate(old, { resource: remote.url, token: good })).toEqual({});
  await now.until(uri, (state) => serverIn(state)?.state.kind === 'ready');

  now.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: 't1',
    startedAt: new Date(0).toISOString(),
    message: { text: 'tool sums__add {"a":2,"b":3}', origin: { kind: 'user' } },
  });
  const ended = await now.until(chat, (state) => state.turns.length === 1);
  expect(JSON.stringify(ended.turns[0].responseParts)).toContain('2 and 3 make 5');

  good = 'next-token';
  const from = now.said.length;
  now.dispatch(chat, {
    type: 'chat/turnStarted',
    turnId: 't2',
    startedAt: new Date(0).toISOString(),
    message: { text: 'tool sums__add {"a":2,"b":3}', origin: { kind: 'user' } },
  });
  expect((await now.wait(({ method }) => method === 'auth/required', from)).params).toMatchObject({
    reason: 'expired',
    resource,
  });
  expect(await authenticate(now, { resource: remote.url, token: good, expiresIn: 3600 })).toEqual({});
  await now.until(uri, (state) => serverIn(state)?.state.kind === 'ready');
  const written = readdirSync(join(home.dir, 'home'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
  expect(written.some((text) => /good-token|next-token|bad-token/.test(text))).toBe(false);
  expect(old.problems).toEqual([]);
  await Promise.all([now.close(), old.close()]);
});

test('a server that calls itself by the name of another is known by its address alone', async () => {
  named = 'https://bank.example/api';
  const host = await home.serve();
  const { now, uri } = await inSession(host);
  const wanting = await now.until(uri, (state) => serverIn(state)?.state.kind === 'authRequired');
  expect(serverIn(wanting).state.resource).toEqual({ resource: remote.url });
  await expect(
    now.request('authenticate', { channel: 'ahp-root://', resource: named, token: good }),
  ).rejects.toMatchObject({ code: -32602 });
  await now.close();
});
