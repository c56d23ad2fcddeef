// The remote API for eca-web over real HTTP: off by default, behind its password and our edge, and the same
// chats as in the editor.
import { request } from 'node:http';
import { createServer as serveSecure, request as secureRequest } from 'node:https';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ecaClient } from '../kit/clients.ts';
import { ownCertificate } from '../../src/io/http/certificate.ts';
import { newHome } from '../kit/parley.ts';
import { mcpSample } from '../requirements/eca/mcpSample.ts';
import type { Home } from '../kit/parley.ts';
import { inTime } from '../kit/patience.ts';
import type { Loose, ReceivedNotification, Wire } from '../kit/wire.ts';

const page = 'https://web.example';
const password = 'open sesame';

let home: Home;
let eca: Wire;
let url: string;
let events: Events;

beforeAll(async () => {
  home = newHome();
  const config = join(home.dir, 'config', 'eca');
  mkdirSync(config, { recursive: true });
  home.env['XDG_CONFIG_HOME'] = join(home.dir, 'config');
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({ remote: { enabled: true, password, origins: [page] } }),
  );
  await home.serve();
  eca = await ecaClient(home, { capabilities: { askQuestion: true } });
  await eca.wait(
    ({ method, params }) =>
      method === '$/progress' && params.taskId === 'remote-server' && params.type === 'finish',
  );
  url = /eca-web is at (\S+)/.exec(await told('/remote'))?.[1] ?? '';
  events = await listen();
});

afterAll(async () => {
  events.close();
  await eca.close();
  await home.dispose();
});

/** What a command answers. */
async function told(command: string): Promise<string> {
  const from = eca.said.length;
  await eca.request('chat/prompt', { chatId: 'commands', message: command });
  const texts = eca.said
    .slice(from)
    .filter(({ params }) => params?.role === 'system' && params.content.type === 'text');
  return texts.map(({ params }) => String(params.content.text)).join('');
}

interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly body: Loose;
}

