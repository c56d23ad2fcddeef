// Sections 3.3 and 9.8: signing in and out, and what the model is told, with a provider
// of models on loopback.
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { openSecrets } from '../../../src/io/auth/secrets.ts';
import { terminals } from '../../../src/io/pty/pty.ts';
import { run } from '../../contracts/terminals.ts';
import type { AcpClient } from '../../kit/acpClient.ts';
import { fakeProvider } from '../../kit/fakeProvider.ts';
import { verifies } from '../acp-agent.ts';
import { editor, place, preparations, stranger } from './harness.ts';

const provider = await fakeProvider();

preparations.push(({ env }) => {
  delete env['PARLEY_SCRIPTED'];
  for (const name of Object.keys(env))
    if (/_API_(?:KEY|URL)$|^GEMINI|^AWS_BEARER/.test(name)) delete env[name];
  // What is not there must not be looked for on this machine.
  Object.assign(env, {
    ANTHROPIC_API_URL: provider.url,
    OLLAMA_API_URL: 'http://127.0.0.1:9',
    LMSTUDIO_API_URL: 'http://127.0.0.1:9',
    LLAMA_CPP_API_URL: 'http://127.0.0.1:9',
  });
});

afterAll(() => provider.close());

const secrets = () => openSecrets(join(String(place().env['PARLEY_HOME']), 'secrets.json'));
const key = 'sk-secret-0123456789';

async function login(): Promise<void> {
  const { child, done } = place().run('login', 'anthropic', '--key-stdin');
  child.stdin?.end(`${key}\n`);
  expect(await done).toMatchObject({ code: 0 });
}

beforeEach(() => void secrets().delete('anthropic'));

test(`ACP: ${verifies('auth.terminal', 'auth.not-required')}`, async () => {
  const keys = { id: 'keys', name: expect.any(String), description: expect.any(String) };
  const plain = stranger();
  expect(await plain.initialize()).toMatchObject({
    authMethods: [keys],
    agentCapabilities: { auth: { logout: {} } },
  });
  const shown = stranger();
  expect(await shown.initialize({ clientCapabilities: { auth: { terminal: true } } })).toMatchObject({
    authMethods: [keys, { type: 'terminal', id: 'login', args: ['--login'] }],
  });
  expect(await plain.newSession({ cwd: place().workspace })).toEqual(expect.any(String));
});

test(`ACP: ${verifies('auth.unknown', 'auth.agent')}`, async () => {
  const client = await editor({ clientCapabilities: { auth: { terminal: true } } });
  for (const methodId of ['nothing', 'login'])
    expect(await client.failure('authenticate', { methodId })).toMatchObject({ code: -32602 });
  expect(await client.failure('authenticate', { methodId: 'keys' })).toMatchObject({
    code: -32000,
    message: expect.stringContaining('parley login'),
  });
  await login();
  expect(await client.call('authenticate', { methodId: 'keys' })).toEqual({});
  const made = (await client.call('session/new', { cwd: place().workspace, mcpServers: [] })) as object;
  expect(JSON.stringify(made)).toContain('anthropic/claude');
});

test(`ACP: ${verifies('auth.terminal-run')}`, async () => {
  const { program, dir, env } = place();
  const shown = await run(
    terminals({ env }),
    { kind: 'file', file: process.execPath, args: [program, 'acp', '--login'] },
    { cwd: dir, env: { PARLEY_HOME: String(env['PARLEY_HOME']) } },
  );
  await shown.said('Sign in with which provider? ');
  shown.pty.write('anthropic\r');
  await shown.said('Which method? ');
  shown.pty.write('api-key\r');
  await shown.said('API key for Anthropic: ');
  shown.pty.write(`${key}\r`);
  expect([await shown.end, shown.text().includes(key)]).toEqual([{ exitCode: 0 }, false]);
  expect(secrets().get('anthropic')).toBe(key);
});

test(`ACP: ${verifies('auth.logout')}`, async () => {
  const client = await editor();
  await login();
  expect(await client.call('logout')).toEqual({});
  expect(secrets().get('anthropic')).toBeUndefined();
  expect(await client.failure('authenticate', { methodId: 'keys' })).toMatchObject({ code: -32000 });
});

test(`ACP: ${verifies('auth.status')}`, async () => {
  const client = await editor();
  const silent = await editor();
  expect(await client.call('auth/status')).toEqual({ state: 'not_required', accounts: [] });
  await login();
  const told = await client.seen(({ method }) => method === 'auth/status_update');
  expect(told.params).toEqual({
    state: 'authenticated',
    accounts: [{ label: 'Anthropic (stored key)', active: true }],
  });
  expect(await silent.call('session/list')).toBeDefined();
  expect(silent.sent.some(({ method }) => method === 'auth/status_update')).toBe(false);
});

