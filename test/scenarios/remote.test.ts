// Devices beyond this machine's own browser: real encrypted sockets on loopback addresses, one token and one
// role for each device, and what each may do at every door.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownCertificate } from '../../src/io/http/certificate.ts';
import { loadDatabase, query } from '../../src/io/store/sqlite/database.ts';
import { createWebSocketTransport } from '../../src/rpc/transports/websocket.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Served } from '../kit/parley.ts';
import { wire } from '../kit/wire.ts';
import type { Loose, Wire } from '../kit/wire.ts';

// Several programs are started one after the other, which takes its time where many others do the same.
let home: Home;
let host: Served;
let ca: string;

const address = '127.0.0.2';
const denied = { code: -32009 };
const open: Wire[] = [];

beforeEach(() => {
  home = newHome();
});

afterEach(async () => {
  for (const one of open.splice(0)) one.peer.close();
  await home.dispose();
});

async function serve(...flags: readonly string[]): Promise<void> {
  host = await home.serve('--host', address, '--tls', ...flags);
  ca = readFileSync(join(String(home.env['PARLEY_HOME']), 'tls.crt'), 'utf8');
}

interface Answered {
  readonly status: number;
  readonly headers: Loose;
  readonly body: string;
  readonly fingerprint: string;
}

function get(path: string, options: RequestOptions = {}, sent?: object): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: address, port: host.port, path, ca, agent: false, ...options },
      (response) => {
        const { fingerprint256 } = (response.socket as Loose).getPeerCertificate();
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body,
            fingerprint: fingerprint256,
          }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(sent && JSON.stringify(sent));
  });
}

/** Signs a device in by a link of its own; its secret is its token from then on. */
async function device(role: string): Promise<{ readonly token: string; readonly id: string }> {
  const { out } = await home.run('devices', 'add', '--role', role).done;
  const link = new URL(/https:\/\/\S+/.exec(out)?.[0] ?? '');
  const headers = { 'user-agent': `A phone that may ${role}`, 'content-type': 'application/json' };
  const answer = await get(
    link.pathname,
    { method: 'POST', headers },
    { code: link.searchParams.get('code') },
  );
  expect(answer.status).toBe(200);
  const { token } = JSON.parse(answer.body) as { token: string };
  const listed = JSON.parse((await home.run('devices', '--json').done).out) as readonly {
    id: string;
    name: string;
    role: string;
  }[];
  const found = listed.find(({ name }) => name === `A phone that may ${role}`);
  expect(found?.role).toBe(role);
  return { token, id: found?.id ?? '' };
}

async function dial(
  path: string,
  token: string,
  answers?: (method: string, params: Loose) => unknown,
): Promise<Wire> {
  const socket = new WebSocket(`wss://${address}:${host.port}${path}?tkn=${token}`, { ca });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const one = wire(createWebSocketTransport(socket), answers);
  open.push(one);
  return one;
}

let clients = 0;

async function ahp(token: string): Promise<Wire> {
  const one = await dial('/ahp', token);
  await one.request('initialize', { protocolVersions: ['1.0.0'], clientId: `remote-${(clients += 1)}` });
  return one;
}

/** A session whose agent asks whether it may write a file; returns its chat. */
async function asking(owner: Wire): Promise<{
  readonly session: string;
  readonly chat: string;
  readonly turn: string;
  readonly tool: string;
}> {
  const session = `ahp-session:/remote-${(clients += 1)}`;
  await owner.request('createSession', {
    channel: session,
    workingDirectories: [`file://${home.workspace}`],
  });
  const { snapshot } = await owner.request('subscribe', { channel: session });
  const chat = String(snapshot.state.defaultChat);
  await owner.request('subscribe', { channel: chat });
  owner.notify('dispatchAction', {
    channel: chat,
    clientSeq: (clients += 1),
    action: {
      type: 'chat/turnStarted',
      turnId: 'turn',
      startedAt: new Date(0).toISOString(),
      message: { text: 'create notes.txt with milk', origin: { kind: 'user' }, model: { id: 'demo/demo' } },
    },
  });
  const asked = await owner.wait(
    ({ method, params }) =>
      method === 'action' &&
      params.channel === chat &&
      params.action.type === 'chat/toolCallReady' &&
      params.action.confirmed === undefined,
  );
  return { session, chat, turn: asked.params.action.turnId, tool: asked.params.action.toolCallId };
}

