// Section 5 and what goes over the wire around it: clients of autumn 2025 and of the first draft, signing in,
// and questions that somebody else has answered.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Loose } from '../../kit/wire.ts';
import { verifies } from '../eca.ts';
import { Editor, editor, hello, newChat, place } from './harness.ts';
import { content, inShort, isContent, isFinished } from './words.ts';

test(`ECA: ${verifies('older.names', 'older.contexts', 'older.tools')}`, async () => {
  const client = await editor({
    initializationOptions: { chatBehavior: 'plan' },
    capabilities: { codeAssistant: { chat: true } },
  });
  const { chat: config } = client.heard.find(({ method }) => method === 'config/updated')?.params ?? {};
  expect(config).toMatchObject({
    behaviors: expect.arrayContaining(['code', 'plan']) as string[],
    selectBehavior: 'plan',
    defaultBehavior: 'plan',
  });
  const chat = newChat();
  const said = await client.prompt(chat, 'say Hi', {
    behavior: 'agent',
    contexts: [{ type: 'repoMap' }, { type: 'web', url: 'https://x.example/' }],
  });
  expect(inShort(said)).toContain('"Parsing given context"');
  // A name that only older clients know is the usual agent.
  expect((await client.ask('chat/open', { chatId: chat })).result.selection.agent).toBe('code');
  const from = client.heard.length;
  client.notify('chat/selectedBehaviorChanged', { behavior: 'plan' });
  await client.until(
    ({ method, params }) =>
      method === 'tool/serverUpdated' &&
      params.type === 'native' &&
      params.tools.some(({ name, disabled }: Loose) => name === 'write_file' && disabled),
    from,
  );
  const called = await client.prompt(
    newChat(),
    `tool eca__read_file ${JSON.stringify({ path: join(place().workspace, 'src/a.txt') })}`,
  );
  expect(content(called.find(isContent('toolCalled')) ?? {})).toMatchObject({
    name: 'read_file',
    server: 'eca',
    arguments: { path: join(place().workspace, 'src/a.txt') },
  });
  expect((await client.ask('chat/delete', { chatId: chat })).result).toEqual({});
});

test(`ECA: ${verifies('draft.contexts', 'draft.changes')}`, async () => {
  const client = new Editor();
  expect(
    (
      await client.ask(
        'initialize',
        hello({ capabilities: { codeAssistant: { chat: true, doc: true, edit: false, fix: false } } }),
      )
    ).error,
  ).toBeUndefined();
  client.notify('initialized', {});
  const chat = newChat();
  const file = join(place().workspace, 'src/a.txt');
  const path = join(place().workspace, `draft-${chat}.txt`);
  const context = [
    { type: 'file', path: file, selection: { startLine: 1, endLine: 1 }, cursor: { line: 1, character: 1 } },
    { type: 'web', url: 'https://x.example' },
    { type: 'code', content: 'f()', language: 'js', description: 'A call' },
    { type: 'terminal' },
  ];
  const { result } = await client.ask('chat/prompt', {
    chatId: chat,
    message:
      `say See:\nsay \`\`\`js\\nf()\\n\`\`\`\ntool write_file ` + JSON.stringify({ path, content: 'new\n' }),
    model: 'o4-mini',
    context,
  });
  expect(result).toEqual({ chatId: chat, status: 'success', resultMessage: expect.any(String) as string });
  const change = await client.until(({ params }) => params?.content?.type === 'fileChange');
  expect(change.params).toEqual({
    chatId: chat,
    isComplete: false,
    content: {
      type: 'fileChange',
      description: expect.stringContaining('draft-') as string,
      manualApproval: true,
      file: path,
      changes: [{ kind: 'create', content: 'new' }],
    },
  });
  client.notify('chat/promptStop', { chatId: chat });
  const last = await client.until(({ params }) => params?.isComplete === true);
  expect(last.params.content.type).toBe('text');
  expect(
    client.heard.every(
      ({ method, params }) =>
        method === undefined || (method === 'chat/contentReceived' && params.role === undefined),
    ),
  ).toBe(true);
  expect((await client.ask('chat/prompt', { chatId: newChat(), message: ' ' })).result).toMatchObject({
    status: 'connection-error',
  });
});

test(`ECA: ${verifies('login.dialogue', 'login.result')}`, async () => {
  const client = await editor();
  const chat = newChat();
  const step = async (message: string) => {
    const from = client.heard.length;
    const { result } = await client.ask('chat/prompt', { chatId: chat, message });
    return { result, words: inShort(client.heard.slice(from)), said: client.heard.slice(from) };
  };
  expect((await step('/login mistral')).words).toEqual([
    'chat/opened',
    'user text',
    'system text',
    'user text',
    'system text',
    'finished',
    'status login',
    'finished',
    'answer',
  ]);
  const typed = await step('sk-very-secret');
  expect(JSON.stringify(typed.said)).not.toContain('very-secret');
  expect(content(typed.said.find(isContent('text')) ?? {}).text).toBe('*****\n');
  expect(typed.result).toEqual({ chatId: chat, status: 'idle' });
  expect(typed.words.slice(-3)).toEqual(['finished', 'status idle', 'answer']);
  await client.ask('providers/logout', { provider: 'mistral' });
  await step('/login anthropic');
  const cancelled = await step('cancel');
  expect([cancelled.result, cancelled.words]).toEqual([
    { chatId: chat, status: 'idle' },
    ['user text', 'system text', 'finished', 'status idle', 'answer'],
  ]);
});