function ask(
  method: string,
  path: string,
  {
    body,
    headers = { authorization: `Bearer ${password}` },
  }: { body?: unknown; headers?: { [name: string]: string } } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const sent = request(
      `${url}${path}`,
      {
        method,
        headers: { ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      },
      (response) => {
        let heard = '';
        response.on('data', (chunk: Buffer) => (heard += chunk.toString()));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: heard === '' ? undefined : JSON.parse(heard),
          }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

const api = (method: string, path: string, body?: unknown) => ask(method, `/api/v1/${path}`, { body });

interface Events {
  readonly heard: { readonly event: string; readonly data: Loose }[];
  until(
    fits: (event: { readonly event: string; readonly data: Loose }) => boolean,
    from?: number,
  ): Promise<Loose>;
  close(): void;
}

function listen(): Promise<Events> {
  const heard: { event: string; data: Loose }[] = [];
  const looks = new Set<() => void>();
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/api/v1/events`,
      { headers: { authorization: `Bearer ${password}` } },
      (response) => {
        let rest = '';
        response.on('error', () => {});
        response.on('data', (chunk: Buffer) => {
          const blocks = (rest + chunk.toString()).split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) {
            const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
            if (event !== '') heard.push({ event, data: JSON.parse(data) });
          }
          for (const look of [...looks]) look();
        });
        resolve({
          heard,
          until: (fits, from = 0) => {
            const happened = new Promise<Loose>((found) => {
              const look = () => {
                const event = heard.slice(from).find(fits);
                if (!event) return;
                looks.delete(look);
                found(event.data);
              };
              looks.add(look);
              look();
            });
            return inTime(happened, () => `${fits.toString()}; heard ${JSON.stringify(heard.slice(-5))}`);
          },
          close: () => sent.destroy(),
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

const content =
  (chatId: string, type: string) =>
  ({ event, data }: { event: string; data: Loose }) =>
    event === 'chat:content-received' && data.chatId === chatId && data.content.type === type;
const isFinished = (chatId: string) => (said: ReceivedNotification) =>
  said.params?.chatId === chatId && said.params.content?.state === 'finished';

describe('the edge', () => {
  test('health is open and says nothing but the version; the root leads to the page without the password', async () => {
    expect(await ask('GET', '/api/v1/health', { headers: {} })).toMatchObject({
      status: 200,
      body: { status: 'ok', version: expect.any(String) as string },
    });
    const root = await ask('GET', '/', { headers: {} });
    expect(root.status).toBe(302);
    expect(String(root.headers['location'])).not.toContain('sesame');
  });

  test.each([
    '',
    'Bearer',
    'Bearer wrong',
    `Basic ${password}`,
    `Bearer ${password} `,
    `Bearer ${password}x`,
  ])('the password is asked for: %j', async (authorization) => {
    const { status, body } = await ask('GET', '/api/v1/session', {
      headers: authorization === '' ? {} : { authorization },
    });
    // Blanks around a header are nobody's, so this one is right.
    expect([status, body.error?.code]).toEqual(
      authorization.endsWith(' ') ? [200, undefined] : [401, 'unauthorized'],
    );
  });

  test('who guesses waits, and keeps nobody out', async () => {
    const guesses = Array.from({ length: 12 }, (_, at) =>
      ask('GET', '/api/v1/session', { headers: { authorization: `Bearer guess ${at}` } }),
    );
    expect((await api('GET', 'session')).status).toBe(200);
    expect((await Promise.all(guesses)).every(({ status }) => status === 401)).toBe(true);
  });

  test.each([
    ['https://evil.example', 403],
    ['null', 403],
    [page, 200],
  ])('a page of %s gets %i', async (origin, expected) => {
    const { status, headers } = await ask('GET', '/api/v1/session', {
      headers: { authorization: `Bearer ${password}`, origin },
    });
    expect(status).toBe(expected);
    expect(headers['access-control-allow-origin']).toBe(expected === 200 ? origin : undefined);
    expect((await ask('OPTIONS', '/api/v1/session', { headers: { origin } })).status).toBe(
      expected === 200 ? 204 : 403,
    );
  });

  test.each(['evil.example', 'evil.example:80', '10.0.0.1'])(
    'a foreign name is a rebinding attempt: %j',
    async (host) => {
      expect((await ask('GET', '/api/v1/health', { headers: { host } })).status).toBeGreaterThanOrEqual(400);
    },
  );

  test('bad input changes nothing and is answered', async () => {
    const bearer = { authorization: `Bearer ${password}` };
    expect((await ask('POST', '/api/v1/chats/x/prompt', { body: '{', headers: bearer })).status).toBe(400);
    expect(
      (
        await ask('POST', '/api/v1/chats/x/prompt', {
          body: '{"message":"hi"}',
          headers: { ...bearer, 'content-type': 'text/plain' },
        })
      ).status,
    ).toBe(415);
    expect((await api('POST', 'chats/x/prompt', { message: 3 })).body.error.code).toBe('invalid_request');
    expect((await ask('GET', '/api/v1/chats/%E0%A4%A', { headers: bearer })).status).toBe(400);
    expect((await api('GET', 'nothing/here')).body.error.code).toBe('not_found');
    expect((await api('GET', 'chats/x')).body.error.code).toBe('chat_not_found');
    expect((await api('GET', 'chats')).body.map(({ id }: Loose) => id)).not.toContain('x');
  });
});

describe('the session', () => {
  test('says what there is to choose from', async () => {
    const { body } = await api('GET', 'session');
    expect(body).toMatchObject({
      protocolVersion: '1.0',
      workspaceFolders: [home.workspace],
      models: expect.arrayContaining([
        { id: 'scripted/scripted', name: expect.any(String) as string, provider: 'scripted' },
      ]) as Loose[],
      agents: expect.any(Array) as Loose[],
      mcpServers: [],
      chats: expect.any(Array) as Loose[],
      selectModel: 'scripted/scripted',
      trust: false,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    });
    expect(await events.until(({ event }) => event === 'session:connected')).toMatchObject({
      protocolVersion: '1.0',
    });
  });

  test('a prompt from the browser is seen in the editor and the other way round', async () => {
    const from = eca.said.length;
    expect((await api('POST', 'chats/from-web/prompt', { message: 'say Hello' })).body).toEqual({
      chatId: 'from-web',
      model: 'scripted/scripted',
      status: 'prompting',
    });
    await events.until(
      ({ event, data }) =>
        event === 'chat:status-changed' && data.chatId === 'from-web' && data.status === 'idle',
    );
    expect(
      events.heard.filter(content('from-web', 'text')).map(({ data }) => [data.role, data.content.text]),
    ).toEqual([
      ['user', 'say Hello\n'],
      ['assistant', 'Hello\n'],
    ]);
    await eca.request('chat/open', { chatId: 'from-web' });
    expect(
      eca.said
        .slice(from)
        .some(({ params }) => params?.chatId === 'from-web' && params.content?.text === '\nsay Hello'),
    ).toBe(true);
    await eca.request('chat/prompt', { chatId: 'from-editor', message: 'say Bye' });
    await events.until(
      ({ event, data }) =>
        event === 'chat:status-changed' && data.chatId === 'from-editor' && data.status === 'idle',
    );
    expect((await api('GET', 'chats')).body).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 'from-editor', status: 'idle', pendingApprovalCount: 0 }),
      ]),
    );
    const chat = (await api('GET', 'chats/from-editor')).body;
    expect(chat).toMatchObject({
      id: 'from-editor',
      status: 'idle',
      model: 'scripted/scripted',
      task: null,
      pendingToolCalls: [],
      messagesMeta: { total: 2, returned: 2 },
    });
    expect(chat.messages).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'say Bye' }], contentId: expect.any(String) as string },
      { role: 'assistant', content: [{ type: 'text', text: 'Bye\n' }] },
    ]);
    expect((await api('GET', 'chats/from-editor?limit=1')).body.messagesMeta).toMatchObject({
      total: 2,
      returned: 1,
      beforeCursor: expect.any(String) as string,
    });
    expect((await api('GET', 'chats/from-editor?before=bogus')).body.error.code).toBe('cursor_expired');
  });

  test.each([
    ['approve', 'toolCalled'],
    ['reject', 'toolCallRejected'],
  ])('a call of the editor is decided in the browser: %s', async (decision, kind) => {
    const chat = `decide-${decision}`;
    const from = eca.said.length;
    await eca.request('chat/prompt', {
      chatId: chat,
      message: `tool shell_command ${JSON.stringify({ command: `echo ${decision}` })}`,
    });
    const { content: call } = await events.until(content(chat, 'toolCallRun'));
    expect(call.manualApproval).toBe(true);
    expect((await api('GET', `chats/${chat}`)).body.pendingToolCalls).toMatchObject([
      { id: call.id, name: 'shell_command', manualApproval: true, details: { type: 'shellCommand' } },
    ]);
    expect((await api('POST', `chats/${chat}/${decision}/nope`)).body.error.code).toBe('tool_call_not_found');
    expect((await api('POST', `chats/${chat}/${decision}/${call.id}`)).status).toBe(204);
    await eca.wait((said) => said.params?.chatId === chat && said.params.content?.type === kind, from);
    await eca.wait(isFinished(chat), from);
    expect(await api('POST', `chats/${chat}/${decision}/${call.id}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'chat_wrong_status' } },
    });
    expect((await api('GET', `chats/${chat}`)).body.messages.map(({ role }: Loose) => role)).toEqual(
      expect.arrayContaining(['user', 'tool_call', 'tool_call_output']),
    );
  });

  test('stop, steer, rename, choose, roll back, clear, trust and delete', async () => {
    await api('POST', 'chats/managed/prompt', { message: 'say Working.\nhang' });
    // The request is under way: what comes before it would be part of it.
    await events.until(
      ({ data }) =>
        data.chatId === 'managed' &&
        data.role === 'assistant' &&
        String(data.content?.text).includes('Working.'),
    );
    expect((await api('POST', 'chats/managed/steer', { message: 'this way' })).status).toBe(204);
    expect((await api('POST', 'chats/managed/stop')).status).toBe(204);
    // What was to steer the turn that was stopped is the next turn.
    await events.until(
      ({ event, data }) =>
        event === 'chat:status-changed' && data.chatId === 'managed' && data.status === 'idle',
    );
    expect((await api('POST', 'chats/managed/stop')).body.error.code).toBe('chat_wrong_status');
    await eca.request('chat/open', { chatId: 'managed' });
    expect((await api('POST', 'chats/managed/update', { title: 'By the browser' })).status).toBe(204);
    expect((await api('POST', 'chats/managed/model', { model: 'demo/demo' })).status).toBe(204);
    expect((await api('POST', 'chats/managed/variant', { variant: null })).status).toBe(204);
    expect((await api('POST', 'chats/managed/agent', { agent: 'plan' })).status).toBe(204);
    expect((await api('GET', 'chats/managed')).body).toMatchObject({
      title: 'By the browser',
      model: 'demo/demo',
    });
    expect(await api('POST', 'trust', { trust: true })).toMatchObject({ status: 200, body: { trust: true } });
    expect(await events.until(({ event }) => event === 'trust:updated')).toEqual({ trust: true });
    expect((await api('POST', 'trust', { trust: false })).body).toEqual({ trust: false });
    expect(await api('POST', 'trust', { trust: 'yes' })).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request' } },
    });
    const [first] = (await api('GET', 'chats/managed')).body.messages;
    expect((await api('POST', 'chats/managed/rollback', { contentId: first.contentId })).status).toBe(204);
    expect((await api('POST', 'chats/managed/clear')).status).toBe(204);
    expect((await api('GET', 'chats/managed')).body.messages).toEqual([]);
    expect((await api('DELETE', 'chats/managed')).status).toBe(204);
    await eca.wait(({ method, params }) => method === 'chat/deleted' && params.chatId === 'managed');
    expect((await api('DELETE', 'chats/managed')).status).toBe(404);
    expect((await api('POST', 'answer', { requestId: 'nobody', answer: 'x' })).body.error.code).toBe(
      'question_not_found',
    );
    expect((await api('POST', 'mcp/nothing/start')).status).toBe(204);
  });
});