/** A session in a folder that brings a program; returns the question about it. */
async function askingForTrust(owner: Wire): Promise<{ readonly chat: string; readonly question: string }> {
  const channel = `ahp-session:/remote-${(clients += 1)}`;
  await owner.request('createSession', { channel, workingDirectories: [`file://${home.workspace}`] });
  const { snapshot } = await owner.request('subscribe', { channel });
  const chat = String(snapshot.state.defaultChat);
  await owner.request('subscribe', { channel: chat });
  owner.notify('dispatchAction', {
    channel: chat,
    clientSeq: (clients += 1),
    action: {
      type: 'chat/turnStarted',
      turnId: 'turn',
      startedAt: new Date(0).toISOString(),
      message: { text: 'say Hello.', origin: { kind: 'user' } },
    },
  });
  const { params } = await owner.wait(
    ({ method, params: { channel: where, action } }) =>
      method === 'action' && where === chat && action.type === 'chat/inputRequested',
  );
  return { chat, question: params.action.request.id };
}

/** Of all sessions and of the host itself. */
async function entriesInLog(): Promise<number> {
  const database = (await loadDatabase())(join(String(home.env['PARLEY_HOME']), 'log.db'), {
    readOnly: true,
  });
  try {
    return Number(query(database, 'SELECT count(*) FROM entries')()[0]?.[0]);
  } finally {
    database.close();
  }
}

/** The answers that a client is offered to the last call of a chat. */
async function offeredIn(one: Wire, channel: string): Promise<readonly string[]> {
  const { snapshot } = await one.request('subscribe', { channel });
  const { toolCall } = (snapshot.state.activeTurn.responseParts as Loose[]).at(-1);
  return toolCall.options.map(({ id }: Loose) => String(id));
}

function dispatch(one: Wire, channel: string, action: object): Promise<Loose> {
  const clientSeq = (clients += 1);
  const from = one.said.length;
  one.notify('dispatchAction', { channel, clientSeq, action });
  return one
    .wait(({ method, params }) => method === 'action' && params.origin?.clientSeq === clientSeq, from)
    .then(({ params }) => params);
}

