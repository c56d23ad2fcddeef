// Tool servers with the real program: from the settings and from an editor, shown, called, reaped with the
// host, and not loaded before there is one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { methods } from '@agentclientprotocol/sdk';
import type { NewSessionResponse } from '@agentclientprotocol/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { authorizationServer } from '../kit/authorizationServer.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { acpEditor, ecaClient } from '../kit/clients.ts';
import { alive, untilGone } from '../kit/living.ts';
import { listenMcp } from '../kit/mcpServer.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';
import { eventually } from '../kit/patience.ts';

let home: Home;
let raw: Bundle;
beforeAll(async () => {
  raw = await bundle(fileURLToPath(new URL('../kit/mcpRawServer.ts', import.meta.url)));
});
afterAll(() => raw.dispose());
beforeEach(() => (home = newHome()));
afterEach(() => home.dispose());

function setUp(
  settings: object = { mcpServers: { one: { command: process.execPath, args: [raw.path] } } },
): void {
  mkdirSync(join(home.dir, 'home'), { recursive: true });
  writeFileSync(join(home.dir, 'home', 'config.jsonc'), JSON.stringify(settings));
}

const linesOf = (out: string): readonly Loose[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('a server of the settings is called where a rule allows it, and refused where nobody can be asked', async () => {
  setUp();
  // A first turn does not wait for servers, so on a busy machine it may be over before they are there.
  const lines = await eventually(async () => {
    const { code, out } = await home.run(
      'run',
      '--standalone',
      '--json',
      '--allow',
      'one__*',
      'tool one__echo {"a":1}',
    ).done;
    expect(code).toBe(0);
    const heard = linesOf(out);
    return heard.some(({ type, status }) => type === 'tool-end' && status === 'done') && heard;
  }, 'a turn that calls the tool of the server');
  expect(lines.find(({ type }) => type === 'tool-start')).toMatchObject({
    name: 'one__echo',
    input: { a: 1 },
  });
  expect(lines.find(({ type }) => type === 'tool-end')).toMatchObject({ status: 'done', output: '{"a":1}' });
  const refuse = async () => (await home.run('run', '--standalone', 'tool one__echo {}').done).code ?? -1;
  expect(await eventually(async () => (await refuse()) || undefined, 'a turn that is refused')).toBe(4);
  const { out: log } = await home.run('sessions', 'export', lines[0]?.session).done;
  const events = linesOf(log).flatMap(({ event }) => event ?? []);
  expect(events.find(({ kind }) => kind === 'tool.started')).toMatchObject({
    name: 'one__echo',
    source: 'mcp',
    server: 'one',
  });
  expect(events.find(({ kind }) => kind === 'tool.ended')).toMatchObject({
    result: { status: 'done', content: [{ type: 'text', text: '{"a":1}' }] },
  });
});

test('an ECA client sees it come up, go and come back, and its calls by their own names', async () => {
  setUp();
  const host = await home.serve();
  const eca = await ecaClient(home);
  const status = (wanted: string, from = 0) =>
    eca.wait(
      ({ method, params }) =>
        method === 'tool/serverUpdated' && params.name === 'one' && params.status === wanted,
      from,
    );
  expect((await status('running')).params).toMatchObject({
    type: 'mcp',
    command: process.execPath,
    url: null,
    instructions: 'Speak softly.',
    tools: expect.arrayContaining([expect.objectContaining({ name: 'echo' })]),
  });
  eca.notify('mcp/stopServer', { name: 'one' });
  await status('stopped');
  const from = eca.said.length;
  eca.notify('mcp/startServer', { name: 'one' });
  await status('running', from);
  await eca.request('chat/prompt', { message: 'tool one__name {}', trust: true });
  const called = await eca.wait(
    ({ method, params }) => method === 'chat/contentReceived' && params.content.type === 'toolCalled',
  );
  expect(called.params.content).toMatchObject({ name: 'name', server: 'one', origin: 'mcp' });
  const pid = Number(/process (\d+)/.exec(JSON.stringify(called.params.content))?.[1]);
  await host.kill('SIGTERM');
  await untilGone(pid);
  await eca.close();
});

test('tools that the settings take away are not offered, and servers that never answer hold up no turn', async () => {
  const server = (...args: readonly string[]) => ({ command: process.execPath, args: [raw.path, ...args] });
  setUp({ mcpServers: { one: server(), mute: server('mute') }, disabledTools: ['one__crash', 'one__h*'] });
  const host = await home.serve();
  const eca = await ecaClient(home);
  const { params } = await eca.wait(
    ({ method, params: told }) =>
      method === 'tool/serverUpdated' && told.name === 'one' && told.status === 'running',
  );
  expect(params.tools.filter(({ disabled }: Loose) => disabled).map(({ name }: Loose) => name)).toEqual([
    'crash',
    'hang',
    'huge',
  ]);
  await eca.request('chat/prompt', { message: 'tool one__crash {}\nsay {{result}}', trust: true });
  await eca.wait(
    ({ method, params: told }) =>
      method === 'chat/contentReceived' &&
      told.content.type === 'text' &&
      String(told.content.text).includes('There is no tool named one__crash'),
  );
  expect(
    eca.said.some(
      ({ method, params: told }) =>
        method === 'tool/serverUpdated' && told.name === 'mute' && told.status !== 'starting',
    ),
  ).toBe(false);
  await eca.close();
  await host.kill('SIGTERM');
});

test('sessions of a workspace share a server, and none is left when the host is killed', async () => {
  setUp();
  const host = await home.serve();
  const eca = await ecaClient(home);
  await eca.wait(
    ({ method, params }) =>
      method === 'tool/serverUpdated' && params.name === 'one' && params.status === 'running',
  );
  const pids: number[] = [];
  const grandchildren: number[] = [];
  for (const tool of ['name', 'name', 'child']) {
    const from = eca.said.length;
    await eca.request('chat/prompt', { message: `tool one__${tool} {}`, trust: true });
    const called = JSON.stringify(
      (
        await eca.wait(
          ({ method, params }) => method === 'chat/contentReceived' && params.content.type === 'toolCalled',
          from,
        )
      ).params.content.outputs,
    );
    (tool === 'name' ? pids : grandchildren).push(Number(/(\d+)\D*$/.exec(called)?.[1]));
  }
  expect([new Set(pids).size, alive(pids[0] ?? 0), alive(grandchildren[0] ?? 0)]).toEqual([1, true, true]);
  await host.kill('SIGKILL');
  for (const pid of [...pids, ...grandchildren]) await untilGone(pid);
  await eca.close();
});

test('a user signs in with the program, and a host that runs learns of it', async () => {
  const vendor = await authorizationServer();
  const remote = await listenMcp(({ url, headers }, base) => {
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
  try {
    setUp({ mcpServers: { remote: { url: remote.url } } });
    const host = await home.serve();
    const eca = await ecaClient(home);
    const status = (wanted: string, from = 0) =>
      eca.wait(
        ({ method, params }) =>
          method === 'tool/serverUpdated' && params.name === 'remote' && params.status === wanted,
        from,
      );
    await status('requires-auth');
    const login = home.run('mcp', 'login', 'remote');
    let out = '';
    const page = await new Promise<string>((resolve) => {
      login.child.stdout?.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        const [url] = /http\S+/.exec(out) ?? [];
        if (url !== undefined && out.includes(`${url}\n`)) resolve(url);
      });
    });
    expect(new URL(page).searchParams.get('code_challenge_method')).toBe('S256');
    expect((await vendor.visit(page)).status).toBe(200);
    expect(await login.done).toMatchObject({
      code: 0,
      out: expect.stringContaining('Signed in to remote.'),
    });
    await status('running');
    await eca.request('chat/prompt', { message: 'tool remote__add {"a":2,"b":3}', trust: true });
    await eca.wait(
      ({ method, params }) =>
        method === 'chat/contentReceived' &&
        params.content.type === 'toolCalled' &&
        JSON.stringify(params.content.outputs).includes('2 and 3 make 5'),
    );
    const from = eca.said.length;
    expect((await home.run('mcp', 'logout', 'remote').done).out).toBe('Signed out of remote.\n');
    await status('requires-auth', from);
    await eca.close();
    await host.kill('SIGTERM');
  } finally {
    await remote.close();
    await vendor.close();
  }
});

test('an editor brings its own server', async () => {
  const editor = await acpEditor(home, () =>
    Promise.resolve({ outcome: { outcome: 'selected', optionId: 'allow' } }),
  );
  const env = [{ name: 'OWN', value: 'theirs' }];
  const mcpServers = [{ name: 'mine', command: process.execPath, args: [raw.path], env }];
  const { sessionId }: NewSessionResponse = await editor.agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers,
  });
  await eventually(async () => {
    await editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: 'tool mine__env {}' }],
    });
    return JSON.stringify(editor.updates).includes('\\"own\\":\\"theirs\\"');
  }, 'a turn that calls the tool of the server');
  expect([editor.asked.length, editor.problems]).toEqual([1, []]);
  await editor.close();
});

test.each([
  ['no server', 0],
  ['a server', 1],
])('with %s the library is loaded %i times', async (_, times) => {
  if (times > 0) setUp();
  const report = join(home.dir, 'loaded.json');
  const hook = join(home.dir, 'hook.cjs');
  writeFileSync(
    hook,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(report)}, ` +
      'JSON.stringify(Object.keys(require.cache))));',
  );
  Object.assign(home.env, { NODE_OPTIONS: `--require ${hook}` });
  expect((await home.run('run', '--standalone', 'say Hello.').done).code).toBe(0);
  const loaded = (JSON.parse(readFileSync(report, 'utf8')) as readonly string[]).filter((name) =>
    /dist[\\/][^\\/]+\.cjs$/.test(name),
  );
  expect(loaded.length).toBeGreaterThan(2);
  expect(loaded.filter((name) => readFileSync(name, 'utf8').includes('server/discover'))).toHaveLength(times);
});