test(`ECA: ${verifies('login.question')}`, async () => {
  const client = await editor({
    capabilities: { codeAssistant: { chat: true, chatCapabilities: { askQuestion: true } } },
  });
  const chat = newChat();
  const answer = async (label: string) => {
    const from = client.heard.length;
    const { id, params } = await client.until(
      ({ method, id: own }) => method === 'chat/askQuestion' && !answered.has(own),
    );
    answered.add(id);
    client.send({ id, result: { answer: label, cancelled: false } });
    return { params, from };
  };
  const answered = new Set<number>();
  const { result } = await client.ask('chat/prompt', { chatId: chat, message: '/login' });
  expect(result.status).toBe('prompting');
  const provider = await answer('anthropic');
  expect(provider.params).toMatchObject({
    chatId: chat,
    allowFreeform: false,
    requestId: expect.any(String) as string,
    options: expect.arrayContaining([
      { label: 'anthropic', description: 'Anthropic' },
      { label: 'mistral', description: 'Mistral' },
    ]) as Loose[],
  });
  const method = await answer('manual');
  expect(method.params.options.map(({ label }: Loose) => label)).toEqual(
    expect.arrayContaining(['max', 'manual']),
  );
  // What is secret is typed in the chat, as ever.
  await client.until(
    ({ method: name, params }) =>
      name === 'chat/statusChanged' && params.chatId === chat && params.status === 'login',
    method.from,
  );
  expect((await client.ask('chat/prompt', { chatId: chat, message: 'cancel' })).result).toEqual({
    chatId: chat,
    status: 'idle',
  });
});

test(`ECA: ${verifies('providers.methods')}`, async () => {
  const client = await editor();
  const login = async (params: object) => (await client.ask('providers/login', params)).result;
  const chosen = await login({ provider: 'anthropic' });
  expect([chosen.action, chosen.methods.map(({ key }: Loose) => key)]).toEqual([
    'choose-method',
    expect.arrayContaining(['max', 'manual']),
  ]);
  expect(await login({ provider: 'anthropic', method: 'manual' })).toEqual({
    action: 'input',
    fields: [{ key: 'api-key', label: 'API Key', type: 'secret' }],
  });
  const { providers } = (await client.ask('providers/list', {})).result;
  const shapes = new Set(['authenticated', 'expiring', 'expired', 'unauthenticated', 'local', 'not-running']);
  expect(providers.every(({ auth, models }: Loose) => shapes.has(auth.status) && Array.isArray(models))).toBe(
    true,
  );
  const scripted = providers.find(({ id }: Loose) => id === 'scripted');
  expect(scripted.models[0]).toEqual({
    id: 'scripted',
    capabilities: {
      reason: expect.any(Boolean) as boolean,
      vision: expect.any(Boolean) as boolean,
      tools: true,
      webSearch: false,
      imageGeneration: false,
    },
  });
});

test(`ECA: ${verifies('wire.cancel-sent', 'wire.own-ids')}`, async () => {
  const asks = { capabilities: { codeAssistant: { chat: true, chatCapabilities: { askQuestion: true } } } };
  const [one, two] = [await editor(asks), await editor(asks)];
  const chat = newChat();
  await one.ask('chat/prompt', { chatId: chat, message: 'tool ask_user {"question":"Which?"}' });
  await two.ask('chat/open', { chatId: chat });
  const isAsked = ({ method }: Loose) => method === 'chat/askQuestion';
  const [first, second] = await Promise.all([one.until(isAsked), two.until(isAsked)]);
  expect([first.id, second.id, first.params.requestId]).toEqual([1, 1, second.params.requestId]);
  two.send({ id: second.id, result: { answer: 'this', cancelled: false } });
  expect((await one.until(({ method }) => method === '$/cancelRequest')).params).toEqual({ id: first.id });
  await one.until(isFinished);
  expect(two.heard.some(({ method }) => method === '$/cancelRequest')).toBe(false);
});

test(`ECA: ${verifies('command.list')}`, async () => {
  const client = await editor();
  const { commands } = (await client.ask('chat/queryCommands', { query: '' })).result;
  const all = commands.map(({ name, type }: Loose) => `${type} ${name}`) as string[];
  expect(all).toEqual([
    ...[
      'init',
      'login',
      'model',
      'skills',
      'skill-create',
      'costs',
      'context',
      'compact',
      'fork',
      'resume',
      'export',
      'import',
      'remote',
      'config',
      'doctor',
      'debug-chat',
      'repo-map-show',
      'rules',
      'prompt-show',
      'sync-system-prompt',
      'subagents',
      'plugins',
      'plugin-install',
      'plugin-uninstall',
      'hooks',
    ].map((name) => `native ${name}`),
    'skill eca-info',
    'custom-prompt greet',
    ...['undo', 'redo', 'help', 'mode', 'permissions', 'effort', 'trust'].map((name) => `native ${name}`),
  ]);
  const asked = await client.prompt(newChat(), '/eca-info where is my configuration?');
  expect(inShort(asked)).toContain('assistant text');
});
