// The real program with a provider of its own: keys, found servers, a whole turn over the wire, and nothing
// loaded before it is needed.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../contracts/terminals.ts';
import { acpEditor } from '../kit/clients.ts';
import type { AcpEditor } from '../kit/clients.ts';
import { openSecrets } from '../../src/io/auth/secrets.ts';
import { terminals } from '../../src/io/pty/pty.ts';
import { fakeProvider } from '../kit/fakeProvider.ts';
import type { FakeProvider } from '../kit/fakeProvider.ts';
import { freePort } from '../kit/freePort.ts';
import { newHome } from '../kit/parley.ts';
import { proxyTo } from '../kit/proxy.ts';
import type { Home } from '../kit/parley.ts';
import type { Loose } from '../kit/wire.ts';

const program = join(import.meta.dirname, '..', '..', 'bin', 'parley.js');
const key = 'sk-secret-0123456789';

let home: Home;
let provider: FakeProvider;

beforeEach(async () => {
  home = newHome();
  provider = await fakeProvider();
  const nobody = `http://127.0.0.1:${await freePort()}`;
  delete home.env['PARLEY_SCRIPTED'];
  for (const name of Object.keys(home.env))
    if (/_API_(?:KEY|URL)$|^GEMINI|^AWS_BEARER/.test(name)) delete home.env[name];
  Object.assign(home.env, {
    ANTHROPIC_API_URL: provider.url,
    OLLAMA_API_URL: nobody,
    LMSTUDIO_API_URL: nobody,
    LLAMA_CPP_API_URL: nobody,
  });
});
afterEach(async () => {
  await home.dispose();
  await provider.close();
});

async function listed(): Promise<{ readonly [provider: string]: Loose }> {
  const { code, out } = await home.run('models', '--json').done;
  expect(code).toBe(0);
  return Object.fromEntries((JSON.parse(out) as Loose[]).map((row: Loose) => [row.provider, row]));
}

async function login(
  name: string,
  words = `${key}\n`,
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const { child, done } = home.run('login', name, '--key-stdin');
  child.stdin?.end(words);
  return done;
}

async function offered({ agent }: AcpEditor): Promise<readonly string[]> {
  const { configOptions } = (await agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  })) as Loose;
  // Many models are offered in groups.
  return configOptions
    .find(({ id }: Loose) => id === 'model')
    .options.flatMap((option: Loose) => option.options ?? [option])
    .map(({ value }: Loose) => value);
}

/** Asks again and again until it holds; the test's own time limit ends it otherwise. */
async function eventually<T>(ask: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

test('what is missing is said, provider by provider', async () => {
  const rows = await listed();
  expect(rows['anthropic']).toMatchObject({
    usable: false,
    why: 'no key: set ANTHROPIC_API_KEY or run "parley login anthropic"',
    models: [],
  });
  expect(rows['azure']).toMatchObject({
    usable: false,
    why: 'no address: set AZURE_API_URL or AZURE_RESOURCE_NAME',
  });
  expect(rows['ollama'].why).toBe(`no server at ${home.env['OLLAMA_API_URL']}`);
  const { out } = await home.run('models').done;
  expect(out).toContain('No models yet, only the built-in demo.');
});

test('a key is stored for its owner only, used, and forgotten', async () => {
  expect(await login('anthropic')).toMatchObject({ code: 0, err: '' });
  const file = join(String(home.env['PARLEY_HOME']), 'secrets.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const rows = await listed();
  expect(rows['anthropic']).toMatchObject({ usable: true, key: 'parley login', url: `${provider.url}/v1` });
  expect(rows['anthropic'].models[0]).toEqual({
    id: 'anthropic/claude-sonnet-5',
    name: 'Claude Sonnet 5',
    context: 1_000_000,
    output: 128_000,
    variants: ['low', 'medium', 'high', 'xhigh', 'max'],
  });
  home.env['ANTHROPIC_API_KEY'] = 'other';
  expect((await listed())['anthropic'].key).toBe('ANTHROPIC_API_KEY');
  expect(await home.run('logout', 'anthropic').done).toMatchObject({
    code: 0,
    out: 'Removed the Anthropic key.\nANTHROPIC_API_KEY is set and still in use.\n',
  });
  delete home.env['ANTHROPIC_API_KEY'];
  expect((await listed())['anthropic'].usable).toBe(false);
  expect(await home.run('logout', 'anthropic').done).toMatchObject({
    code: 0,
    out: 'No key is stored for Anthropic.\n',
  });
});

test('a key typed on a terminal is taken without being shown', async () => {
  const typed = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: process.execPath, args: [program, 'login', 'openai', '--method', 'api-key'] },
    { cwd: home.dir, env: { PARLEY_HOME: String(home.env['PARLEY_HOME']) } },
  );
  await typed.said('API key for OpenAI: ');
  typed.pty.write(`wrong\u0015${key}x\u007f\r`);
  expect([await typed.end, typed.text().includes('wrong'), typed.text().includes(key.slice(-6))]).toEqual([
    { exitCode: 0 },
    false,
    false,
  ]);
  expect(openSecrets(join(String(home.env['PARLEY_HOME']), 'secrets.json')).get('openai')).toBe(key);
});