test('a question goes to the editor and to browsers, and who answers first wins', async () => {
  const from = eca.said.length;
  await eca.request('chat/prompt', {
    chatId: 'asked',
    message: 'tool ask_user {"question":"Which colour?","options":["red","blue"]}',
  });
  const asked = await events.until(
    ({ event, data }) => event === 'chat:ask-question' && data.chatId === 'asked',
  );
  expect(asked).toMatchObject({ question: 'Which colour?', requestId: expect.any(String) as string });
  await eca.wait(({ method, params }) => method === 'chat/askQuestion' && params.chatId === 'asked', from);
  expect((await api('GET', 'chats/asked')).body.pendingToolCalls).toMatchObject([
    { name: 'ask_user', requestId: asked.requestId },
  ]);
  expect((await api('POST', 'answer', { requestId: asked.requestId, answer: 'blue' })).status).toBe(204);
  await eca.wait(isFinished('asked'), from);
  expect(JSON.stringify((await events.until(content('asked', 'toolCalled'))).content.outputs)).toContain(
    'User answered: blue',
  );
  expect((await api('POST', 'answer', { requestId: asked.requestId, cancelled: true })).status).toBe(404);
});

test('browsers hear of everything that the editor hears of', async () => {
  const seen = events.heard.length;
  const heard = (name: string, fits: (data: Loose) => boolean = () => true) =>
    events.until(({ event, data }) => event === name && fits(data), seen);
  expect((await api('GET', 'session')).body.agents).toMatchObject([
    { id: 'code', description: expect.stringMatching(/\w/) as string },
    { id: 'plan', description: expect.stringMatching(/\w/) as string },
  ]);
  const configure = (text: string) => writeFileSync(join(home.dir, 'config', 'eca', 'config.json'), text);
  const whole = { remote: { enabled: true, password, origins: [page] }, welcomeMessage: 'Good morning' };
  configure(JSON.stringify(whole));
  expect(await heard('config:updated', ({ chat }) => chat.welcomeMessage !== undefined)).toEqual({
    chat: expect.objectContaining({ welcomeMessage: 'Good morning' }) as object,
  });
  expect((await api('GET', 'session')).body.welcomeMessage).toBe('Good morning');
  configure('{ "remote": ');
  expect(await heard('session:message')).toMatchObject({
    type: 'warning',
    message: expect.stringContaining('config.json') as string,
  });
  configure(JSON.stringify(whole));
  await eca.request('providers/login', { provider: 'mistral' });
  await eca.request('providers/loginInput', { provider: 'mistral', data: { 'api-key': 'k' } });
  expect(await heard('providers:updated')).toMatchObject({ id: 'mistral' });
  await api('POST', 'chats/seen/prompt', { message: 'say Seen' });
  expect(await heard('chat:opened')).toMatchObject({ chatId: 'seen' });
  await heard('chat:status-changed', ({ chatId, status }) => chatId === 'seen' && status === 'idle');
  expect(await api('POST', 'chats/seen/clear')).toMatchObject({ status: 204, body: undefined });
  expect(await heard('chat:cleared')).toEqual({ chatId: 'seen', messages: true });
  await eca.request('chat/delete', { chatId: 'seen' });
  expect(await heard('chat:deleted')).toEqual({ chatId: 'seen' });
});