describe('encryption', () => {
  test('our own certificate is made, kept and named; nothing is said in the clear, to a foreign name or to a foreign page', async () => {
    await serve();
    const health = await get('/healthz');
    expect(health.headers['strict-transport-security']).toBe('max-age=31536000');
    expect((await get('/', { headers: { host: `localhost:${host.port}` } })).headers).not.toHaveProperty(
      'strict-transport-security',
    );
    expect((await get('/')).headers['content-security-policy']).toContain(
      `connect-src 'self' wss://${address}:${host.port};`,
    );
    expect([health.status, JSON.parse(health.body)]).toMatchObject([200, { status: 'ok' }]);
    const info = JSON.parse(readFileSync(join(String(home.env['PARLEY_HOME']), 'host.json'), 'utf8')) as {
      url: string;
      fingerprint: string;
    };
    expect(info).toMatchObject({ url: `https://${address}:${host.port}/`, fingerprint: health.fingerprint });
    expect((await home.run('--no-open').done).out).toContain(health.fingerprint);
    expect(
      (await get('/healthz', { headers: { host: 'attacker.example' }, servername: 'localhost' })).status,
    ).toBe(403);
    expect((await get('/healthz', { headers: { origin: `http://${address}:${host.port}` } })).status).toBe(
      403,
    );
    expect((await get('/healthz', { headers: { origin: `https://${address}:${host.port}` } })).status).toBe(
      200,
    );
    await expect(get('/healthz', { ca: undefined })).rejects.toThrow(/self-signed/);
    expect(await inTheClear()).not.toContain('200 OK');
    await host.kill('SIGTERM');
    await serve('--port', String(host.port));
    expect((await get('/healthz')).fingerprint).toBe(health.fingerprint);
  });

  test('a picture of the link for a phone is shown where a phone reaches the host, and only there', async () => {
    const picture = /█▄▄▄▄▄▄▄█/;
    const local = (await home.run('--no-open').done).out;
    expect(local).toMatch(/Reachable: +from this machine\./);
    expect(local).not.toMatch(picture);
    const added = (await home.run('devices', 'add').done).out;
    expect(added).toMatch(/^http:\/\/127[^]*Only browsers on this machine reach the host\./);
    expect(await home.run('stop').done).toMatchObject({ code: 0 });
    writeFileSync(
      join(String(home.env['PARLEY_HOME']), 'config.jsonc'),
      '{ "server": { "devices": { "enabled": true, "host": "127.0.0.1", "port": 0 } } }\n',
    );
    const whileOpen = (await home.run('--no-open').done).out;
    expect(whileOpen).toMatch(picture);
    expect(whileOpen).toMatch(
      /\nhttps:\/\/127\.0\.0\.1:\d+\/sign-in\?code=[^]*fingerprint:\n[^]*Reachable: +from other/,
    );
    expect((await home.run('devices', 'add').done).out).toMatch(picture);
  });

  test('a given certificate is shown instead, also on an IPv6 address', async () => {
    const files = { cert: join(home.dir, 'given.crt'), key: join(home.dir, 'given.key') };
    const { cert, fingerprint } = ownCertificate(files, ['studio.example', '::1']);
    host = await home.serve('--host', '::1', '--cert', files.cert, '--key', files.key);
    ca = cert;
    const answer = await get('/healthz', { host: '::1' });
    expect([answer.status, answer.fingerprint]).toEqual([200, fingerprint]);
    expect(
      (
        await get('/healthz', {
          host: '::1',
          headers: { host: `studio.example:${host.port}` },
          servername: 'studio.example',
        })
      ).status,
    ).toBe(200);
  });

  test('what does not fit together is refused before anything listens', async () => {
    writeFileSync(join(home.dir, 'no.pem'), 'no certificate');
    const no = join(home.dir, 'no.pem');
    for (const [flags, words] of [
      [['--cert', no], /must be used together/],
      [['--cert', no, '--key', no], /not a matching certificate and key/],
      [['--tls', '--insecure'], /either insecure or encrypted/],
    ] as const) {
      const ran = await home.run('serve', '--port', '0', ...flags).done;
      expect([ran.code, ran.out]).toEqual([2, '']);
      expect(ran.err).toMatch(words);
    }
  });
});