test('without a terminal the key must be piped in', async () => {
  const { child, done } = home.run('login', 'openai');
  child.stdin?.end(key);
  expect(await done).toMatchObject({ code: 1, err: expect.stringContaining('--key-stdin') });
});

test.each([
  ['nobody', 'Unknown provider "nobody"'],
  ['', 'Name one provider'],
])('a login to "%s" is refused', async (name, words) => {
  const { code, err } = await login(name);
  expect([code, err.includes(words)]).toEqual([2, true]);
});

test.each([
  ['\n', 'The key is empty'],
  ['two words\n', 'A key contains no spaces'],
])('the key %j is refused', async (given, words) => {
  const { code, err } = await login('anthropic', given);
  expect([
    code,
    err.includes(words),
    existsSync(join(String(home.env['PARLEY_HOME']), 'secrets.json')),
  ]).toEqual([1, true, false]);
});

test('a whole turn: words, a call with permission, the file, the price, a title, and no key anywhere', async () => {
  home.env['ANTHROPIC_API_KEY'] = key;
  const editor = await acpEditor(home, ({ options }) =>
    Promise.resolve({
      outcome: {
        outcome: 'selected',
        optionId: options.find(({ kind }: Loose) => kind === 'allow_once').optionId,
      },
    }),
  );
  const { sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  });
  const { stopReason } = await editor.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: 'WRITE:notes.txt and THINK first' }],
  });
  const updates = editor.updates.map(({ update }) => update as Loose);
  const said = (kind: string) =>
    updates
      .filter(({ sessionUpdate }) => sessionUpdate === kind)
      .map(({ content }) => content.text)
      .join('');
  expect([stopReason, said('agent_thought_chunk'), said('agent_message_chunk')]).toEqual([
    'end_turn',
    'Let me think about this.',
    expect.stringMatching(/^The tool said: Successfully wrote/),
  ]);
  expect(readFileSync(join(home.workspace, 'notes.txt'), 'utf8')).toBe('Written by the fake provider.\n');
  expect(updates.findLast(({ sessionUpdate }) => sessionUpdate === 'usage_update')).toMatchObject({
    size: 1_000_000,
    cost: { amount: expect.any(Number), currency: 'USD' },
  });
  const { sessions } = await eventually(
    () => editor.agent.request(methods.agent.session.list, {}),
    (answer) => answer.sessions[0]?.title === 'A title from the fake provider',
  );
  expect(sessions.length).toBe(1);
  await editor.close();
  expect(provider.requests.filter(({ headers }) => headers['x-api-key'] === key).length).toBe(3);
  expect((await home.run('stop').done).code).toBe(0);
  const data = String(home.env['PARLEY_HOME']);
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  expect(files.filter((file) => readFileSync(file).includes(key))).toEqual([]);
});

test('a provider is reached through the proxy of the environment', async () => {
  const proxy = await proxyTo(Number(new URL(provider.url).port));
  try {
    Object.assign(home.env, {
      HTTP_PROXY: proxy.url,
      ANTHROPIC_API_URL: 'http://models.example',
      ANTHROPIC_API_KEY: key,
      PARLEY_PRICES_URL: 'off',
    });
    provider.reply = () => [{ text: 'Through the proxy.' }];
    expect(
      await home.run('run', '--standalone', '--model', 'anthropic/claude-sonnet-5', 'Hello').done,
    ).toMatchObject({ code: 0, out: expect.stringContaining('Through the proxy.') });
    expect(proxy.asked[0]).toBe(`models.example:80 Basic ${Buffer.from('ann:word').toString('base64')}`);
  } finally {
    await proxy.close();
  }
});

