// The program as its users start it: one host per data directory, pipes that find or start it, and endings
// that say what happened.
import { connect } from 'node:net';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { acpEditor, ahpClient, ecaClient, spawned } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { ndjson } from '../../src/rpc/framing/ndjson.ts';
import { wire } from '../kit/wire.ts';
import { expectWithin } from '../kit/timeLimit.ts';

let home: Home;
beforeEach(() => {
  home = newHome();
});
afterEach(() => home.dispose());

const initialize = { protocolVersion: 1, clientCapabilities: {} };
const infoOf = () =>
  JSON.parse(readFileSync(join(String(home.env['PARLEY_HOME']), 'host.json'), 'utf8')) as { pid: number };

test('a second host on the same data directory refuses and says why; the first goes on', async () => {
  const first = await home.serve();
  const second = await home.run('serve', '--port', '0').done;
  expect(second).toMatchObject({ code: 3, out: '' });
  expect(second.err).toContain(`pid ${first.pid}`);
  const alone = await home.run('acp', '--standalone').done;
  expect(alone).toMatchObject({ code: 3, out: '' });
  expect(alone.err).toContain(`pid ${first.pid}`);
  const editor = await acpEditor(home);
  expect((await editor.agent.request(methods.agent.session.list, {})).sessions).toEqual([]);
  await editor.close();
});

test('a standalone process in the way is named at once', async () => {
  const alone = wire(spawned(home, ['acp', '--standalone'], ndjson));
  await alone.request('initialize', initialize);
  await alone.request('session/list', {});
  const { pid } = JSON.parse(readFileSync(join(String(home.env['PARLEY_HOME']), 'lock.json'), 'utf8')) as {
    pid: number;
  };
  const began = performance.now();
  const other = await home.run('sessions').done;
  expect(other.code).not.toBe(0);
  expect(other.err).toContain(`Process ${pid} runs with --standalone and holds the data directory`);
  // The host gives up after 20 seconds otherwise.
  await expectWithin(19_000, began);
  await alone.close();
});

test('after kill -9 the data directory is free at once', async () => {
  for (let round = 0; round < 3; round += 1) await (await home.serve()).kill('SIGKILL');
  const last = await home.serve();
  await last.kill('SIGTERM');
  expect(await last.exited).toBe(0);
});

test('five editors that start at once end up on one background host, which outlives them', async () => {
  const editors = await Promise.all(Array.from({ length: 5 }, () => acpEditor(home)));
  const made = await Promise.all(
    editors.map(({ agent }) =>
      agent.request(methods.agent.session.new, { cwd: home.workspace, mcpServers: [] }),
    ),
  );
  // The greeting is answered before the host runs; a session needs it.
  const { pid } = infoOf();
  expect(new Set(made.map(({ sessionId }) => sessionId)).size).toBe(5);
  await editors[0]?.agent.request(methods.agent.session.prompt, {
    sessionId: made[0]?.sessionId ?? '',
    prompt: [{ type: 'text', text: 'say Kept.' }],
  });
  await Promise.all(editors.map((editor) => editor.close()));
  const later = await acpEditor(home);
  expect(infoOf().pid).toBe(pid);
  expect(
    (await later.agent.request(methods.agent.session.list, {})).sessions.map(({ sessionId }) => sessionId),
  ).toEqual([made[0]?.sessionId]);
  await later.close();
  expect(await home.run('stop').done).toMatchObject({ code: 0, out: 'The host has stopped.\n' });
  expect(await home.run('stop').done).toMatchObject({ code: 0, out: 'No host is running.\n' });
});

test('a pipe whose host is killed starts it again and answers the next request', async () => {
  const host = await home.serve();
  const editor = await acpEditor(home);
  await host.killAlone();
  expect(await editor.agent.request(methods.agent.session.list, {})).toHaveProperty('sessions');
  expect(infoOf().pid).not.toBe(host.pid);
  await editor.close();
  expect(await home.run('stop').done).toMatchObject({ code: 0, out: 'The host has stopped.\n' });
});

test('a host that is stopped stays away until its client needs it', async () => {
  await home.serve();
  const pipe = home.run('acp');
  const send = (id: number, method: string, params: object) =>
    pipe.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  send(1, 'initialize', initialize);
  await once(pipe.child.stdout ?? pipe.child, 'data');
  await home.run('stop').done;
  expect(await home.run('stop').done).toMatchObject({ out: 'No host is running.\n' });
  send(2, 'session/list', {});
  const [answer] = (await once(pipe.child.stdout ?? pipe.child, 'data')) as [Buffer];
  expect(JSON.parse(answer.toString())).toMatchObject({
    id: 2,
    result: { sessions: expect.any(Array) as [] },
  });
  await home.run('stop').done;
  pipe.child.stdin?.end();
  expect(await pipe.done).toMatchObject({
    code: 0,
    err: 'parley: The host was stopped. It is started again when it is needed.\n'.repeat(2),
  });
});

