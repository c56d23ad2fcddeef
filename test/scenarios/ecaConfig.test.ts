// The configuration that ECA users have, on the real program: what it does to chats, how it follows its
// files, and what tests of clients rely on.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { spawned } from '../kit/clients.ts';
import { brief } from '../kit/conversation.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { mcpSample } from '../requirements/eca/mcpSample.ts';
import { wire } from '../kit/wire.ts';
import type { Loose, Wire } from '../kit/wire.ts';
import { contentLength } from '../../src/rpc/framing/contentLength.ts';

let home: Home;
let eca: Wire | undefined;

beforeEach(() => {
  home = newHome();
  home.env['XDG_CONFIG_HOME'] = join(home.dir, 'config');
  home.env['GIT_CONFIG_GLOBAL'] = join(home.dir, 'gitconfig');
});
afterEach(async () => {
  await eca?.close();
  await home.dispose();
});

const put = (path: string, text: string) => {
  mkdirSync(dirname(join(home.dir, path)), { recursive: true });
  writeFileSync(join(home.dir, path), text);
};

async function start(initializationOptions: object = {}, args: readonly string[] = []): Promise<Wire> {
  const client = wire(spawned(home, ['server', '--standalone', ...args], contentLength));
  eca = client;
  await client.request('initialize', {
    processId: process.pid,
    initializationOptions,
    capabilities: { codeAssistant: { chat: true } },
    workspaceFolders: [{ name: 'w', uri: `file://${home.workspace}` }],
  });
  client.notify('initialized', {});
  return client;
}

let chats = 0;

/** Has a tool called in a chat of its own; gives what became of it. */
async function call(client: Wire, tool: string, input: object): Promise<string | undefined> {
  chats += 1;
  const chat = `c${chats}`;
  const mine = ({ method, params }: { method: string; params: Loose }) =>
    method === 'chat/contentReceived' && params.chatId === chat;
  const from = client.said.length;
  await client.request('chat/prompt', { chatId: chat, message: `tool ${tool} ${JSON.stringify(input)}` });
  await client.wait(
    (message) =>
      mine(message) &&
      (message.params.content.state === 'finished' || message.params.content.manualApproval === true),
    from,
  );
  const said = client.said.slice(from).flatMap((message) => (mine(message) ? [message.params] : []));
  if (said.some(({ content }) => content.manualApproval === true)) return `${tool} asks`;
  return brief(said).find((line) => line.startsWith(tool));
}

const grep = { path: '.', pattern: 'x' };
const write = { path: 'a.txt', content: 'a' };

test('it is read where ECA users have it, follows its file, and keeps what a broken file last said', async () => {
  put(
    'config/eca/config.json',
    '{ // mine\n "disabledTools": ["grep"], "agent": {"pair": {"mode": "primary", "description": "Works with you"}}, "toolCall": {"approval": {"allow": {"eca__write_file": {}}}} }',
  );
  const client = await start();
  await client.wait(
    ({ method, params }) =>
      method === 'config/updated' && JSON.stringify(params.chat.agents ?? []).includes('"pair"'),
  );
  expect([await call(client, 'grep', grep), await call(client, 'write_file', write)]).toEqual([
    'grep failed',
    'write_file done',
  ]);
  put('config/eca/config.json', '{ "disabledTools": [');
  await client.wait(
    ({ method, params }) =>
      method === '$/showMessage' && String(params.message).includes('the last valid settings stay in effect'),
  );
  expect(await call(client, 'grep', grep)).toBe('grep failed');
  put('config/eca/config.json', '{ "disabledTools": ["write_file"] }');
  await expect.poll(() => call(client, 'grep', grep)).toBe('grep done');
  expect(await call(client, 'write_file', write)).toBe('write_file failed');
});

test('it counts as soon as it is written, also where there was no folder for it', async () => {
  const client = await start();
  expect(await call(client, 'grep', grep)).toBe('grep done');
  put('config/eca/config.json', '{ "disabledTools": ["grep"], "extraConfigs": ["more.json"] }');
  await expect.poll(() => call(client, 'grep', grep)).toBe('grep failed');
  put('config/eca/more.json', '{ "disabledTools": ["write_file"] }');
  await expect.poll(() => call(client, 'write_file', write)).toBe('write_file failed');
});

