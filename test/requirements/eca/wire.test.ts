// Sections 1, 3.1, 4 and 7: frames, the handshake and the end.
import { spawn } from 'node:child_process';
import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../eca.ts';
import { Editor, editor, hello, newChat, place } from './harness.ts';
import { isFinished } from './words.ts';
import { expectWithin } from '../../kit/timeLimit.ts';

test(`ECA: ${verifies('wire.framing', 'wire.newline', 'wire.bytes')}`, async () => {
  const client = new Editor();
  const body = Buffer.from(
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello({ clientInfo: { name: 'Émacs 🦬' } }) })}\n`,
  );
  client.write(`Content-Type: application/vscode-jsonrpc; charset=utf-8\nContent-Length: ${body.length}\n\n`);
  client.write(body.subarray(0, 40));
  client.write(body.subarray(40));
  const answer = await client.until(({ id }) => id === 1);
  expect(answer.result.chatWelcomeMessage).toContain('Welcome');
});

test(`ECA: ${verifies('wire.stdout', 'wire.writes')}`, async () => {
  const client = await editor();
  const chats = [newChat(), newChat(), newChat()];
  await Promise.all(chats.map((chat) => client.prompt(chat, 'stream 200 ✓')));
  // The harness throws where anything but a frame arrives.
  await Promise.all(
    chats.map((chat) => client.until((message) => isFinished(message) && message.params.chatId === chat)),
  );
  expect(client.heard.filter(({ jsonrpc }) => jsonrpc !== '2.0')).toEqual([]);
});

test(`ECA: ${verifies('wire.ids', 'wire.null')}`, async () => {
  const client = await editor();
  client.send({ id: 'a text', method: 'jobs/list' });
  client.send({ id: 77, method: 'jobs/list', params: null });
  client.send({ id: 78, method: 'jobs/list', params: {} });
  for (const wanted of ['a text', 77, 78])
    expect((await client.until(({ id }) => id === wanted)).result).toEqual({ jobs: [] });
});

test(`ECA: ${verifies('wire.keys', 'wire.data-keys')}`, async () => {
  const client = await editor();
  const chat = newChat();
  const answer = await client.ask('chat/prompt', {
    'chat-id': chat,
    message: 'tool shell_command {"command":"true","some_key":1}',
    'request-id': 3,
    contexts: [{ type: 'file', path: '/x', 'lines-range': { start: 1, end: 2 } }],
  });
  expect(answer.result.chatId).toBe(chat);
  const run = await client.until((message) => message.params?.content?.type === 'toolCallRun');
  expect(run.params.content.arguments).toEqual({ command: 'true', some_key: 1 });
  client.notify('chat/promptStop', { chat_id: chat });
  await client.until(isFinished);
});

test(`ECA: ${verifies('wire.unknown-request', 'wire.unknown-note')}`, async () => {
  const client = await editor();
  client.notify('no/suchNote', {});
  expect((await client.ask('no/suchMethod', {})).error).toEqual({
    code: -32601,
    message: 'Method not found',
    data: { method: 'no/suchMethod' },
  });
  expect((await client.ask('jobs/list')).result).toEqual({ jobs: [] });
});

test(`ECA: ${verifies('wire.not-initialized', 'life.capabilities')}`, async () => {
  const client = new Editor();
  expect((await client.ask('chat/list', {})).result.chats).toBeInstanceOf(Array);
  expect((await client.ask('initialize', { capabilities: {}, workspaceFolders: [] })).error).toBeUndefined();
  expect((await new Editor().ask('initialize', {})).result.chatWelcomeMessage).toBeTypeOf('string');
  expect(
    (
      await new Editor().ask('initialize', {
        workspaceFolders: [],
        initializationOptions: { welcomeMessage: 'Good day' },
      })
    ).result.chatWelcomeMessage,
  ).toBe('Good day');
});

test(`ECA: ${verifies('wire.error-body', 'wire.no-null-error')}`, async () => {
  const client = await editor();
  expect((await client.ask('chat/history', { chatId: 'nope' })).error).toEqual({
    code: 'chat_not_found',
    message: 'Chat nope not found',
  });
  const chat = newChat();
  await client.prompt(chat, 'hi');
  expect((await client.ask('chat/history', { chatId: chat, before: 'bogus' })).error.code).toBe(
    'cursor_expired',
  );
  expect((await client.ask('providers/login', { provider: 'nope' })).error).toEqual({
    message: 'Unknown provider: nope',
  });
  expect((await client.ask('chat/prompt', { chatId: 5 })).error.code).toBe(-32602);
  expect(client.heard.filter((message) => 'error' in message && message.error === null)).toEqual([]);
  expect(client.heard.filter((message) => 'error' in message && 'result' in message)).toEqual([]);
});

test(`ECA: ${verifies('wire.handler', 'wire.batch')}`, async () => {
  const client = await editor();
  const frame = (text: string) => client.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  frame(
    JSON.stringify([
      { jsonrpc: '2.0', id: 800, method: 'chat/prompt', params: { chatId: 'batched', message: 'hi' } },
      { jsonrpc: '2.0', id: 801, method: 'jobs/list' },
    ]),
  );
  frame('no JSON');
  await client.until(({ id, error }) => id === null && error?.code === -32_700);
  expect(client.heard.flatMap(({ id, error }) => (id === null ? [error.code as number] : []))).toEqual([
    -32_600, -32_700,
  ]);
  // Where keys are kept there is a folder, so none can be kept.
  const secrets = join(String(place().env['PARLEY_HOME']), 'secrets.json');
  mkdirSync(secrets);
  try {
    const { id, error } = await client.ask('providers/loginInput', {
      provider: 'mistral',
      data: { 'api-key': 'k' },
    });
    expect(error).toEqual({
      code: -32_603,
      message: 'Internal error',
      data: { id: id as number, method: 'providers/loginInput' },
    });
  } finally {
    rmdirSync(secrets);
  }
  expect((await client.ask('chat/open', { chatId: 'batched' })).result).toEqual({ found: false });
});

test(`ECA: ${verifies('wire.cancel', 'wire.overtake')}`, async () => {
  const client = await editor();
  // The model of this one never comes to an end.
  client.send({
    id: 900,
    method: 'completion/inline',
    params: { docText: 'hang\n', docVersion: 1, position: { line: 2, character: 1 } },
  });
  client.send({ id: 901, method: 'jobs/list' });
  expect((await client.until(({ id }) => id === 901)).result).toEqual({ jobs: [] });
  expect(client.heard.some(({ id }) => id === 900)).toBe(false);
  client.notify('$/cancelRequest', { id: 900 });
  expect((await client.until(({ id }) => id === 900)).error).toEqual({
    code: -32_800,
    message: 'Request cancelled',
  });
});

test(`ECA: ${verifies('life.result', 'order.after-initialized', 'order.tasks', 'order.native-first', 'client.desktop', 'client.vscode', 'client.intellij')}`, async () => {
  const client = new Editor();
  const { result } = await client.ask('initialize', hello());
  expect(result).toEqual({
    chatWelcomeMessage: expect.stringContaining('Welcome') as string,
    serverInfo: { name: 'parley', version: expect.any(String) as string },
  });
  await client.ask('jobs/list');
  expect(client.heard.filter(({ method }) => method !== undefined)).toEqual([]);
  client.notify('initialized');
  await client.until(
    ({ method, params }) => method === '$/progress' && params.type === 'finish' && params.taskId === 'models',
  );
  const tasks = client.heard
    .filter(({ method }) => method === '$/progress')
    .map(({ params }) => `${params.type} ${params.taskId}`);
  const begun = tasks.filter((task) => task.startsWith('start')).map((task) => task.slice(6));
  expect(begun.filter((task) => !tasks.includes(`finish ${task}`))).toEqual([]);
  expect(client.heard.find(({ method }) => method === 'tool/serverUpdated')?.params).toMatchObject({
    type: 'native',
    name: 'ECA',
    status: 'running',
  });
});

test(`ECA: ${verifies('life.shutdown', 'life.exit')}`, async () => {
  const client = await editor();
  expect(await client.ask('shutdown')).toEqual({
    jsonrpc: '2.0',
    id: expect.any(Number) as number,
    result: null,
  });
  client.notify('exit');
  expect((await client.done).code).toBe(0);
});

test(`ECA: ${verifies('life.eof')}`, async () => {
  const client = await editor();
  client.endInput();
  expect((await client.done).code).toBe(0);
});

test(`ECA: ${verifies('life.parent')}`, async () => {
  const parent = spawn(process.execPath, ['-e', 'process.stdin.resume()'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const client = await editor({ processId: parent.pid });
  parent.kill('SIGKILL');
  expect((await client.done).code).toBe(0);
  // One that has ended already is seen at once.
  const late = new Editor();
  expect((await late.ask('initialize', hello({ processId: parent.pid }))).error).toBeUndefined();
  expect((await late.done).code).toBe(0);
});

test(`ECA: ${verifies('client.emacs')}`, async () => {
  const client = await editor();
  const begun = performance.now();
  for (const [method, params] of [
    ['chat/queryContext', { query: '', contexts: [] }],
    ['chat/queryFiles', { query: '' }],
    ['chat/queryCommands', { query: '' }],
    ['chat/list', {}],
    ['shutdown', null],
  ] as const)
    await client.ask(method, params);
  await expectWithin(10_000, begun);
  expect(place().workspace).not.toBe('');
});
