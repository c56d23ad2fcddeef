// The network edge under attack: nobody gets in without the token or under another name, and without a token
// only our own page does.
import { once } from 'node:events';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { newHome } from '../kit/parley.ts';
import type { Served } from '../kit/parley.ts';
import { ahpClient } from '../kit/clients.ts';

const home = newHome();
let host: Served;
beforeAll(async () => {
  host = await home.serve();
});
afterAll(() => home.dispose());

async function upgrade(path: string, headers: Record<string, string> = {}): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}${path}`, { headers });
  return new Promise((resolve) => {
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
    socket.once('error', () => resolve(0));
  });
}

async function get(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
) {
  const sent = request({
    host: '127.0.0.1',
    port: host.port,
    path,
    method: options.method ?? 'GET',
    headers: options.headers ?? {},
  });
  sent.end(options.body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, headers: response.headers, body };
}

const token = () => `tkn=${host.token}`;

test.each<[string, () => Promise<number>, number]>([
  ['the right token', () => upgrade(`/ahp?${token()}`), 101],
  ['the right token on the path VS Code uses', () => upgrade(`/?${token()}`), 101],
  ['the other name of the parameter', () => upgrade(`/ahp?token=${host.token}`), 101],
  ['our own origin', () => upgrade(`/ahp?${token()}`, { origin: `http://127.0.0.1:${host.port}` }), 101],
  ['no token', () => upgrade('/ahp'), 401],
  ['an empty token', () => upgrade('/ahp?tkn='), 401],
  ['the right token as bearer', () => upgrade('/acp', { authorization: `Bearer ${host.token}` }), 101],
  ['a wrong token as bearer', () => upgrade('/acp', { authorization: 'Bearer wrong' }), 401],
  ['the token by another scheme', () => upgrade('/acp', { authorization: `Basic ${host.token}` }), 401],
  ['a wrong token', () => upgrade('/ahp?tkn=wrong'), 401],
  ['a token that begins right', () => upgrade(`/ahp?tkn=${host.token.slice(0, -1)}`), 401],
  ['a token with more behind it', () => upgrade(`/ahp?${token()}x`), 401],
  ['a very long token', () => upgrade(`/ahp?tkn=${'x'.repeat(4000)}`), 401],
  ['a rebound name', () => upgrade(`/ahp?${token()}`, { host: `attacker.example:${host.port}` }), 403],
  [
    'a rebound name with its own origin',
    () =>
      upgrade(`/ahp?${token()}`, {
        host: `attacker.example:${host.port}`,
        origin: `http://attacker.example:${host.port}`,
      }),
    403,
  ],
  ['a path that is no door', () => upgrade(`/nowhere?${token()}`), 404],
])('an upgrade with %s', async (_, attempt, status) => {
  expect(await attempt()).toBe(status);
});

// A page of another site cannot know the token, and editors connect from pages of their own.
test.each([
  ['the page of VS Code', () => 'vscode-file://vscode-app'],
  ['a web view of VS Code', () => 'vscode-webview://0a1b2c3d4e5f'],
  ['an opaque page', () => 'null'],
  ['VS Code in the browser', () => 'https://vscode.dev'],
  ['our page under another name', () => `http://localhost:${host.port}`],
  ['another port of this machine', () => 'http://127.0.0.1:1'],
  ['another site', () => 'https://attacker.example'],
])('%s gets in with the right token only', async (_, originOf) => {
  const origin = originOf();
  const proof = 'device=AAAAAAAA&challenge=x&proof=x';
  const queries = [token(), `token=${host.token}`, 'tkn=wrong', 'tkn=', '', proof];
  const attempts = queries.map((query) => upgrade(`/ahp?${query}`, { origin }));
  attempts.push(upgrade('/ahp', { origin, cookie: `parley=${host.token}; tkn=${host.token}` }));
  attempts.push(upgrade(`/ahp?${token()}`, { origin, host: `attacker.example:${host.port}` }));
  expect(await Promise.all(attempts)).toEqual([101, 101, 403, 403, 403, 403, 403, 403]);
});

test('health is open, says little, and allows no other site', async () => {
  const { status, headers, body } = await get('/healthz');
  expect(status).toBe(200);
  expect(JSON.parse(body)).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
});

test.each([
  ['/healthz', { headers: { host: 'attacker.example' } }, 403],
  ['/healthz', { headers: { origin: 'https://attacker.example' } }, 403],
  ['/healthz', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }, 405],
  [
    '/healthz',
    {
      method: 'OPTIONS',
      headers: { origin: 'https://attacker.example', 'access-control-request-method': 'POST' },
    },
    403,
  ],
  ['/../../etc/passwd', {}, 404],
  ['/%2e%2e/%2e%2e/etc/passwd', {}, 404],
  ['/nowhere', {}, 404],
])('GET %s %j is answered %s', async (path, options, status) => {
  expect((await get(path, options)).status).toBe(status);
});

test('connections that say nothing, or half a request, harm nobody, however many they are', async () => {
  const early = await ahpClient(host);
  const idle = Array.from({ length: 700 }, () => connect(host.port, '127.0.0.1').on('error', () => {}));
  await Promise.allSettled(idle.map((socket) => once(socket, 'connect')));
  for (const socket of idle) socket.write('GET /healthz HT');
  const late = await ahpClient(host);
  for (const client of [early, late]) {
    expect(await client.request('ping', { channel: 'ahp-root://' })).toBeNull();
    await client.close();
  }
  for (const socket of idle) socket.destroy();
});

test.each([
  ['a frame beyond the limit', (socket: WebSocket) => socket.send('x'.repeat(64 * 1024 * 1024 + 1)), 1009],
  ['a binary frame', (socket: WebSocket) => socket.send(Buffer.from('{}')), 1003],
])('%s closes that connection alone', async (_, send, code) => {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/ahp?${token()}`);
  socket.on('error', () => {});
  await once(socket, 'open');
  send(socket);
  const [closed] = (await once(socket, 'close')) as [number];
  expect(closed).toBe(code);
  const client = await ahpClient(host);
  await client.close();
});

test('the token is in no log and no process list', () => {
  const own = String(home.env['PARLEY_HOME']);
  const files = readdirSync(own).filter((name) => name !== 'token' && statSync(join(own, name)).isFile());
  for (const name of files)
    expect([name, readFileSync(join(own, name)).includes(host.token)]).toEqual([name, false]);
  expect(readFileSync(`/proc/${host.pid}/cmdline`, 'utf8')).not.toContain(host.token);
});