test.each([[['acp']], [['acp', '--standalone']], [['ahp', '--standalone']], [['server', '--standalone']]])(
  'parley %s ends with 0 when its input ends',
  async (args) => {
    const ran = home.run(...args);
    ran.child.stdin?.end();
    expect(await ran.done).toMatchObject({ code: 0, out: '', err: '' });
  },
);

test.each([[[]], [['--standalone']]])(
  'a client that sends no messages at all is told so in the end (%s)',
  async (args) => {
    const ran = home.run('server', ...args);
    ran.child.stdin?.write('GET / HTTP/1.1\r\nno name\r\n\r\n');
    const { code, err } = await ran.done;
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^parley: [^\n]*Cannot read the client's messages[^\n]*\n$/) as string,
    });
  },
);

test.each([[[]], [['--standalone']]])('an ECA client that says exit gets exit code 0 (%s)', async (args) => {
  const eca = await ecaClient(home, { args });
  expect(await eca.request('shutdown', null)).toBeNull();
  eca.notify('exit', null);
  expect(await eca.peer.closed).toMatchObject({ exit: { code: 0 } });
});

test('the official SDK works through a prompt with everything in one process', async () => {
  const editor = await acpEditor(home, undefined, ['--standalone']);
  const { sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  });
  const { stopReason } = await editor.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: 'say Alone.' }],
  });
  expect(stopReason).toBe('end_turn');
  expect(editor.problems).toEqual([]);
  await editor.close();
});

test('AHP is spoken on stdio, one message a line', async () => {
  const ahp = wire(spawned(home, ['ahp'], ndjson));
  const hello = await ahp.request('initialize', {
    channel: 'ahp-root://',
    protocolVersions: ['1.0.0'],
    clientId: 'stdio',
    initialSubscriptions: ['ahp-root://'],
  });
  expect(hello).toMatchObject({ protocolVersion: '1.0.0', snapshots: [{ resource: 'ahp-root://' }] });
  await ahp.close();
});

test('two homes are two hosts', async () => {
  const other = newHome();
  try {
    const [one, two] = await Promise.all([home.serve(), other.serve()]);
    expect(one.port).not.toBe(two.port);
    expect(one.token).not.toBe(two.token);
  } finally {
    await other.dispose();
  }
});

test('what belongs to the owner only is readable by the owner only', async () => {
  await home.serve();
  const own = String(home.env['PARLEY_HOME']);
  for (const name of ['token', 'host.json', 'host.sock', 'log.db', 'lock.db'])
    expect([name, statSync(join(own, name)).mode & 0o077]).toEqual([name, 0]);
  expect(statSync(own).mode & 0o077).toBe(0);
});

test('whoever speaks nonsense on the private socket is turned away, and the host lives', async () => {
  const host = await home.serve();
  const path = join(String(home.env['PARLEY_HOME']), 'host.sock');
  for (const nonsense of [
    'hello\n',
    '{"parley":2,"wants":"acp","options":{}}\n',
    '{"parley":1,"wants":"toString","options":{}}\n',
    'x'.repeat(20_000),
    '\0\0\n',
  ]) {
    const socket = connect(path);
    socket.end(nonsense);
    let heard = '';
    socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
    await once(socket, 'close');
    expect(heard).toMatch(/^\0\{"exit":2,"message":".+"\}\n$/);
  }
  expect(() => process.kill(host.pid, 0)).not.toThrow();
});

test('a wire trace holds every message and no secret', async () => {
  await home.serve('--trace');
  const ahp = wire(spawned(home, ['ahp'], ndjson));
  await ahp.request('initialize', {
    channel: 'ahp-root://',
    protocolVersions: ['1.0.0'],
    clientId: 'traced',
  });
  await ahp
    .request('authenticate', { channel: 'ahp-root://', resource: 'x', token: 'hunter2' })
    .catch(() => {});
  await ahp.close();
  await home.run('stop').done;
  const folder = join(String(home.env['PARLEY_HOME']), 'traces');
  const trace = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
  expect(trace).toContain('authenticate');
  expect(trace).not.toContain('hunter2');
});

test.each<[readonly string[], { code: number; out: RegExp; err: RegExp }]>([
  [['--version'], { code: 0, out: /^parley \d+\.\d+\.\d+\n$/, err: /^$/ }],
  [['--help'], { code: 0, out: /Usage:/, err: /^$/ }],
  [['serve', '--help'], { code: 0, out: /--port N/, err: /^$/ }],
  [['acp', '--help'], { code: 0, out: /--agent ID/, err: /^$/ }],
  [['nonsense'], { code: 2, out: /^$/, err: /There is no command "nonsense"/ }],
  [['serve', '--nonsense'], { code: 2, out: /^$/, err: /nonsense/ }],
  [['serve', '--port', 'x'], { code: 2, out: /^$/, err: /Invalid port/ }],
  [['serve', 'nonsense'], { code: 2, out: /^$/, err: /nonsense/ }],
  [['acp', '--nonsense'], { code: 2, out: /^$/, err: /nonsense/ }],
])('parley %s', async (args, { code, out, err }) => {
  const ran = await home.run(...args).done;
  expect(ran.code).toBe(code);
  expect(ran.out).toMatch(out);
  expect(ran.err).toMatch(err);
  expect(existsSync(join(String(home.env['PARLEY_HOME']), 'host.json'))).toBe(false);
});