describe('roles', () => {
  test('who may look sees everything and changes nothing, at any door', async () => {
    await serve();
    const owner = await ahp(host.token);
    const { session, chat, turn, tool } = await asking(owner);
    const { token } = await device('observe');
    const before = await entriesInLog();
    const looking = await ahp(token);
    expect(await looking.request('x-parley/me')).toMatchObject({ role: 'observe' });
    expect((await looking.request('listSessions', {})).items).toHaveLength(1);
    expect((await looking.request('subscribe', { channel: chat })).snapshot.state.activeTurn.id).toBe(turn);
    expect(
      await looking.request('x-parley/sessions/search', { words: ['notes.txt'], limit: 5 }),
    ).toHaveLength(1);
    for (const [method, params] of [
      ['createSession', { channel: 'ahp-session:/mine' }],
      ['disposeSession', { channel: session }],
      ['resourceRead', { uri: `file://${home.workspace}/x` }],
      ['createTerminal', { channel: 'ahp-terminal:/t', claim: { kind: 'client', clientId: 'x' } }],
      ['authenticate', { resource: 'https://a.example', token: 'x' }],
      ['x-parley/devices/list', {}],
      ['x-parley/devices/link', { role: 'control' }],
      ['not-known-yet', {}],
    ] as const)
      await expect(looking.request(method, params), method).rejects.toMatchObject(denied);
    await expect(looking.request('x-parley/stop')).rejects.toMatchObject({ code: -32601 });
    for (const action of [
      {
        type: 'chat/toolCallConfirmed',
        turnId: turn,
        toolCallId: tool,
        approved: true,
        confirmed: 'user-action',
      },
      { type: 'chat/turnCancelled', turnId: turn },
      { type: 'chat/draftChanged', draft: { text: 'mine', origin: { kind: 'user' } } },
    ])
      expect((await dispatch(looking, chat, action)).rejectionReason).toContain('may view');
    const tools = {
      clientId: 'x',
      displayName: 'Me',
      tools: [{ name: 'evil', description: '', inputSchema: { type: 'object' } }],
    };
    expect(
      (await dispatch(looking, session, { type: 'session/activeClientSet', activeClient: tools }))
        .rejectionReason,
    ).toContain('may view');

    const asked: string[] = [];
    const acp = await dial('/acp', token, (method) => void asked.push(method));
    await acp.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const { sessions } = await acp.request('session/list', {});
    await acp.request('session/load', {
      sessionId: sessions[0].sessionId,
      cwd: home.workspace,
      mcpServers: [],
    });
    for (const [method, params] of [
      ['session/new', { cwd: home.workspace, mcpServers: [] }],
      ['session/prompt', { sessionId: sessions[0].sessionId, prompt: [{ type: 'text', text: 'go' }] }],
      ['session/delete', { sessionId: sessions[0].sessionId }],
    ] as const)
      await expect(acp.request(method, params), method).rejects.toThrow(/may view/);
    acp.notify('session/cancel', { sessionId: sessions[0].sessionId });
    expect((await acp.request('session/list', {})).sessions).toHaveLength(1);
    expect(asked).toEqual([]);
    expect((await looking.request('subscribe', { channel: chat })).snapshot.state.activeTurn.id).toBe(turn);
    // Not even that somebody was there.
    expect(await entriesInLog()).toBe(before);
  });

  test('whether to trust a folder is asked of nobody who may only approve, and not taken from them', async () => {
    await serve();
    mkdirSync(join(home.workspace, '.parley'));
    const hooks = { before: { on: 'preRequest', command: 'touch ran' } };
    writeFileSync(join(home.workspace, '.parley', 'config.jsonc'), JSON.stringify({ hooks }));
    const owner = await ahp(host.token);
    const { chat, question } = await askingForTrust(owner);
    const { token } = await device('approve');
    const asked: string[] = [];
    const acp = await dial('/acp', token, (method) => void asked.push(method));
    await acp.request('initialize', {
      protocolVersion: 1,
      clientCapabilities: { elicitation: { form: {} } },
    });
    const { sessions } = await acp.request('session/list', {});
    const { sessionId } = sessions[0];
    await acp.request('session/load', { sessionId, cwd: home.workspace, mcpServers: [] });
    const phone = await ahp(token);
    await phone.request('subscribe', { channel: chat });
    const trust = {
      type: 'chat/inputCompleted',
      requestId: question,
      response: 'accept',
      answers: { decision: { state: 'submitted', value: { kind: 'selected', value: 'trust' } } },
    };
    expect((await dispatch(phone, chat, trust)).rejectionReason).toContain('may view and approve');
    await acp.request('session/list', {});
    expect([asked, existsSync(join(home.workspace, 'ran'))]).toEqual([[], false]);
    expect((await dispatch(owner, chat, trust)).rejectionReason).toBeUndefined();
    await owner.wait(
      ({ method, params }) =>
        method === 'action' && params.channel === chat && params.action.type === 'chat/turnComplete',
    );
    expect(existsSync(join(home.workspace, 'ran'))).toBe(true);
  });

  test('who may approve answers what waits, and cannot decide what runs', async () => {
    await serve();
    const owner = await ahp(host.token);
    const { chat, turn, tool } = await asking(owner);
    const { token } = await device('approve');
    const phone = await ahp(token);
    expect([await offeredIn(owner, chat), await offeredIn(phone, chat)]).toEqual([
      ['allow', 'allow-session', 'allow-folder', 'allow-always', 'deny'],
      ['allow', 'allow-session', 'deny'],
    ]);
    const yes = {
      type: 'chat/toolCallConfirmed',
      turnId: turn,
      toolCallId: tool,
      approved: true,
      confirmed: 'user-action',
    };
    expect(
      (await dispatch(phone, chat, { ...yes, editedToolInput: '{"path":"notes.txt","content":"rm"}' }))
        .rejectionReason,
    ).toContain('may view and approve');
    expect(
      (await dispatch(phone, chat, { type: 'chat/turnCancelled', turnId: turn })).rejectionReason,
    ).toContain('may view and approve');
    // A lasting rule would decide about other sessions, at every door.
    expect(
      (await dispatch(phone, chat, { ...yes, selectedOptionId: 'allow-always' })).rejectionReason,
    ).toContain('no answers beyond this session');
    const offers: Loose[] = [];
    const acp = await dial('/acp', token, (method, params) => {
      if (method !== 'session/request_permission') return undefined;
      offers.push(params.options);
      // The first one is left to the phone.
      if (offers.length === 1) return new Promise(() => {});
      return { outcome: { outcome: 'selected', optionId: 'allow-always' } };
    });
    await acp.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const { sessions } = await acp.request('session/list', {});
    const { sessionId } = sessions[0];
    await acp.request('session/load', { sessionId, cwd: home.workspace, mcpServers: [] });
    await expect.poll(() => offers.length).toBe(1);
    expect(offers[0].map(({ optionId }: Loose) => optionId)).toEqual(['allow', 'allow-session', 'deny']);
    expect((await owner.request('subscribe', { channel: chat })).snapshot.state.activeTurn.id).toBe(turn);
    expect((await dispatch(phone, chat, yes)).rejectionReason).toBeUndefined();
    await owner.wait(
      ({ method, params }) =>
        method === 'action' && params.channel === chat && params.action.type === 'chat/turnComplete',
    );
    expect(readFileSync(join(home.workspace, 'notes.txt'), 'utf8').trim()).toBe('milk');
    // An option that was not offered allows nothing, neither this call nor a lasting rule.
    rmSync(join(home.workspace, 'notes.txt'));
    const again = await asking(owner);
    const later = await acp.request('session/list', {});
    const fresh = later.sessions.find((each: Loose) => each.sessionId !== sessionId);
    await acp.request('session/load', { sessionId: fresh.sessionId, cwd: home.workspace, mcpServers: [] });
    await owner.wait(
      ({ method, params }) =>
        method === 'action' && params.channel === again.chat && params.action.type === 'chat/turnComplete',
    );
    expect([offers.length, existsSync(join(home.workspace, 'notes.txt'))]).toEqual([2, false]);
  });

  test('a changed role and a revoked device end live connections at once', async () => {
    await serve();
    const { token, id } = await device('control');
    const first = await ahp(token);
    await first.request('createSession', {
      channel: 'ahp-session:/mine',
      workingDirectories: [`file://${home.workspace}`],
    });
    expect((await home.run('devices').done).out).toMatch(
      new RegExp(`^${id.slice(0, 8)}  control  connected`),
    );
    expect(await home.run('devices', 'role', id.slice(0, 8), 'observe').done).toMatchObject({
      code: 0,
      out: 'A phone that may control may now view.\n',
    });
    await first.peer.closed;
    const second = await ahp(token);
    await expect(second.request('createSession', { channel: 'ahp-session:/more' })).rejects.toMatchObject(
      denied,
    );
    expect(await home.run('devices', 'revoke', id).done).toMatchObject({ code: 0 });
    await second.peer.closed;
    await expect(dial('/ahp', token)).rejects.toThrow('401');
    expect((await home.run('devices').done).out).toContain('No devices are signed in');
  });
});