test('what a client sends counts below the files, and stands alone where it says so', async () => {
  put('config/eca/config.json', '{ "disabledTools": ["grep"] }');
  const client = await start({
    pureConfig: true,
    env: 'test',
    toolCall: { approval: { byDefault: 'allow' } },
  });
  expect([await call(client, 'grep', grep), await call(client, 'write_file', write)]).toEqual([
    'grep done',
    'write_file done',
  ]);
});

test('a file of a folder forbids at once, and allows only what the user has trusted', async () => {
  put(
    'workspace/.eca/config.json',
    '{ "disabledTools": ["grep"], "toolCall": {"approval": {"allow": {"write_file": {}}}}, "welcomeMessage": "Theirs" }',
  );
  const client = await start();
  const { params: told } = await client.wait(
    ({ method, params }) => method === '$/showMessage' && String(params.message).includes('is not trusted'),
  );
  expect(told.message).toContain('no effect on toolCall, welcomeMessage.');
  const welcome = () =>
    client.said.findLast(({ method, params }) => method === 'config/updated' && params.chat.welcomeMessage);
  await expect.poll(welcome).toBeDefined();
  expect(welcome()?.params.chat.welcomeMessage).not.toBe('Theirs');
  expect([await call(client, 'grep', grep), await call(client, 'write_file', write)]).toEqual([
    'grep failed',
    'write_file asks',
  ]);
  expect(await home.run('trust', home.workspace, '--yes').done).toMatchObject({ code: 0 });
  await expect.poll(() => call(client, 'write_file', { ...write, path: 'b.txt' })).toBe('write_file done');
  await expect.poll(() => welcome()?.params.chat.welcomeMessage).toBe('Theirs');
});

test('a file of a folder chooses no model before it is trusted', async () => {
  put('workspace/.eca/config.json', '{ "defaultModel": "demo/demo" }');
  const client = await start();
  const selected = () =>
    client.said.findLast(({ method, params }) => method === 'config/updated' && params.chat.selectModel);
  await expect.poll(() => selected()?.params.chat.selectModel).toBe('scripted/scripted');
  expect(await client.request('chat/prompt', { chatId: 'c', message: 'say hi' })).toMatchObject({
    model: 'scripted/scripted',
  });
});

test('a named file stands for all files of ECA', async () => {
  put('config/eca/config.json', '{ "disabledTools": ["grep"] }');
  put('workspace/.eca/config.json', '{ "disabledTools": ["read_file"] }');
  put('named.json', '{ "disabledTools": ["write_file"] }');
  const client = await start({}, ['--config-file', join(home.dir, 'named.json')]);
  expect([
    await call(client, 'grep', grep),
    await call(client, 'directory_tree', { path: '.' }),
    await call(client, 'write_file', write),
  ]).toEqual(['grep done', 'directory_tree done', 'write_file failed']);
});

test.each([[[]], [['--standalone']]])(
  'what is logged and said is shown on standard error where that is wanted: %j',
  async (flags) => {
    put('config/eca/config.json', '{ "broken": ');
    const ran = home.run('server', '--log-level', 'warn', '--verbose', ...flags);
    const frame = (message: object) => {
      const text = JSON.stringify({ jsonrpc: '2.0', ...message });
      ran.child.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
    };
    let err = '';
    ran.child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    frame({
      id: 1,
      method: 'initialize',
      params: {
        processId: null,
        capabilities: {},
        workspaceFolders: [],
        initializationOptions: { providers: { x: { 'api-key': 'hidden words' } } },
      },
    });
    frame({ method: 'initialized', params: {} });
    const lines = () =>
      err
        .split('\n')
        .slice(0, -1)
        .map((line): Loose => JSON.parse(line));
    await expect
      .poll(
        () =>
          lines().some(
            ({ level, message }) =>
              level === 'error' && String(message).includes('config.json cannot be read'),
          ),
        { timeout: 100_000 },
      )
      .toBe(true);
    await expect
      .poll(
        () =>
          lines().some(
            ({ direction, message }) => direction === 'out' && String(message).includes('$/showMessage'),
          ),
        { timeout: 100_000 },
      )
      .toBe(true);
    expect(
      lines()
        .filter(({ direction }) => direction === 'in')
        .map(({ message }) => /"method":"(\w+)"/.exec(String(message))?.[1]),
    ).toEqual(['initialize', 'initialized']);
    expect(lines().some(({ level }) => level === 'info')).toBe(false);
    expect(err).not.toContain('hidden words');
    ran.child.stdin?.end();
    const done = await ran.done;
    expect([done.code, done.out.startsWith('Content-Length: ')]).toEqual([0, true]);
  },
);