test('parley alone starts the host, gives a link that signs one browser in once, and finds the host again', async () => {
  const first = await home.run().done;
  expect(first).toMatchObject({ code: 0, err: '' });
  const link = /http:\/\/127\.0\.0\.1:\d+\/sign-in\?code=[\w-]+/.exec(first.out)?.[0] ?? '';
  expect(first.out).toContain('Models: ');
  const { pid } = infoOf();
  const { host, origin, searchParams } = new URL(link);
  const redeem = (sent: object, headers: Record<string, string> = {}) =>
    fetch(`${origin}/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(sent),
    });
  // Looking at the link, as previews of messages do, uses nothing up.
  expect((await fetch(link)).headers.get('content-type')).toContain('text/html');
  const code = searchParams.get('code');
  expect((await redeem({ code }, { origin: 'http://attacker.example' })).status).toBe(403);
  expect((await redeem({ code }, { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await redeem({ code, key: 'no key' }, { origin })).status).toBe(400);
  expect((await redeem({ code, more: 'x'.repeat(5_000) })).status).toBe(413);
  const signedIn = await redeem({ code });
  const { token } = (await signedIn.json()) as { token: string };
  expect([signedIn.status, signedIn.headers.get('set-cookie')]).toEqual([200, null]);
  expect((await redeem({ code })).status).toBe(403);
  const upgrade = (query: string, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(`ws://${host}/ahp${query}`, { headers });
      socket.once('open', () => {
        socket.terminate();
        resolve(101);
      });
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
      socket.once('error', () => {});
    });
  expect(await upgrade(`?tkn=${token}`)).toBe(101);
  expect(await upgrade(`?tkn=${token}`, { origin: 'vscode-file://vscode-app' })).toBe(101);
  expect(await upgrade('?tkn=wrong', { origin: 'vscode-file://vscode-app' })).toBe(403);
  expect(await upgrade('', { cookie: `parley=${token}`, origin })).toBe(401);
  expect(await upgrade('?tkn=wrong')).toBe(401);

  await home.run().done;
  expect(infoOf().pid).toBe(pid);
  const devices = await home.run('devices').done;
  const id = /^[\w-]{8}/.exec(devices.out)?.[0] ?? '';
  expect(await home.run('devices', 'revoke', id).done).toMatchObject({
    code: 0,
    out: expect.stringMatching(/ is signed out\.\n$/),
  });
  expect(await upgrade(`?tkn=${token}`)).toBe(401);
  expect(await home.run('devices').done).toMatchObject({
    code: 0,
    out: expect.stringContaining('No devices are signed in.'),
  });
  expect(await home.run('devices', 'revoke', id).done).toMatchObject({ code: 1 });
  expect(await home.run('devices', 'dance').done).toMatchObject({ code: 2, out: '' });
});

test('doctor tells of a log that went missing, until the note about it is removed', async () => {
  const first = await home.serve();
  const ahp = await ahpClient(first);
  await ahp.request('createSession', {
    channel: 'parley:/lost',
    workingDirectories: [`file://${home.workspace}`],
  });
  await first.kill('SIGTERM');
  const log = join(String(home.env['PARLEY_HOME']), 'log.db');
  rmSync(log);
  await (await home.serve()).kill('SIGTERM');
  const told = await home.doctor();
  expect(told.code).toBe(1);
  expect(told.out).toMatch(/The log is missing\. It had \d+ sessions\./);
  rmSync(`${log}.loss`);
  expect((await home.doctor()).out).not.toContain('The log is missing');
});

test('a store of a newer version is refused in words at once, and doctor says so', async () => {
  await (await home.serve()).kill('SIGTERM');
  const log = openSync(join(String(home.env['PARLEY_HOME']), 'log.db'), 'r+');
  // The place of SQLite's user_version.
  writeSync(log, Buffer.from([0, 0, 0, 99]), 0, 4, 60);
  closeSync(log);
  const newer = /written by a newer Parley \(schema 99/;
  expect(await home.run('sessions', 'list').done).toMatchObject({
    code: 3,
    err: expect.stringMatching(newer),
  });
  const { code, out } = await home.doctor();
  expect([code, newer.test(out), out.includes('Update Parley.')]).toEqual([1, true, true]);
});
