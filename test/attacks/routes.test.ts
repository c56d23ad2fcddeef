// Every route of the real host under the requests that a foreign page can make: rebound names, foreign
// origins, cross-site posts and preflights, under every name of this machine.
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ahpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Served } from '../kit/parley.ts';

const home = newHome();
let host: Served;
let routes: readonly string[];
beforeAll(async () => {
  host = await home.serve();
  const page = (await ask('/')).body;
  const assets = [...page.matchAll(/(?:src|href)="([^"#:]+)"/g)].map(([, path = '']) =>
    path.replace(/^\.?\/?/, '/'),
  );
  routes = ['/', '/healthz', '/sign-in?code=x', '/ahp', '/acp', '/nowhere', ...assets];
});
afterAll(() => home.dispose());

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function ask(path: string, options: RequestOptions & { body?: string } = {}): Promise<Answer> {
  const token = path.includes('?') ? '' : `?tkn=${host.token}`;
  const sent = request({ host: '127.0.0.1', port: host.port, path: `${path}${token}`, ...options });
  sent.end(options.body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let body = '';
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}

/** What an answer gives away; nothing if it is a plain refusal. */
function leaks({ status, headers, body }: Answer, path: string, statuses = [403]): readonly string[] {
  return [
    ...(statuses.includes(status) ? [] : [`${path}: status ${status}`]),
    ...Object.keys(headers).filter((name) => /^access-control|^set-cookie/.test(name)),
    ...(body.includes('<') ? [`${path}: ${body}`] : []),
  ];
}

describe('every route refuses', () => {
  test('and the page has assets among them', () => expect(routes.length).toBeGreaterThan(7));

  test.each<[string, (port: number) => Record<string, string>]>([
    ['a rebound name', (port) => ({ host: `attacker.example:${port}` })],
    ['a name that ends like ours', (port) => ({ host: `127.0.0.1.attacker.example:${port}` })],
    ['a name that begins with a user', (port) => ({ host: `127.0.0.1@attacker.example:${port}` })],
    ['an address of another machine', (port) => ({ host: `192.0.2.7:${port}` })],
    ['another site', () => ({ origin: 'https://attacker.example' })],
    ['another port of this machine', () => ({ origin: 'http://127.0.0.1:1' })],
    ['an opaque page', () => ({ origin: 'null' })],
    ['our address without encryption as a secure page', (port) => ({ origin: `https://127.0.0.1:${port}` })],
  ])('%s', async (_, headers) => {
    for (const path of routes)
      expect(leaks(await ask(path, { headers: headers(host.port) }), path)).toEqual([]);
  });

  test('a preflight of another site', async () => {
    const headers = {
      origin: 'https://attacker.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    for (const path of routes)
      expect(leaks(await ask(path, { method: 'OPTIONS', headers }), path)).toEqual([]);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'a cross-site post of %s, and no session is made',
    async (type) => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"createSession","params":{"channel":"ahp-session:/x"}}';
      for (const origin of [{}, { origin: 'https://attacker.example' }])
        for (const method of ['POST', 'PUT']) {
          const headers = { 'content-type': type, ...origin };
          for (const path of routes)
            expect(leaks(await ask(path, { method, headers, body }), path, [403, 405, 415])).toEqual([]);
        }
      const ahp = await ahpClient(host);
      expect((await ahp.request('listSessions', {})).items).toEqual([]);
      await ahp.close();
    },
  );
});

test.each([
  ['localhost', 200],
  ['LOCALHOST', 200],
  ['127.0.0.1', 200],
  ['[::1]', 200],
  ['2130706433', 200],
  ['0x7f.1', 200],
  ['localhost.', 403],
  ['0.0.0.0', 403],
  ['127.0.0.2', 403],
  ['[::ffff:127.0.0.1]', 403],
  ['[::]', 403],
])('the name %s is answered %i, and without a token lets nobody in', async (name, status) => {
  const headers = { host: `${name}:${host.port}` };
  expect((await ask('/healthz', { headers })).status).toBe(status);
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
  const key = { 'sec-websocket-key': Buffer.alloc(16).toString('base64') };
  const answer = await ask('/ahp?tkn=wrong', { headers: { ...headers, ...upgrade, ...key } });
  expect(answer.status).toBe(status === 200 ? 401 : 403);
});

test('compression is not offered', async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/ahp?tkn=${host.token}`);
  await once(socket, 'open');
  expect(socket.extensions).toBe('');
  socket.terminate();
});
