// Providers, MCP servers, completion and rewriting over a connection in memory, with services that do
// what a test tells them.
import { afterEach, describe, expect, test } from 'vitest';
import { content, ecaClient, greetedClient } from '../../../../test/kit/ecaClient.ts';
import type { EcaClient } from '../../../../test/kit/ecaClient.ts';
import { rig } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import type { LoginStep, McpServer, ProviderStatus } from '../../../protocols/eca/serviceMessages.ts';
import type { EcaMcpServers, OneShot, OneShotPart, EcaProviders } from '../options.ts';

let made: Rig;
let client: EcaClient;

afterEach(async () => {
  await client.close();
  await made.close();
});

async function start(options: Parameters<typeof greetedClient>[1] = {}): Promise<void> {
  made = await rig();
  client = await greetedClient(made.host, options);
}

async function ask(method: string, params: unknown): Promise<unknown> {
  const { result, error } = await client.request(method, params);
  return error === undefined ? result : { error };
}

const methods = {
  methods: [
    { key: 'manual', label: 'Paste a key' },
    { key: 'oauth', label: 'In the browser' },
  ],
};

function someProviders(): EcaProviders {
  const keys = new Map<string, string>();
  const watchers = new Set<(provider: ProviderStatus) => void>();
  const status = (): ProviderStatus => ({
    id: 'acme',
    label: 'Acme',
    configured: true,
    auth: { status: keys.has('acme') ? 'authenticated' : 'unauthenticated' },
    login: methods,
    models: [],
  });
  const tell = () => watchers.forEach((changed) => changed(status()));
  const steps: { readonly [method: string]: LoginStep } = {
    manual: {
      action: 'input',
      fields: [
        { key: 'api-key', label: 'API Key', type: 'secret' },
        { key: 'url', label: 'URL', type: 'text' },
      ],
    },
    oauth: { action: 'authorize', url: 'https://acme/auth', message: 'Open this page' },
  };
  return {
    list: () => [status()],
    login: async (provider, method) =>
      provider !== 'acme'
        ? { refused: `Unknown provider: ${provider}` }
        : method === undefined
          ? { action: 'choose-method', ...methods }
          : (steps[method] ?? { refused: 'No such way' }),
    input: async (provider, data) => {
      keys.set(provider, data['api-key'] ?? '');
      tell();
      return { action: 'done' };
    },
    logout: async (provider) => {
      keys.delete(provider);
      return undefined;
    },
    watch: (changed) => {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}

describe('providers', () => {
  test('are those that the models name where nobody manages them', async () => {
    await start();
    expect(await ask('providers/list', {})).toEqual({
      providers: [
        {
          id: 'script',
          configured: true,
          auth: { status: 'local' },
          models: [
            {
              id: 'one',
              capabilities: {
                reason: false,
                vision: false,
                tools: true,
                webSearch: false,
                imageGeneration: false,
              },
            },
          ],
        },
      ],
    });
    expect(await ask('providers/login', { provider: 'x' })).toEqual({
      error: { message: 'Unknown provider: x' },
    });
  });

  test('signing in asks for a way, then for its fields, and tells the provider before the answer', async () => {
    await start({ providers: someProviders() });
    expect(await ask('providers/login', { provider: 'acme' })).toEqual({
      action: 'choose-method',
      ...methods,
    });
    expect(await ask('providers/login', { provider: 'acme', method: 'manual' })).toMatchObject({
      action: 'input',
    });
    expect(await ask('providers/login', { provider: 'nope' })).toEqual({
      error: { message: 'Unknown provider: nope' },
    });
    client.news();
    expect(await ask('providers/loginInput', { provider: 'acme', data: { 'api-key': 'sk-x' } })).toEqual({
      action: 'done',
    });
    expect(client.news().map((line) => line.slice(0, 60))).toEqual([
      'providers/updated {"id":"acme","label":"Acme","configured":t',
      'result {"action":"done"}',
    ]);
    expect(await ask('providers/logout', { provider: 'acme' })).toEqual({});
    expect(client.news()[0]).toContain('"unauthenticated"');
  });

  test('signing in inside a chat: every message is an answer, and secrets are not shown', async () => {
    await start({ providers: someProviders() });
    expect(await ask('chat/prompt', { chatId: 'l', message: '/login acme' })).toEqual({
      chatId: 'l',
      model: 'script/one',
      status: 'prompting',
    });
    expect(client.news()).toEqual([
      'chat/opened {"chatId":"l"}',
      'user text "/login acme\\n"',
      expect.stringContaining('system text "Signing in'),
      'user text "acme\\n"',
      expect.stringContaining('How do you want'),
      'system progress finished',
      'chat/statusChanged {"chatId":"l","status":"login"}',
      'system progress finished',
      expect.stringContaining('result'),
    ]);
    expect(await ask('chat/prompt', { chatId: 'l', message: 'manual' })).toEqual({
      chatId: 'l',
      status: 'login',
    });
    expect(await ask('chat/prompt', { chatId: 'l', message: 'sk-secret' })).toEqual({
      chatId: 'l',
      status: 'login',
    });
    expect(await ask('chat/prompt', { chatId: 'l', message: 'http://x' })).toEqual({
      chatId: 'l',
      status: 'idle',
    });
    const news = client.news().join('\n');
    expect(news).toContain('user text "*****\\n"');
    expect(news).not.toContain('sk-secret');
    expect(news).toContain('Signed in to acme.');
    expect(news).toContain('chat/statusChanged {"chatId":"l","status":"idle"}');
  });

  test('a client that can ask puts the choices to its user, and what happens in a browser ends by itself', async () => {
    await start({ providers: someProviders(), asks: true });
    expect(await ask('chat/prompt', { chatId: 'l', message: '/login' })).toMatchObject({
      status: 'prompting',
    });
    const answer = async (label: string) => {
      const { id, params } = await client.until(({ method }) => method === 'chat/askQuestion');
      client.news();
      client.send({
        jsonrpc: '2.0',
        id,
        result: label === 'cancel' ? { answer: null, cancelled: true } : { answer: label, cancelled: false },
      });
      return params;
    };
    expect(await answer('acme')).toEqual({
      chatId: 'l',
      question: 'Which provider?',
      options: [{ label: 'acme', description: 'Acme' }],
      allowFreeform: false,
      requestId: expect.any(String) as string,
    });
    expect(await answer('oauth')).toMatchObject({
      options: [
        { label: 'manual', description: 'Paste a key' },
        { label: 'oauth', description: 'In the browser' },
      ],
    });
    await client.until(content('text', 'Open this page\nhttps://acme/auth'));
    client.news();
    await ask('providers/loginInput', { provider: 'acme', data: { 'api-key': 'k' } });
    expect(client.news().slice(0, 4)).toEqual([
      expect.stringContaining('providers/updated'),
      'system text "Signed in to acme."',
      'system progress finished',
      'chat/statusChanged {"chatId":"l","status":"idle"}',
    ]);
    // Whoever cancels, or types instead, ends the question.
    await ask('chat/prompt', { chatId: 'l', message: '/login' });
    await answer('cancel');
    await client.until(content('text', 'Login cancelled'));
    await client.until(
      ({ method, params }) => method === 'chat/statusChanged' && params?.['status'] === 'idle',
    );
    await ask('chat/prompt', { chatId: 'l', message: '/login' });
    const open = await client.until(({ method }) => method === 'chat/askQuestion');
    expect(await ask('chat/prompt', { chatId: 'l', message: 'cancel' })).toEqual({
      chatId: 'l',
      status: 'idle',
    });
    expect(client.wire).toContainEqual({
      jsonrpc: '2.0',
      method: '$/cancelRequest',
      params: { id: open.id },
    });
  });

  test('cancel ends it at any time', async () => {
    await start({ providers: someProviders() });
    await ask('chat/prompt', { chatId: 'l', message: '/login' });
    expect(client.news().join('\n')).toContain('- acme: Acme');
    expect(await ask('chat/prompt', { chatId: 'l', message: 'cancel' })).toEqual({
      chatId: 'l',
      status: 'idle',
    });
    expect(client.news()).toEqual([
      'user text "cancel\\n"',
      'system text "Login cancelled"',
      'system progress finished',
      'chat/statusChanged {"chatId":"l","status":"idle"}',
      'result {"chatId":"l","status":"idle"}',
    ]);
    made.scripts.set('hello', async () => {});
    expect(await ask('chat/prompt', { chatId: 'l', message: 'hello' })).toMatchObject({
      status: 'prompting',
    });
    await client.until(content('progress', 'finished'));
  });
});

const server: McpServer = {
  name: 'm1',
  command: 'node',
  args: [],
  url: null,
  status: 'starting',
  disabled: false,
  hasAuth: false,
  instructions: null,
  tools: null,
  prompts: null,
  resources: null,
};

const noServers: EcaMcpServers = {
  list: () => [],
  add: async () => server,
  update: async () => undefined,
  remove: async () => undefined,
  act: async () => undefined,
  prompt: async () => ({ refused: 'No.' }),
  read: async () => ({ refused: 'No.' }),
  watch: () => () => {},
};

describe('MCP servers', () => {
  test('are refused where there is nobody to run them', async () => {
    await start();
    expect(await ask('mcp/addServer', { name: 'm1', command: 'node' })).toEqual({
      error: {
        code: 'invalid_request',
        message: 'This host does not support MCP servers.',
        data: { serverName: 'm1' },
      },
    });
    expect(await ask('mcp/removeServer', { name: 'zzz' })).toEqual({
      error: {
        code: 'invalid_request',
        message: "MCP server 'zzz' does not exist",
        data: { serverName: 'zzz' },
      },
    });
    client.notify('mcp/startServer', { name: 'zzz' });
    expect(await client.until(({ method }) => method === '$/showMessage')).toMatchObject({
      params: { type: 'warning', message: "MCP server 'zzz' does not exist" },
    });
  });

  test.each<[place: object, message: string, roots?: readonly string[]]>([
    [{ scope: 'galaxy' }, 'The scope is "global" or "workspace", not "galaxy"'],
    [
      { scope: 'workspace', workspaceUri: 'file:///elsewhere' },
      "'file:///elsewhere' is not an open workspace folder",
    ],
    [{ scope: 'workspace', workspaceUri: 'http://x/' }, "'http://x/' is not an open workspace folder"],
    [{ scope: 'workspace' }, 'No workspace folder is open', []],
  ])('are added to no other place than was meant: %j', async (place, message, roots = ['/w']) => {
    const added: unknown[] = [];
    const add: EcaMcpServers['add'] = async (...given) => {
      added.push(given);
      return server;
    };
    made = await rig();
    client = ecaClient(made.host, { mcp: { ...noServers, add } });
    const workspaceFolders = roots.map((root) => ({ uri: `file://${root}`, name: 'w' }));
    await client.request('initialize', { workspaceFolders });
    expect(await ask('mcp/addServer', { name: 'm', command: 'x', ...place })).toEqual({
      error: { code: 'invalid_request', message, data: { serverName: 'm' } },
    });
    expect(added).toEqual([]);
  });

  test('are managed by whoever runs them', async () => {
    const asked: unknown[] = [];
    let tell: Parameters<EcaMcpServers['watch']>[0] = () => {};
    const mcp: EcaMcpServers = {
      ...noServers,
      list: () => [server],
      add: async (name, config, where) => {
        asked.push([name, config.command, where.root]);
        return name === 'm1' ? { refused: "MCP server 'm1' already exists" } : { ...server, name };
      },
      remove: async (name) => {
        tell({ removed: name });
        return undefined;
      },
      act: async (name, action) => {
        asked.push([name, action]);
        return action === 'connect' ? { visit: 'https://a.example/in' } : undefined;
      },
      watch: (changed) => {
        tell = changed;
        return () => {};
      },
    };
    await start({ mcp });
    expect(
      client.wire
        .filter(({ method }) => method === 'tool/serverUpdated')
        .map(({ params }) => params?.['type']),
    ).toEqual(['native', 'mcp']);
    expect(await ask('mcp/addServer', { name: 'm2', command: 'x', scope: 'workspace' })).toEqual({
      server: { ...server, name: 'm2' },
    });
    expect(await ask('mcp/addServer', { name: 'm1', command: 'x' })).toMatchObject({
      error: { code: 'invalid_request' },
    });
    expect(await ask('mcp/updateServer', { name: 'm2', command: 'y' })).toEqual({});
    for (const action of ['start', 'stop', 'connect', 'logout', 'disable', 'enable'])
      client.notify(`mcp/${action}Server`, { name: 'm2' });
    expect(await client.until(({ method }) => method === '$/showMessage')).toMatchObject({
      params: { type: 'info', message: 'To sign in to m2, go to https://a.example/in' },
    });
    client.news();
    expect(await ask('mcp/removeServer', { name: 'm2' })).toEqual({ name: 'm2', removed: true });
    expect(client.news()[0]).toBe('tool/serverRemoved {"name":"m2"}');
    expect(asked).toEqual([
      ['m2', 'x', '/w'],
      ['m1', 'x', undefined],
      ...['start', 'stop', 'connect', 'logout', 'disable', 'enable'].map((action) => ['m2', action]),
    ]);
  });
});

function shot(parts: readonly OneShotPart[], prompts: string[] = []): OneShot {
  return {
    model: () => 'script/one',
    async *ask({ prompt }) {
      prompts.push(prompt);
      yield* parts;
    },
  };
}

describe('completion', () => {
  const at = { docText: 'def f\nrest', docVersion: 3, position: { line: 1, character: 6 } };
  const range = { start: at.position, end: at.position };

  test('one item at the cursor, under kebab keys too', async () => {
    const prompts: string[] = [];
    await start({
      oneShot: shot(
        [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: '```js\n(x):' },
          { type: 'text', text: '\n```' },
        ],
        prompts,
      ),
    });
    expect(
      await ask('completion/inline', { 'doc-text': at.docText, 'doc-version': 3, position: at.position }),
    ).toEqual({ items: [{ text: '(x):', docVersion: 3, range }] });
    expect(prompts).toEqual(['def f<|cursor|>\nrest']);
  });

  test.each([
    ['no suggestion', [{ type: 'text', text: ' ' }], { type: 'info', message: 'No suggestions found' }],
    ['a failure', [{ type: 'problem', message: 'down' }], { type: 'warning', message: 'down' }],
  ] as const)('%s is an error without a code', async (_, parts, error) => {
    await start({ oneShot: shot(parts) });
    expect(await ask('completion/inline', at)).toEqual({ error });
  });

  test('without a model it says so', async () => {
    await start();
    expect(await ask('completion/inline', at)).toMatchObject({ error: { type: 'warning' } });
  });
});

describe('rewriting', () => {
  const params = {
    id: 'rw1',
    text: 'abc',
    prompt: 'upper',
    path: '/w/a',
    range: { start: { line: 1, character: 1 }, end: { line: 1, character: 4 } },
  };
  const contents = () =>
    client.wire
      .filter(({ method }) => method === 'rewrite/contentReceived')
      .map(({ params: given }) => given?.['content'] as { type: string });

  test('is answered at once, then streamed; a fence around it all is taken away', async () => {
    await start({
      oneShot: shot([
        { type: 'reasoning', text: 'a' },
        { type: 'reasoning', text: 'b' },
        { type: 'text', text: '```\nABC' },
        { type: 'text', text: '\n```' },
      ]),
    });
    expect(await ask('rewrite/prompt', params)).toEqual({ status: 'prompting', model: 'script/one' });
    await client.until(
      ({ params: given }) => (given?.['content'] as { type?: string } | undefined)?.type === 'finished',
    );
    expect(contents()).toEqual([
      { type: 'started' },
      { type: 'reasoning' },
      { type: 'text', text: '```\nABC' },
      { type: 'text', text: '\n```' },
      { type: 'replace', text: 'ABC' },
      { type: 'finished', totalTimeMs: expect.any(Number) as number },
    ]);
  });

  test('a failure is told', async () => {
    await start({ oneShot: shot([{ type: 'problem', message: 'down' }]) });
    await ask('rewrite/prompt', params);
    await client.until(
      ({ params: given }) => (given?.['content'] as { type?: string } | undefined)?.type === 'error',
    );
    expect(contents().at(-1)).toEqual({ type: 'error', message: 'down' });
  });
});

describe('the process of the editor', () => {
  test('its end is the end of the connection', async () => {
    made = await rig();
    let end = () => {};
    client = ecaClient(made.host, {
      processes: {
        watch: (pid, ended) => {
          end = pid === 4711 ? ended : end;
          return () => {};
        },
      },
    });
    await client.request('initialize', { processId: 4711, workspaceFolders: [] });
    end();
    await client.served;
    expect(client.wire.length).toBe(1);
  });

  test('nothing is told before initialized', async () => {
    made = await rig();
    let changed: Parameters<EcaProviders['watch']>[0] = () => {};
    const providers: EcaProviders = {
      ...someProviders(),
      watch: (tell) => {
        changed = tell;
        return () => {};
      },
    };
    client = ecaClient(made.host, { providers });
    await client.request('initialize', { workspaceFolders: [] });
    changed({ id: 'acme', configured: true, auth: { status: 'local' }, models: [] });
    expect(client.wire.length).toBe(1);
  });
});
