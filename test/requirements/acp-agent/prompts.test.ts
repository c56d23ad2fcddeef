// Sections 4.4, 5.1, 6, 7 and 10: prompts, updates, permissions, their order, and what is forgiven.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifies } from '../acp-agent.ts';
import { editor, kinds, selected, shell, spoken, working } from './harness.ts';

const asked = ({ method }: { method?: string }) => method === 'session/request_permission';

test(`ACP: ${verifies('prompt.baseline', 'prompt.unadvertised')}`, async () => {
  const { client, sessionId } = await working();
  const prompt = [
    { type: 'text', text: 'say Look at ' },
    { type: 'resource_link', uri: 'file:///w/a.ts', name: 'a.ts' },
  ];
  expect(await client.call('session/prompt', { sessionId, prompt })).toMatchObject({
    stopReason: 'end_turn',
  });
  expect(
    await client.failure('session/prompt', { sessionId, prompt: [{ type: 'video', data: 'AAAA' }] }),
  ).toMatchObject({ code: -32602 });
});

test(`ACP: ${verifies('prompt.media')}`, async () => {
  const { client, sessionId, cwd } = await working({ clientCapabilities: { session: { notices: {} } } });
  const sound = { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' };
  const resource = { type: 'resource', resource: { uri: 'file:///w/a.ts', text: 'let a = 1;' } };
  expect(
    await client.call('session/prompt', {
      sessionId,
      prompt: [
        { type: 'text', text: 'say Heard.' },
        { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        resource,
        sound,
      ],
    }),
  ).toMatchObject({ stopReason: 'end_turn' });
  expect(client.updates(sessionId)).toContainEqual({
    sessionUpdate: 'notice',
    severity: 'warning',
    title: 'Audio is not supported here; the model was only told that a recording is attached.',
  });
  const later = await editor();
  await later.call('session/load', { sessionId, cwd, mcpServers: [] });
  const told = later
    .updates(sessionId)
    .flatMap((update) => (update.sessionUpdate === 'user_message_chunk' ? [update.content] : []));
  expect(told.slice(1)).toEqual([
    { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
    resource,
    sound,
  ]);
});

test(`ACP: ${verifies('prompt.stop')}`, async () => {
  const { client, sessionId } = await working();
  for (const [text, stopReason] of [
    ['say x', 'end_turn'],
    ['say x\nfinish length', 'max_tokens'],
    ['finish refusal', 'refusal'],
  ] as const) {
    expect(await client.prompt(sessionId, text)).toMatchObject({ stopReason });
  }
});

test(`ACP: ${verifies('prompt.failure')}`, async () => {
  const { client, sessionId } = await working();
  expect(
    await client.failure('session/prompt', {
      sessionId,
      prompt: [{ type: 'text', text: 'fail provider The model is gone.' }],
    }),
  ).toMatchObject({
    code: -32603,
    message: expect.stringContaining('The model is gone.'),
    data: { code: 'provider' },
  });
  expect(await client.prompt(sessionId, 'say Better.')).toMatchObject({ stopReason: 'end_turn' });
});

test(`ACP: ${verifies('prompt.slash')}`, async () => {
  const { client, sessionId } = await working();
  await client.prompt(sessionId, '/help');
  expect(spoken(client, sessionId)).toContain('/context');
  await client.prompt(sessionId, '/web find it');
  expect(spoken(client, sessionId)).toContain('There is no command /web.');
});

test(`ACP: ${verifies('prompt.queue')}`, async () => {
  const { client, sessionId } = await working();
  const order: string[] = [];
  const one = client.prompt(sessionId, 'pause 50\nsay One.').then(() => order.push('one'));
  const two = client.prompt(sessionId, 'say Two.').then(() => order.push('two'));
  await Promise.all([one, two]);
  expect(order).toEqual(['one', 'two']);
  expect(spoken(client, sessionId)).toBe('One.\nTwo.\n');
});

test(`ACP: ${verifies('prompt.meta')}`, async () => {
  const { client, sessionId, cwd } = await working();
  const meta = {
    traceparent: '00-80e1afed08e019fc1110464cfa66635c-7a085853722dc6d2-01',
    'example.org/x': { deep: [1] },
  };
  await client.call('session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text: 'say Hello.' }],
    _meta: meta,
  });
  const later = await editor();
  await later.call('session/load', { sessionId, cwd, mcpServers: [] });
  expect(
    later.updates(sessionId).find(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk'),
  ).toMatchObject({ _meta: meta });
});

test(`ACP: ${verifies('update.session', 'update.message-id', 'update.thought')}`, async () => {
  const { client, sessionId } = await working();
  await client.prompt(sessionId, 'reason I think.\nsay One two three.');
  await client.prompt(sessionId, 'say Four.');
  expect(new Set(client.sent.flatMap(({ params }) => (params?.update ? [params.sessionId] : [])))).toEqual(
    new Set([sessionId]),
  );
  const ids = (kind: string) =>
    new Set(
      client
        .updates(sessionId)
        .flatMap((update) =>
          update.sessionUpdate === kind && 'messageId' in update ? [update.messageId] : [],
        ),
    );
  expect([ids('agent_thought_chunk').size, ids('agent_message_chunk').size]).toEqual([1, 2]);
});

test(`ACP: ${verifies('update.user')}`, async () => {
  const { client, sessionId, cwd } = await working();
  await client.prompt(sessionId, 'say Hello.');
  const other = await editor();
  await other.call('session/resume', { sessionId, cwd });
  await client.prompt(sessionId, 'say To everybody.');
  await other.seen(({ params }) => JSON.stringify(params?.update ?? null).includes('everybody.\\n'));
  expect(
    other.updates(sessionId).find(({ sessionUpdate }) => sessionUpdate !== 'available_commands_update'),
  ).toMatchObject({
    sessionUpdate: 'user_message_chunk',
    content: { type: 'text', text: 'say To everybody.' },
  });
  expect(spoken(other, sessionId)).toBe('To everybody.\n');
  expect(kinds(client, sessionId)).not.toContain('user_message_chunk');
});

test(`ACP: ${verifies('update.usage', 'update.info')}`, async () => {
  const { client, sessionId } = await working();
  await client.prompt(sessionId, 'usage 100 20\nsay Hello.');
  expect(client.updates(sessionId)).toContainEqual({
    sessionUpdate: 'session_info_update',
    title: expect.any(String),
    updatedAt: expect.any(String),
  });
  expect(
    client.updates(sessionId).find(({ sessionUpdate }) => sessionUpdate === 'usage_update'),
  ).toMatchObject({ used: expect.any(Number), size: 100_000 });
});

test(`ACP: ${verifies('update.tool', 'update.tool-content')}`, async () => {
  const { client, sessionId, cwd } = await working();
  client.permission = () => selected('allow');
  await client.prompt(sessionId, shell('echo hello'));
  const calls = client.updates(sessionId).filter((update) => 'toolCallId' in update);
  expect(calls[0]).toMatchObject({
    sessionUpdate: 'tool_call',
    kind: 'execute',
    status: 'pending',
    name: 'shell_command',
  });
  expect(new Set(calls.map((call) => ('toolCallId' in call ? call.toolCallId : ''))).size).toBe(1);
  const statuses = calls.flatMap((call) =>
    'status' in call && call.status !== undefined ? [call.status] : [],
  );
  expect(statuses.filter((status, i) => status !== statuses[i - 1])).toEqual([
    'pending',
    'in_progress',
    'completed',
  ]);
  expect(calls.at(-1)).toMatchObject({
    content: [
      { type: 'content', content: { type: 'text', text: expect.any(String) } },
      { type: 'content', content: { type: 'text', text: expect.stringContaining('hello') } },
    ],
  });
  expect(calls.find((call) => 'locations' in call)).toMatchObject({ locations: [{ path: cwd }] });
});

test(`ACP: ${verifies('update.diff')}`, async () => {
  const { client, sessionId, cwd } = await working();
  client.permission = () => selected('allow');
  await client.prompt(sessionId, 'tool write_file {"path":"fresh.txt","content":"new"}');
  const diff = client
    .updates(sessionId)
    .flatMap((update) => ('content' in update && Array.isArray(update.content) ? update.content : []))
    .find(({ type }) => type === 'diff');
  expect(diff).toEqual({ type: 'diff', path: join(cwd, 'fresh.txt'), oldText: null, newText: 'new' });
});

test(`ACP: ${verifies('update.commands')}`, async () => {
  const { client, sessionId } = await working();
  await client.prompt(sessionId, 'say Hello.');
  const told = client
    .updates(sessionId)
    .flatMap((update) =>
      update.sessionUpdate === 'available_commands_update' ? [update.availableCommands] : [],
    );
  expect(told).toEqual([
    expect.arrayContaining([
      { name: 'compact', description: expect.any(String), input: { hint: expect.any(String) } },
    ]),
  ]);
});

test(`ACP: ${verifies('order.flush')}`, async () => {
  const { client, sessionId } = await working();
  await client.prompt(sessionId, 'stream 3000 x');
  expect(spoken(client, sessionId)).toBe('x '.repeat(3000));
  expect(client.sent.at(-1)).toMatchObject({ result: { stopReason: 'end_turn' } });
  await client.call('session/list');
  expect(client.sent.at(-2)).toMatchObject({ result: { stopReason: 'end_turn' } });
});

test(`ACP: ${verifies('order.cancel', 'order.cancel-quick')}`, async () => {
  const { client, sessionId } = await working();
  for (const text of ['say Begun.\nhang', 'say Begun.\nstream 100000 x\nhang']) {
    const from = client.sent.length;
    const answer = client.prompt(sessionId, text);
    await client.seen(({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk', from);
    client.peer.notify('session/cancel', { sessionId });
    expect(await answer).toMatchObject({ stopReason: 'cancelled' });
    await client.call('session/list');
    expect(client.sent.at(-2)).toMatchObject({ result: { stopReason: 'cancelled' } });
  }
});

test(`ACP: ${verifies('order.cancel-tool', 'permission.cancelled')}`, async () => {
  const { client, sessionId, cwd } = await working();
  client.permission = (_, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }), { once: true });
    });
  const answer = client.prompt(sessionId, shell('echo no > cancelled.txt'));
  const { id } = await client.seen(asked);
  client.peer.notify('session/cancel', { sessionId });
  expect(await answer).toMatchObject({ stopReason: 'cancelled' });
  expect(client.sent).toContainEqual({
    jsonrpc: '2.0',
    method: '$/cancel_request',
    params: { requestId: id },
  });
  expect(client.updates(sessionId).at(-1)).toMatchObject({
    sessionUpdate: 'tool_call_update',
    status: 'failed',
  });
  client.permission = () => ({ outcome: { outcome: 'cancelled' } });
  await client.prompt(sessionId, shell('echo no > cancelled.txt'));
  expect(existsSync(join(cwd, 'cancelled.txt'))).toBe(false);
});

test(`ACP: ${verifies('order.cancel-idle')}`, async () => {
  const { client, sessionId } = await working();
  client.peer.notify('session/cancel', { sessionId });
  expect(await client.prompt(sessionId, 'say Not cancelled.')).toMatchObject({ stopReason: 'end_turn' });
  client.peer.notify('session/cancel', { sessionId });
  client.peer.notify('session/cancel', { sessionId: 'nobody' });
  expect(await client.prompt(sessionId, 'say Nor this.')).toMatchObject({ stopReason: 'end_turn' });
});

test(`ACP: ${verifies('order.cancel-request')}`, async () => {
  const { client, sessionId } = await working();
  const from = client.sent.length;
  const stop = new AbortController();
  client.peer
    .request(
      'session/prompt',
      { sessionId, prompt: [{ type: 'text', text: 'say Begun.\nhang' }] },
      { signal: stop.signal },
    )
    .catch(() => undefined);
  await client.seen(({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk', from);
  stop.abort();
  await expect
    .poll(() => client.sent.slice(from).find(({ result }) => result))
    .toMatchObject({ result: { stopReason: 'cancelled' } });
});

test(`ACP: ${verifies('order.free')}`, async () => {
  const { client, sessionId, cwd } = await working();
  const slow = client.prompt(sessionId, 'say Begun.\nhang');
  await client.seen(({ params }) => params?.update?.sessionUpdate === 'agent_message_chunk');
  expect(await client.call('session/list')).toMatchObject({ sessions: expect.any(Array) });
  const other = await client.newSession({ cwd });
  expect(await client.prompt(other, 'say Quick.')).toMatchObject({ stopReason: 'end_turn' });
  client.peer.notify('session/cancel', { sessionId });
  expect(await slow).toMatchObject({ stopReason: 'cancelled' });
});

test(`ACP: ${verifies('order.call-back')}`, async () => {
  const { client, sessionId, cwd } = await working();
  let allow = (_: unknown) => {};
  client.permission = () =>
    new Promise((resolve) => {
      allow = resolve;
    });
  const waiting = client.prompt(sessionId, shell('echo waited'));
  await client.seen(asked);
  const others = await Promise.all(Array.from({ length: 3 }, () => client.newSession({ cwd })));
  for (const answer of await Promise.all(others.map((id) => client.prompt(id, 'stream 50 x'))))
    expect(answer).toMatchObject({ stopReason: 'end_turn' });
  allow(selected('allow'));
  expect(await waiting).toMatchObject({ stopReason: 'end_turn' });
});

test(`ACP: ${verifies('permission.options')}`, async () => {
  const { client, sessionId } = await working();
  client.permission = () => selected('allow');
  await client.prompt(sessionId, shell('echo asked'));
  expect((await client.seen(asked)).params).toMatchObject({
    sessionId,
    toolCall: {
      toolCallId: expect.any(String),
      title: expect.stringContaining('echo asked'),
      kind: 'execute',
      rawInput: { command: 'echo asked' },
    },
    options: expect.arrayContaining([
      expect.objectContaining({ kind: 'allow_once' }),
      expect.objectContaining({ kind: 'allow_always' }),
      expect.objectContaining({ kind: 'reject_once' }),
    ]),
  });
});

test(`ACP: ${verifies('permission.reject')}`, async () => {
  const { client, sessionId, cwd } = await working();
  client.permission = () => selected('deny');
  expect(await client.prompt(sessionId, `${shell('echo no > rejected.txt')}\nsay Going on.`)).toMatchObject({
    stopReason: 'end_turn',
  });
  expect(existsSync(join(cwd, 'rejected.txt'))).toBe(false);
  expect(JSON.stringify(client.updates(sessionId))).toContain('The user refused.');
  expect(spoken(client, sessionId)).toContain('Going on.');
});

test(`ACP: ${verifies('lenient.default')}`, async () => {
  const { client, sessionId } = await working();
  const prompt = [
    { type: 'text', text: 'say Fine.', annotations: 7, _meta: 7 },
    { type: 'resource_link', uri: 'x:y', name: 'y', size: 'big', title: 5 },
  ];
  expect(await client.call('session/prompt', { sessionId, prompt, _meta: 'junk' })).toMatchObject({
    stopReason: 'end_turn',
  });
});

test(`ACP: ${verifies('lenient.strict')}`, async () => {
  const { client, sessionId } = await working();
  const wrong: readonly (readonly [string, object])[] = [
    ['session/new', { cwd: 7, mcpServers: [] }],
    ['session/new', { cwd: '/w', mcpServers: 'none' }],
    ['session/prompt', { sessionId, prompt: 'x' }],
    ['session/prompt', { sessionId, prompt: [{ type: 'text' }] }],
    ['session/list', { cursor: 5 }],
  ];
  for (const [method, params] of wrong)
    expect(await client.failure(method, params)).toMatchObject({ code: -32602 });
});

test('ACP: the question about a call says where it works', async () => {
  const { client, sessionId, cwd } = await working();
  mkdirSync(join(cwd, 'sub'));
  const titles: unknown[] = [];
  client.permission = ({ toolCall }) => {
    titles.push(toolCall.title);
    return selected('deny');
  };
  const calls = [
    ['shell_command', { command: 'ls', working_directory: '/etc' }],
    ['shell_command', { command: 'touch x', working_directory: 'sub' }],
    ['shell_command', { command: 'touch x', working_directory: '.' }],
    ['read_file', { path: '/etc/hostname' }],
    ['grep', { path: '/etc', pattern: 'host' }],
    ['write_file', { path: 'sub/n.txt', content: 'x' }],
    ['write_file', { path: '/etc/n.txt', content: 'x' }],
  ] as const;
  for (const [tool, input] of calls) await client.prompt(sessionId, `tool ${tool} ${JSON.stringify(input)}`);
  expect(titles).toEqual([
    '$ ls (in /etc)',
    '$ touch x (in sub)',
    '$ touch x',
    'Read /etc/hostname',
    'Searching for host in /etc',
    'Creating sub/n.txt',
    'Creating /etc/n.txt',
  ]);
});