test('servers of tools and jobs are managed and told', async () => {
  const seen = events.heard.length;
  const status = (wanted: string) =>
    events.until(
      ({ event, data }) => event === 'tool:server-updated' && data.name === 'm' && data.status === wanted,
      seen,
    );
  const script = join(home.dir, 'mcp.cjs');
  writeFileSync(script, mcpSample);
  expect(
    (await api('POST', 'mcp', { name: 'm', command: process.execPath, args: [script] })).body.server,
  ).toMatchObject({ name: 'm', status: 'starting' });
  await status('running');
  expect((await api('GET', 'session')).body.mcpServers).toMatchObject([{ name: 'm', status: 'running' }]);
  expect((await api('POST', 'mcp', { name: 'm', command: 'x' })).body.error.code).toBe('invalid_request');
  for (const [action, wanted] of [
    ['stop', 'stopped'],
    ['start', 'running'],
    ['disable', 'disabled'],
    ['enable', 'starting'],
  ] as const) {
    expect((await api('POST', `mcp/m/${action}`)).status).toBe(204);
    await status(wanted);
  }
  for (const action of ['connect', 'logout']) expect((await api('POST', `mcp/m/${action}`)).status).toBe(204);
  expect(await events.until(({ event }) => event === 'session:message', seen)).toMatchObject({
    type: 'warning',
  });
  expect((await api('DELETE', 'mcp/m')).status).toBe(204);
  await events.until(({ event, data }) => event === 'tool:server-removed' && data.name === 'm', seen);
  expect((await api('DELETE', 'mcp/m')).status).toBe(400);
  await api('POST', 'chats/jobs/prompt', {
    message: 'tool shell_command {"command":"sleep 60","background":"nap"}',
    trust: true,
  });
  const { jobs } = await events.until(({ event }) => event === 'jobs:updated', seen);
  expect(jobs).toMatchObject([{ summary: 'nap', chatId: 'jobs' }]);
  await eca.request('jobs/kill', { jobId: jobs[0].id });
  expect((await api('POST', 'chats/nope/prompt', { message: 'x', model: 5 })).status).toBe(400);
  for (const path of [
    'stop',
    'steer',
    'clear',
    'update',
    'model',
    'agent',
    'variant',
    'approve/t',
    'reject/t',
    'rollback',
  ]) {
    expect(
      (
        await api('POST', `chats/nope/${path}`, {
          message: 'x',
          model: 'demo/demo',
          agent: 'code',
          contentId: 'c',
        })
      ).body.error.code,
    ).toBe('chat_not_found');
  }
  expect((await api('PUT', 'chats')).status).toBe(404);
});