test('a model whose server has too little room for tools says so in the chat', async () => {
  provider.models = ['tiny'];
  Object.assign(home.env, { LLAMA_CPP_API_URL: `${provider.url}/llama/v1` });
  const editor = await acpEditor(home);
  expect(
    await eventually(
      () => offered(editor),
      (models) => models.includes('llama.cpp/tiny'),
    ),
  ).toContain('llama.cpp/tiny');
  const { sessionId } = await editor.agent.request(methods.agent.session.new, {
    cwd: home.workspace,
    mcpServers: [],
  });
  await editor.agent.request(methods.agent.session.setConfigOption, {
    sessionId,
    configId: 'model',
    value: 'llama.cpp/tiny',
  });
  await editor.agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: 'Hello' }],
  });
  expect(JSON.stringify(editor.updates)).toContain(
    'has a context of only 4096 tokens; work with tools needs at least 16384',
  );
  await editor.close();
});

test('the models that a vendor has are listed without a word about them, kept for a time without a network, and what went wrong is said by doctor', async () => {
  provider.listing = {
    data: [
      { id: 'claude-sonnet-5', display_name: 'Sonnet' },
      { id: 'claude-brand-new', display_name: 'Brand New', max_input_tokens: 300_000 },
    ],
  };
  Object.assign(home.env, { ANTHROPIC_API_KEY: key });
  expect((await listed())['anthropic'].models).toHaveLength(9);
  delete home.env['PARLEY_FETCH_MODELS'];
  const names = async () =>
    (await listed())['anthropic'].models.map(({ id, name, context }: Loose) => [id, name, context]);
  const both = [
    ['anthropic/claude-sonnet-5', 'Claude Sonnet 5', 1_000_000],
    ['anthropic/claude-brand-new', 'Brand New', 300_000],
  ];
  expect(await names()).toEqual(both);
  provider.listing = 500;
  expect(await names()).toEqual(both);
  expect((await home.run('models', '--refresh').done).out).toContain('anthropic/claude-brand-new');
  expect((await home.doctor()).out).toContain(
    'Cannot list the models of Anthropic: it answered with status 500.',
  );
});

test('requests to Bedrock are signed with the keys of a shared profile, and a profile without any says so in words', async () => {
  for (const name of Object.keys(home.env)) if (name.startsWith('AWS_')) delete home.env[name];
  mkdirSync(join(home.dir, '.aws'));
  const keys = JSON.stringify({ Version: 1, AccessKeyId: 'PROG', SecretAccessKey: 'secret-words' });
  writeFileSync(
    join(home.dir, '.aws', 'config'),
    `[profile work]\nregion = eu-west-1\ncredential_process = echo '${keys}'\n[profile ` +
      'empty]\nregion = eu-west-1\n',
  );
  provider.reply = () => [{ text: 'Signed.' }];
  Object.assign(home.env, { AWS_PROFILE: 'work', BEDROCK_API_URL: provider.url });
  const ask = () => home.run('run', '--standalone', '--model', 'bedrock/amazon.nova-pro-v1:0', 'Hello').done;
  expect(await ask()).toMatchObject({ code: 0, out: expect.stringContaining('Signed.') });
  expect(provider.requests.at(-1)?.headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=PROG\/\d+\/eu-west-1\/bedrock\/aws4_request/,
  );
  home.env['AWS_PROFILE'] = 'empty';
  const { code, out, err } = await ask();
  expect([code, `${out}${err}`]).toEqual([
    1,
    expect.stringContaining('Amazon Bedrock cannot be used: the AWS profile empty has no keys'),
  ]);
});