test('a folder that joins the workspace brings its configuration along, and takes it with it', async () => {
  put('mcp.cjs', mcpSample);
  put(
    'config/eca/config.json',
    JSON.stringify({
      mcpServers: { mine: { command: process.execPath, args: [join(home.dir, 'mcp.cjs')] } },
    }),
  );
  put(
    'other/.eca/config.json',
    JSON.stringify({
      welcomeMessage: 'From the other',
      disabledTools: ['grep'],
      mcpServers: { theirs: { command: 'never', disabled: true } },
    }),
  );
  const other = { uri: `file://${join(home.dir, 'other')}`, name: 'other' };
  expect(await home.run('trust', join(home.dir, 'other'), '--yes').done).toMatchObject({ code: 0 });
  const client = await start();
  const isServer =
    (name: string, status: string) =>
    ({ method, params }: { method: string; params: Loose }) =>
      method === 'tool/serverUpdated' && params.name === name && params.status === status;
  const prompts = async () =>
    ((await client.request('chat/queryCommands', { query: 'mine:' })).commands as Loose[]).length;
  await client.wait(isServer('mine', 'running'));
  await expect.poll(prompts).toBeGreaterThan(0);
  let from = client.said.length;
  const disabled = () =>
    client.said
      .slice(from)
      .some(
        ({ method, params }) =>
          method === 'tool/serverUpdated' &&
          params.type === 'native' &&
          params.tools.some(({ name, disabled: off }: Loose) => name === 'grep' && off),
      );
  client.notify('workspace/didChangeWorkspaceFolders', { event: { added: [other], removed: [] } });
  await client.wait(isServer('theirs', 'disabled'), from);
  await client.wait(
    ({ method, params }) => method === 'config/updated' && params.chat.welcomeMessage === 'From the other',
    from,
  );
  await expect.poll(disabled).toBe(true);
  await expect.poll(prompts).toBeGreaterThan(0);
  expect(await call(client, 'grep', grep)).toBe('grep failed');
  from = client.said.length;
  client.notify('workspace/didChangeWorkspaceFolders', { event: { added: [], removed: [other] } });
  await client.wait(
    ({ method, params }) => method === 'tool/serverRemoved' && params.name === 'theirs',
    from,
  );
  await expect.poll(prompts).toBeGreaterThan(0);
  expect(await call(client, 'grep', grep)).toBe('grep done');
  expect(
    client.said.some(({ method, params }) => method === 'tool/serverRemoved' && params.name === 'mine'),
  ).toBe(false);
});

/** A collection with one plugin. */
const stock = (folder: string) => {
  put(
    `${folder}/.eca-plugin/marketplace.json`,
    JSON.stringify({ plugins: [{ name: 'kit', description: 'Tools of the trade', source: 'kit' }] }),
  );
  put(`${folder}/kit/commands/deploy.md`, 'say Deploying $1');
  put(`${folder}/kit/skills/knots/SKILL.md`, '---\nname: knots\ndescription: Ties\n---\nsay Tied');
  put(`${folder}/kit/agents/sailor.md`, '---\nmode: primary\ndescription: Sails\n---\nYou sail.');
  put(`${folder}/kit/eca.json`, '{ "disabledTools": ["grep"] }');
};