test('with a certificate it speaks TLS and nothing else; beyond this machine only so', async () => {
  const other = newHome();
  other.env['XDG_CONFIG_HOME'] = join(other.dir, 'config');
  mkdirSync(join(other.dir, 'config', 'eca'), { recursive: true });
  const paths = { cert: join(other.dir, 'cert.pem'), key: join(other.dir, 'key.pem') };
  const { cert } = ownCertificate(paths, ['localhost']);
  const configure = (remote: object, more: object = {}) =>
    writeFileSync(
      join(other.dir, 'config', 'eca', 'config.json'),
      JSON.stringify({ remote: { enabled: true, password, ...remote }, ...more }),
    );
  configure({ bindHost: '0.0.0.0' });
  await other.serve();
  const client = await ecaClient(other);
  const { params } = await client.wait(({ method }) => method === '$/showMessage');
  expect(params).toEqual({
    type: 'warning',
    message: expect.stringContaining('needs a certificate') as string,
  });
  const finished = (after: number) =>
    client.wait(
      ({ method, params: task }) =>
        method === '$/progress' && task.taskId === 'remote-server' && task.type === 'finish',
      after,
    );
  // The refused start ends its task after the warning; the next one must not be taken for it.
  await finished(0);
  const from = client.said.length;
  configure({ host: 'localhost', tls: { certFile: paths.cert, keyFile: paths.key } });
  await finished(from);
  await client.request('chat/prompt', { chatId: 'c', message: '/remote' });
  const words = client.said.findLast(
    ({ params: given }) => given?.role === 'system' && given.content.type === 'text',
  )?.params.content.text as string;
  const address =
    /eca-web is at (https:\/\/localhost:\d+) with the password open sesame/.exec(words)?.[1] ?? '';
  const health = (base: string, options: object) =>
    new Promise<string>((resolve) => {
      const sent = (base.startsWith('https') ? secureRequest : request)(
        `${base}/api/v1/session`,
        { headers: { authorization: `Bearer ${password}` }, ...options },
        (response) => {
          response.resume();
          resolve(String(response.statusCode));
        },
      );
      sent.on('error', () => resolve('refused'));
      sent.end();
    });
  expect(await health(address, { ca: cert })).toBe('200');
  expect(await health(address, {})).toBe('refused');
  expect(await health(address.replace('https', 'http'), {})).not.toBe('200');
  // The same pair from a server, which is believed because its certificate is named.
  const pair: { readonly [path: string]: string } = { '/cert': paths.cert, '/key': paths.key };
  const store = serveSecure(
    { cert, key: readFileSync(paths.key) },
    (asked, answer) => void answer.end(readFileSync(pair[asked.url ?? ''] ?? paths.cert)),
  );
  await new Promise<void>((resolve) => void store.listen(0, '127.0.0.1', () => resolve()));
  const kept = `https://localhost:${(store.address() as AddressInfo).port}`;
  const again = client.said.length;
  configure(
    { host: 'localhost', tls: { certUrl: `${kept}/cert`, keyUrl: `${kept}/key` } },
    { network: { caCertFile: paths.cert } },
  );
  await finished(again);
  await client.request('chat/prompt', { chatId: 'c', message: '/remote' });
  const now =
    /eca-web is at (https:\/\/localhost:\d+) /.exec(
      client.said.findLast(({ params: given }) => given?.role === 'system' && given.content.type === 'text')
        ?.params.content.text as string,
    )?.[1] ?? '';
  expect(await health(now, { ca: cert })).toBe('200');
  store.closeAllConnections();
  await new Promise((resolve) => void store.close(resolve));
  await client.close();
  await other.dispose();
});

test('a folder cannot let browsers in, and without a wish nothing listens', async () => {
  const other = newHome();
  mkdirSync(join(other.workspace, '.eca'), { recursive: true });
  writeFileSync(
    join(other.workspace, '.eca', 'config.json'),
    JSON.stringify({ remote: { enabled: true, password: 'x' } }),
  );
  other.env['XDG_CONFIG_HOME'] = join(other.dir, 'config');
  await other.serve();
  const client = await ecaClient(other);
  const answer = await client.request('chat/prompt', { chatId: 'c', message: '/remote' });
  expect(answer.status).toBe('prompting');
  expect(
    client.said.find(({ params }) => params?.role === 'system' && params.content.type === 'text')?.params
      .content.text,
  ).toContain('The remote API for eca-web is disabled');
  expect(client.said.some(({ params }) => params?.taskId === 'remote-server')).toBe(false);
  await client.close();
  await other.dispose();
});