test('a running host learns of a key and of a server that is started, without being asked', async () => {
  Object.assign(home.env, { OLLAMA_API_URL: `${provider.url}/` });
  const editor = await acpEditor(home);
  const found = await eventually(
    () => offered(editor),
    (models) => models.length > 1,
  );
  expect(found).toEqual(['ollama/fake-large', 'ollama/fake-small', 'demo/demo']);
  await login('anthropic');
  expect((await offered(editor))[0]).toBe('anthropic/claude-sonnet-5');
  await home.run('logout', 'anthropic').done;
  expect((await offered(editor))[0]).toBe('ollama/fake-large');
  await editor.close();
});

test('nothing of the wire formats, the prices or an HTTP client is loaded before somebody asks', async () => {
  const report = join(home.dir, 'loaded.json');
  const refusals = join(home.dir, 'refusals');
  const hook = join(home.dir, 'hook.cjs');
  writeFileSync(refusals, '');
  writeFileSync(
    hook,
    `const fs = require('node:fs');
     require('node:diagnostics_channel').subscribe('net.client.socket', ({ socket }) =>
       socket.on('error', ({ port }) => fs.appendFileSync(${JSON.stringify(refusals)}, port + '\\n')));
     process.on('exit', () => fs.writeFileSync(${JSON.stringify(report)},
       JSON.stringify([...Object.keys(require.cache), ...process.moduleLoadList])));`,
  );
  Object.assign(home.env, { NODE_OPTIONS: `--require ${hook}`, ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key });
  const host = await home.serve();
  // The first search for servers is over when each of the three addresses was tried.
  const { port } = new URL(String(home.env['OLLAMA_API_URL']));
  await eventually(
    async () => readFileSync(refusals, 'utf8').split('\n'),
    (ports) => ports.filter((each) => each === port).length >= 3,
  );
  await host.kill('SIGTERM');
  const loaded = JSON.parse(readFileSync(report, 'utf8')) as readonly string[];
  const ours = loaded.filter((name) => /dist[\\/][^\\/]+\.cjs$/.test(name));
  expect(ours.length).toBeGreaterThan(2);
  // Each of them has words of its own in its code, in whichever chunk it ends up.
  expect(
    ours.filter((name) =>
      /eager_input_streaming|encrypted_content|include_usage|streamGenerateContent|converse-stream|pydantic\/genai-prices|\/api\/chat/.test(
        readFileSync(name, 'utf8'),
      ),
    ),
  ).toEqual([]);
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([]);
});

test('a sign that a stream cuts is printed whole, by run and by chat', async () => {
  home.env['ANTHROPIC_API_KEY'] = key;
  const family = '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}';
  provider.reply = () => ['A ', ...Array.from(family), ' here.'].flatMap((text) => [{ text }, { pause: 60 }]);
  expect(await home.run('run', 'hello').done).toMatchObject({ code: 0, out: `A ${family} here.\n` });
  const { child, done } = home.run('chat');
  child.stdin?.end('hello\n');
  expect((await done).out).toContain(`A ${family} here.\n`);
});

test('the first turn of a new host has the model of the settings, listed or not', async () => {
  provider.reply = () => [{ text: 'From the workshop.' }];
  mkdirSync(String(home.env['PARLEY_HOME']));
  const workshop = { api: 'anthropic', url: `${provider.url}/v1`, needsKey: false };
  writeFileSync(
    join(String(home.env['PARLEY_HOME']), 'config.jsonc'),
    JSON.stringify({ defaultModel: 'workshop/coder', providers: { workshop } }),
  );
  expect(await home.run('run', 'Hello').done).toMatchObject({ code: 0, out: 'From the workshop.\n' });
  const { out } = await home.doctor();
  expect(out).toContain('workshop (needs no key)');
  expect(out).not.toContain('using the demo model');
});

test('doctor says why the model of the settings cannot be used, as a run does', async () => {
  mkdirSync(String(home.env['PARLEY_HOME']));
  const file = join(String(home.env['PARLEY_HOME']), 'config.jsonc');
  writeFileSync(file, JSON.stringify({ defaultModel: 'mistral/some-model' }));
  const why = 'cannot be used: no key: set MISTRAL_API_KEY';
  expect((await home.run('run', 'Hello').done).err).toContain(why);
  const { out } = await home.doctor();
  expect(out.replaceAll(/\s+/g, ' ')).toContain(`The model of the settings, mistral/some-model, ${why}`);
  expect(out).not.toContain('using the demo model');
});