test(`ACP: ${verifies('prompt.system')}`, async () => {
  await login();
  const client = await editor();
  const cwd = place().workspace;
  const words = (mode: string, text: string) => ({
    systemPrompt: { mode, content: [{ type: 'text', text }] },
  });
  const asked = async (sessionId: string) => {
    await client.prompt(sessionId, 'Hello');
    const { body } =
      provider.requests.findLast(
        ({ body: { messages, system } }) =>
          JSON.stringify(messages ?? '').includes('Hello') &&
          // The title of the conversation is requested after the answer has begun.
          !JSON.stringify(system ?? '').includes('Title generat'),
      ) ?? {};
    return JSON.stringify(body.system);
  };
  const added = await client.newSession({ cwd, ...words('append', 'Speak like a sailor.') });
  expect(await asked(added)).toMatch(/You are Parley[^]*Speak like a sailor\./);
  await client.call('session/resume', { sessionId: added, cwd, ...words('override', 'Only rhyme.') });
  expect(await asked(added)).not.toMatch(/You are Parley|sailor/);
  const { sessionId: copy } = (await client.call('session/fork', {
    sessionId: added,
    cwd,
    ...words('override', 'Be a fork.'),
  })) as { sessionId: string };
  expect(await asked(copy)).toContain('Be a fork.');
  expect(await asked(added)).toContain('Only rhyme.');
  const before = ((await client.call('session/list')) as { sessions: unknown[] }).sessions.length;
  for (const wrong of [
    words('replace', 'x'),
    { systemPrompt: { mode: 'append', content: [] } },
    { systemPrompt: { mode: 'append', content: [{ type: 'image', data: 'AA', mimeType: 'image/png' }] } },
    { systemPrompt: 'x' },
  ]) {
    expect(await client.failure('session/new', { cwd, mcpServers: [], ...wrong })).toMatchObject({
      code: -32602,
    });
  }
  expect(((await client.call('session/list')) as { sessions: unknown[] }).sessions.length).toBe(before);
});

test(`ACP: ${verifies('providers.route')}`, async () => {
  await login();
  const gateway = await fakeProvider();
  const client = await editor();
  const watching = await editor();
  const current = async (user: AcpClient, id: string) =>
    (
      (await user.call('providers/list')) as { providers: { providerId: string; current: unknown }[] }
    ).providers.find(({ providerId }) => providerId === id);
  expect(await current(client, 'anthropic')).toEqual({
    providerId: 'anthropic',
    supported: ['anthropic'],
    required: false,
    current: { apiType: 'anthropic', baseUrl: `${provider.url}/v1` },
  });
  expect(await current(client, 'openai')).toMatchObject({ current: null });
  for (const wrong of [{ providerId: 'none' }, { apiType: 'openai' }, { baseUrl: 'file:///etc' }]) {
    expect(
      await client.failure('providers/set', {
        providerId: 'anthropic',
        apiType: 'anthropic',
        baseUrl: gateway.url,
        ...wrong,
      }),
    ).toMatchObject({ code: -32602 });
  }
  const sessionId = await client.newSession({ cwd: place().workspace });
  expect(
    await client.call('providers/set', {
      providerId: 'anthropic',
      apiType: 'anthropic',
      baseUrl: `${gateway.url}/v1`,
      headers: { 'X-Api-Key': 'gateway-key', 'X-Route': 'blue' },
    }),
  ).toEqual({});
  expect(JSON.stringify(await client.call('providers/list'))).not.toContain('gateway-key');
  expect(await client.prompt(sessionId, 'Hello gateway')).toMatchObject({ stopReason: 'end_turn' });
  expect(gateway.requests.at(0)?.headers).toMatchObject({ 'x-api-key': 'gateway-key', 'x-route': 'blue' });
  expect(JSON.stringify(gateway.requests)).not.toContain(key);
  expect(await client.call('providers/disable', { providerId: 'anthropic' })).toEqual({});
  expect(await client.call('providers/disable', { providerId: 'unknown' })).toEqual({});
  expect(await current(watching, 'anthropic')).toMatchObject({ current: null });
  await client.close();
  await expect
    .poll(() => current(watching, 'anthropic'))
    .toMatchObject({ current: { baseUrl: `${provider.url}/v1` } });
  await gateway.close();
});

test(`ACP: ${verifies('nes.suggest')}`, async () => {
  await login();
  const client = await editor({ clientCapabilities: { nes: {}, positionEncodings: ['utf-8'] } });
  expect(client.sent[0]?.result).toMatchObject({
    agentCapabilities: { positionEncoding: 'utf-8', nes: { events: { document: { didOpen: {} } } } },
  });
  const { sessionId } = (await client.call('nes/start', {})) as { sessionId: string };
  const uri = 'file:///w/a.ts';
  client.peer.notify('document/didOpen', {
    sessionId,
    uri,
    languageId: 'typescript',
    version: 1,
    text: 'let é = 1;\n',
  });
  client.peer.notify('document/didChange', {
    sessionId,
    uri,
    version: 2,
    contentChanges: [
      { range: { start: { line: 0, character: 6 }, end: { line: 0, character: 7 } }, text: ':' },
    ],
  });
  provider.reply = ({ prompt }) =>
    prompt.includes('<region>') ? [{ text: '<region>\nlet é: number = 1;\n\n</region>' }] : undefined;
  const { suggestions } = (await client.call('nes/suggest', {
    sessionId,
    uri,
    version: 2,
    position: { line: 0, character: 7 },
    triggerKind: 'manual',
  })) as { suggestions: unknown[] };
  provider.reply = undefined;
  expect(suggestions).toMatchObject([
    {
      kind: 'edit',
      uri,
      edits: [
        { range: { start: { line: 0, character: 7 }, end: { line: 0, character: 7 } }, newText: ' number ' },
      ],
    },
  ]);
  client.peer.notify('document/didClose', { sessionId, uri });
  expect(
    await client.failure('nes/suggest', {
      sessionId,
      uri,
      version: 2,
      position: { line: 0, character: 0 },
      triggerKind: 'manual',
    }),
  ).toMatchObject({ code: -32602 });
  expect(await client.call('nes/close', { sessionId })).toEqual({});
});