test('the token is printed and replaced, and the old one ends at once with its connections', async () => {
  await serve();
  const { token } = await device('control');
  const phone = await ahp(token);
  const owner = await ahp(host.token);
  expect(await home.run('token').done).toMatchObject({ code: 0, out: `${host.token}\n` });
  const { code, out } = await home.run('token', 'rotate').done;
  expect([code, out]).toEqual([0, expect.stringMatching(/^[\w-]{43}\n$/)]);
  await owner.peer.closed;
  await expect(dial('/ahp', host.token)).rejects.toThrow('401');
  expect(await (await ahp(out.trim())).request('x-parley/me')).toMatchObject({ role: 'control' });
  expect(await phone.request('x-parley/me')).toMatchObject({ role: 'control' });
  await expect(phone.request('x-parley/token/rotate')).rejects.toMatchObject({ code: -32601 });
  expect((await home.run('token').done).out).toBe(out);
  expect(await home.run('token', 'dance').done).toMatchObject({ code: 2, out: '' });
});

/** What the port says to somebody who does not encrypt. */
function inTheClear(): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = connect(host.port, address, () =>
      socket.write(`GET /healthz HTTP/1.1\r\nHost: ${address}:${host.port}\r\n\r\n`),
    );
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')));
    socket.on('close', () => resolve(heard));
    socket.on('error', () => socket.destroy());
  });
}