test('plugins of a collection are installed, used and given up, and a collection from elsewhere is fetched', async () => {
  stock('near');
  put(
    'config/eca/config.json',
    `{ // mine\n "plugins": { "near": { "source": "${join(home.dir, 'near')}" }, "eca": { "source": "${join(home.dir, 'none')}" } } }`,
  );
  const client = await start();
  const told = async (message: string) => {
    const from = client.said.length;
    await client.request('chat/prompt', { chatId: 'p', message });
    await client.wait(({ params }) => params?.chatId === 'p' && params.content?.state === 'finished', from);
    return client.said
      .slice(from)
      .flatMap(({ params }) =>
        params?.content?.type === 'text' && params.role !== 'user' ? [String(params.content.text)] : [],
      )
      .join('');
  };
  expect(await told('/plugins')).toContain('- kit@near: Tools of the trade');
  expect(await told('/plugin-install nothing')).toContain('Unknown plugin "nothing"');
  expect(await told('/plugin-install kit')).toContain('Plugin kit@near installed.');
  expect(readFileSync(join(home.dir, 'config/eca/config.json'), 'utf8')).toMatch(/\/\/ mine[^]*kit@near/);
  await client.wait(
    ({ method, params }) => method === 'config/updated' && params.chat.agents?.includes('sailor'),
  );
  const names = async () =>
    (await client.request('chat/queryCommands', { query: 'kit:' })).commands.map(
      ({ name }: Loose) => name as string,
    );
  await expect.poll(names).toEqual(['kit:knots', 'kit:deploy']);
  expect(await told('/kit:deploy now')).toContain('Deploying now');
  expect(await call(client, 'grep', grep)).toBe('grep failed');
  expect(await told('/plugins')).toContain('* kit@near');
  expect(await told('/plugin-uninstall kit')).toContain('Plugin kit@near uninstalled.');
  await expect.poll(() => call(client, 'grep', grep)).toBe('grep done');
  // Git takes the address of a folder of this machine as it takes any other.
  stock('far');
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'x'],
  ])
    execFileSync('git', ['-C', join(home.dir, 'far'), ...args]);
  put('gitconfig', `[url "${join(home.dir, 'far')}"]\n  insteadOf = https://plugins.example/far.git\n`);
  put(
    'config/eca/config.json',
    '{ "plugins": { "far": { "source": "https://plugins.example/far.git" }, "install": ["kit"] } }',
  );
  await expect.poll(names).toEqual(['kit:knots', 'kit:deploy']);
});

test('plugins that a folder names are installed once it is trusted', async () => {
  stock('near');
  stock('far');
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'x'],
  ])
    execFileSync('git', ['-C', join(home.dir, 'far'), ...args]);
  put('gitconfig', `[url "${join(home.dir, 'far')}"]\n  insteadOf = https://plugins.example/far.git\n`);
  const names = (source: string) =>
    put('workspace/.eca/config.json', JSON.stringify({ plugins: { own: { source }, install: ['kit@own'] } }));
  names('../../near');
  const client = await start();
  const known = async () =>
    (await client.request('chat/queryCommands', { query: 'kit:' })).commands.map(
      ({ name }: Loose) => name as string,
    );
  const { params } = await client.wait(
    ({ method, params: given }) =>
      method === '$/showMessage' && String(given.message).includes('is not trusted'),
  );
  expect(params.message).toContain('no effect on plugins');
  expect(await known()).toEqual([]);
  expect(await home.run('trust', home.workspace, '--yes').done).toMatchObject({ code: 0 });
  await expect.poll(known).toEqual(['kit:knots', 'kit:deploy']);
  await expect.poll(() => call(client, 'grep', grep)).toBe('grep failed');
  // Another content is to be trusted anew, and what lies elsewhere is fetched only then.
  names('https://plugins.example/far.git');
  await expect.poll(known).toEqual([]);
  expect(await home.run('trust', home.workspace, '--yes').done).toMatchObject({ code: 0 });
  await expect.poll(known).toEqual(['kit:knots', 'kit:deploy']);
});
