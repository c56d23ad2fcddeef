import { describe, expect, test } from 'vitest';
import type { AcpClient } from '../../../test/kit/acpClient.ts';
import { chunk, closing, connect, sessionOf, start, stranger } from '../../../test/kit/acpDoor.ts';
import { someone, testWorld, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import type { Agent } from '../../host/agent.ts';
import { Host } from '../../host/host.ts';
import { isRejection } from '../../model/command.ts';
import type { Outcome } from '../../model/event.ts';

describe('initialize', () => {
  test.each([1, 0, 2, 65_535])('version %i is answered with version 1', async (protocolVersion) => {
    const client = stranger(await start());
    expect(await client.call('initialize', { protocolVersion, clientCapabilities: { fs: { readTextFile: true }, terminal: 'junk' }, _meta: { a: 1 } })).toEqual({
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true, acp: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {}, fork: {}, title: {}, archive: {}, status: {}, systemPrompt: { mode: { override: {} } } },
        auth: { logout: {}, status: {} },
        providers: {},
      },
      agentInfo: { name: 'parley', title: 'Parley', version: '1.2.3' },
      authMethods: [{ id: 'keys', name: expect.any(String), description: expect.any(String) }],
    });
  });

  test('comes before everything else', async () => {
    const client = stranger(await start());
    expect(await client.failure('session/new', { cwd: '/w', mcpServers: [] })).toMatchObject({ code: -32600, message: 'The first request must be initialize.' });
  });
});

describe('a prompt', () => {
  test('is answered after every update of its turn, and is not repeated to its sender', async () => {
    const host = await start();
    host.scripts.set('go', async (turn) => {
      turn.report({ kind: 'text.added', item: 'thought', channel: 'reasoning', text: 'Hm.' });
      turn.report({ kind: 'text.added', item: 'answer', channel: 'answer', text: 'Hel' });
      await new Promise(setImmediate);
      turn.report({ kind: 'plan.set', entries: [{ text: 'Greet', status: 'done', priority: 'low' }] });
      turn.report({ kind: 'usage.reported', usage: { input: 1, cost: 0.5, context: { used: 10, size: 1000 } } });
      turn.report({ kind: 'text.added', item: 'answer', channel: 'answer', text: 'lo' });
    });
    const client = await connect(host);
    const sessionId = await client.newSession();
    expect(await client.prompt(sessionId, 'go')).toEqual({ stopReason: 'end_turn' });
    const [, , answer] = client.sent.filter(({ result }) => result);
    expect(client.sent.indexOf(answer ?? {})).toBe(client.sent.length - 1);
    const turn = sessionOf(host, sessionId).state.chats[sessionId]?.turns[0]?.id;
    expect(client.updates(sessionId)).toEqual([
      { sessionUpdate: 'agent_thought_chunk', messageId: `${turn}:thought`, content: { type: 'text', text: 'Hm.' } },
      chunk('Hel', `${turn}:answer`),
      { sessionUpdate: 'plan', entries: [{ content: 'Greet', priority: 'low', status: 'completed' }] },
      { sessionUpdate: 'usage_update', used: 10, size: 1000, cost: { amount: 0.5, currency: 'USD' } },
      chunk('lo', `${turn}:answer`),
    ]);
  });

  const outcomes: readonly (readonly [Outcome, object])[] = [
    [{ kind: 'completed' }, { result: { stopReason: 'end_turn' } }],
    [{ kind: 'completed', stop: 'length' }, { result: { stopReason: 'max_tokens' } }],
    [{ kind: 'completed', stop: 'steps' }, { result: { stopReason: 'max_turn_requests' } }],
    [{ kind: 'completed', stop: 'refusal' }, { result: { stopReason: 'refusal' } }],
    [{ kind: 'cancelled' }, { result: { stopReason: 'cancelled' } }],
    [{ kind: 'failed', problem: { code: 'provider', message: 'The model is gone.' } }, { error: { code: -32603, message: 'The model is gone.', data: { code: 'provider' } } }],
    [{ kind: 'interrupted' }, { error: { code: -32603, message: 'The turn was interrupted before it ended; send a prompt to go on.', data: { code: 'interrupted' } } }],
  ];

  test.each(outcomes)('whose turn ends as %j', async (outcome, expected) => {
    const host = await start();
    host.scripts.set('go', () => Promise.resolve(outcome));
    const client = await connect(host);
    const sessionId = await client.newSession();
    await client.prompt(sessionId, 'go').catch(() => undefined);
    expect(client.sent.at(-1)).toEqual({ jsonrpc: '2.0', id: expect.any(Number), ...expected });
    expect(client.updates(sessionId)).toEqual([]);
  });

  test('keeps what was attached and its meta', async () => {
    const host = await start();
    const client = await connect(host);
    const sessionId = await client.newSession();
    await client.call('session/prompt', {
      sessionId, _meta: { trace: 'x' },
      prompt: [
        { type: 'text', text: 'Compare ' },
        { type: 'resource_link', uri: 'file:///w/a%20b.ts#L3-5', name: 'a b.ts' },
        { type: 'text', text: ' with this', annotations: { priority: 'junk' } },
        { type: 'resource', resource: { uri: 'file:///w/c.ts', text: 'let c;' } },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'https://example.org/x', name: 'x', mimeType: 'text/html' },
      ],
    });
    expect(sessionOf(host, sessionId).state.chats[sessionId]?.turns[0]?.message).toEqual({
      id: expect.any(String), text: 'Compare [@a b.ts](file:///w/a%20b.ts#L3-5) with this', meta: { trace: 'x' },
      attachments: [
        { type: 'file', path: '/w/a b.ts', lines: { start: 3, end: 5 } },
        { type: 'text', label: 'c.ts', text: 'let c;', uri: 'file:///w/c.ts' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
        { type: 'link', uri: 'https://example.org/x', name: 'x', mediaType: 'text/html' },
      ],
    });
  });

  test('takes embedded bytes as what they are', async () => {
    const host = await start();
    const client = await connect(host);
    const sessionId = await client.newSession();
    const blob = (uri: string, mimeType: string) => ({ type: 'resource', resource: { uri, mimeType, blob: 'eyJhIjoxfQ==' } });
    await client.call('session/prompt', { sessionId, prompt: [blob('x:/a.json', 'application/json'), blob('x:/a.png', 'image/png'), blob('file:///w/a.pdf', 'application/pdf')] });
    expect(sessionOf(host, sessionId).state.chats[sessionId]?.turns[0]?.message.attachments).toEqual([
      { type: 'text', label: 'a.json', text: '{"a":1}', uri: 'x:/a.json' }, { type: 'image', mediaType: 'image/png', data: 'eyJhIjoxfQ==' }, { type: 'file', path: '/w/a.pdf' },
    ]);
  });

  test('during a turn waits for it, and each is answered at the end of its own turn', async () => {
    const host = await start();
    const gates = new Map<string, () => void>();
    host.scripts.set('*', async (turn) => {
      await new Promise<void>((resolve) => gates.set(turn.message.text, resolve));
      turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: turn.message.text });
    });
    const client = await connect(host);
    const sessionId = await client.newSession();
    const session = sessionOf(host, sessionId);
    const order: string[] = [];
    const first = client.prompt(sessionId, 'one').then(() => order.push('one'));
    const second = client.prompt(sessionId, 'two').then(() => order.push('two'));
    await until(session, ({ chats }) => chats[sessionId]?.queue.length === 1);
    await until(session, () => gates.has('one'));
    gates.get('one')?.();
    await first;
    await until(session, ({ chats }) => chats[sessionId]?.active?.message.text === 'two');
    while (!gates.has('two')) await new Promise(setImmediate);
    gates.get('two')?.();
    await second;
    expect(order).toEqual(['one', 'two']);
    expect(client.updates(sessionId)).toEqual([chunk('one'), chunk('two')]);
  });

  test('behind a turn that failed is given back, not left waiting', async () => {
    const host = await start();
    let fail = () => {};
    const failing = new Promise<void>((resolve) => { fail = resolve; });
    host.scripts.set('one', async () => {
      await failing;
      return { kind: 'failed', problem: { code: 'provider', message: 'Broken.' } };
    });
    const client = await connect(host);
    const sessionId = await client.newSession();
    const first = client.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'one' }] });
    const second = client.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'two' }] });
    const session = sessionOf(host, sessionId);
    await until(session, ({ chats }) => chats[sessionId]?.queue.length === 1);
    fail();
    expect(await first).toMatchObject({ message: 'Broken.' });
    expect(await second).toEqual({ code: -32603, message: 'The prompt was not run because the turn before it broke off.', data: { code: 'held' } });
    await until(session, ({ chats }) => chats[sessionId]?.queue.length === 0);
  });

  test('that cannot be stored says so', async () => {
    const store = new MemoryStore();
    const host = await start(store);
    const client = await connect(host);
    const sessionId = await client.newSession();
    store.broken = new Error('The disk is full.');
    expect(await client.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] })).toEqual({
      code: -32603, message: 'The prompt could not be stored.', data: { code: 'storage' },
    });
    store.broken = undefined;
  });
});

describe('cancelling', () => {
  /** A turn that says one word and then waits to be stopped. */
  async function running(text = 'wait'): Promise<{ host: Rig; client: AcpClient; sessionId: string; answer: Promise<unknown> }> {
    const host = await start();
    host.scripts.set('wait', async (turn) => {
      turn.report({ kind: 'tool.started', tool: 't', name: 'shell_command', title: 'Run', toolKind: 'execute', source: 'native' });
      await new Promise<void>((resolve) => turn.signal.addEventListener('abort', () => resolve(), { once: true }));
      turn.report({ kind: 'text.added', item: 'late', channel: 'answer', text: 'too late' });
    });
    const client = await connect(host);
    const sessionId = await client.newSession();
    const answer = client.prompt(sessionId, text);
    await client.seen(({ params }) => params?.update?.sessionUpdate === 'tool_call');
    return { host, client, sessionId, answer };
  }

  const toolFailed = { sessionUpdate: 'tool_call_update', toolCallId: expect.any(String), status: 'failed' };

  test('session/cancel ends the turn at once; open tool calls have failed', async () => {
    const { client, sessionId, answer } = await running();
    client.peer.notify('session/cancel', { sessionId });
    expect(await answer).toEqual({ stopReason: 'cancelled' });
    await new Promise(setImmediate);
    expect(client.updates(sessionId)).toEqual([expect.objectContaining({ sessionUpdate: 'tool_call' }), toolFailed]);
    expect(client.sent.at(-1)).toMatchObject({ result: { stopReason: 'cancelled' } });
  });

  test('an idle or unknown session takes no notice, and the next prompt runs', async () => {
    const host = await start();
    const client = await connect(host);
    const sessionId = await client.newSession();
    client.peer.notify('session/cancel', { sessionId });
    client.peer.notify('session/cancel', { sessionId: 'nobody' });
    client.peer.notify('session/cancel', 'nonsense');
    expect(await client.prompt(sessionId, 'x')).toEqual({ stopReason: 'end_turn' });
  });

  test('session/cancel also ends the prompts this client has queued', async () => {
    const { host, client, sessionId, answer } = await running();
    const queued = client.prompt(sessionId, 'behind');
    await until(sessionOf(host, sessionId), ({ chats }) => chats[sessionId]?.queue.length === 1);
    client.peer.notify('session/cancel', { sessionId });
    expect(await Promise.all([answer, queued])).toEqual([{ stopReason: 'cancelled' }, { stopReason: 'cancelled' }]);
    expect(sessionOf(host, sessionId).state.chats[sessionId]?.turns.length).toBe(1);
  });

  test('$/cancel_request ends the turn of that prompt', async () => {
    const { client, answer } = await running();
    client.peer.notify('$/cancel_request', { requestId: 3 });
    expect(await answer).toEqual({ stopReason: 'cancelled' });
  });

  test('$/cancel_request withdraws a prompt that waits', async () => {
    const { host, client, sessionId, answer } = await running();
    const queued = client.prompt(sessionId, 'behind');
    await until(sessionOf(host, sessionId), ({ chats }) => chats[sessionId]?.queue.length === 1);
    client.peer.notify('$/cancel_request', { requestId: 4 });
    expect(await queued).toEqual({ stopReason: 'cancelled' });
    expect(sessionOf(host, sessionId).state.chats[sessionId]?.active?.message.text).toBe('wait');
    client.peer.notify('session/cancel', { sessionId });
    await answer;
  });

  test('session/close cancels, answers the prompt first, and the session is not open here any more', async () => {
    const { host, client, sessionId, answer } = await running();
    const closed = client.call('session/close', { sessionId });
    expect(await Promise.all([answer, closed])).toEqual([{ stopReason: 'cancelled' }, {}]);
    expect(client.sent.slice(-2).map(({ result }) => result)).toEqual([{ stopReason: 'cancelled' }, {}]);
    expect(await client.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] })).toEqual({
      code: -32002, message: `Session ${sessionId} is not open here; load or resume it first.`, data: { sessionId },
    });
    expect(await client.call('session/close', { sessionId })).toEqual({});
    expect(host.host.summary(sessionId)?.status).toBe('idle');
  });

  test('a client that goes leaves its turn running', async () => {
    const { host, client, sessionId, answer } = await running();
    const lost = answer.catch((error: Error) => error.message);
    await client.close();
    expect(await lost).toBe('Connection closed');
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(sessionOf(host, sessionId).state.chats[sessionId]?.active?.message.text).toBe('wait');
  });

  test('another client may stop the turn', async () => {
    const { host, sessionId, answer } = await running();
    sessionOf(host, sessionId).dispatch({ kind: 'stopTurn', chat: sessionId, next: 'n' }, someone);
    expect(await answer).toEqual({ stopReason: 'cancelled' });
  });
});

describe('several clients', () => {
  test('a turn of one streams to all that have the session open, with the message of the user', async () => {
    const host = await start();
    host.scripts.set('go', (turn) => Promise.resolve(turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'Yes.' })));
    const [one, two, three] = [await connect(host), await connect(host), await connect(host)];
    const sessionId = await one.newSession();
    await two.call('session/resume', { sessionId, cwd: '/w' });
    await one.prompt(sessionId, 'go');
    const turn = sessionOf(host, sessionId).state.chats[sessionId]?.turns[0];
    expect(one.updates(sessionId)).toEqual([chunk('Yes.')]);
    expect(two.updates(sessionId)).toEqual([
      { sessionUpdate: 'user_message_chunk', messageId: turn?.id, content: { type: 'text', text: 'go' } }, chunk('Yes.'),
    ]);
    expect(three.updates(sessionId)).toEqual([]);
  });

  test('a turn that fails says so to those who did not ask for it', async () => {
    const host = await start();
    host.scripts.set('go', () => Promise.resolve({ kind: 'failed', problem: { code: 'x', message: 'No luck.' } }));
    const [one, two] = [await connect(host), await connect(host)];
    const sessionId = await one.newSession();
    await two.call('session/resume', { sessionId, cwd: '/w' });
    await one.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
    expect(one.updates(sessionId)).toEqual([]);
    expect(two.updates(sessionId).at(-1)).toEqual(chunk('The turn failed: No luck.'));
  });

  test('a notice reaches a client that knows notices; the others get warnings as a message, the rest as a thought', async () => {
    const host = await start();
    host.scripts.set('go', (turn) => {
      turn.report({ kind: 'notice.added', level: 'info', text: 'By the way.' });
      turn.report({ kind: 'notice.added', level: 'warning', text: 'Mind this.\nIt is slow.' });
      return Promise.resolve();
    });
    const [one, two] = [await connect(host), await connect(host, {}, { clientCapabilities: { session: { notices: {} } } })];
    const sessionId = await one.newSession();
    await two.call('session/resume', { sessionId, cwd: '/w' });
    await one.prompt(sessionId, 'go');
    expect(one.updates(sessionId)).toEqual([
      { sessionUpdate: 'agent_thought_chunk', messageId: expect.any(String), content: { type: 'text', text: 'By the way.' } }, chunk('Mind this.\nIt is slow.'),
    ]);
    expect(two.updates(sessionId).slice(1)).toEqual([
      { sessionUpdate: 'notice', severity: 'info', title: 'By the way.' },
      { sessionUpdate: 'notice', severity: 'warning', title: 'Mind this.', description: 'It is slow.' },
    ]);
  });

  test('a client that stops reading gets the rest later, in order, and its answer last', async () => {
    const host = await start();
    host.scripts.set('go', async (turn) => {
      for (let i = 0; i < 300; i += 1) {
        turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: `${i} ${'x'.repeat(50)},` });
        if (i % 10 === 0) await new Promise(setImmediate);
      }
    });
    const client = await connect(host, { limits: { softBufferedBytes: 2_000 } });
    const sessionId = await client.newSession();
    client.transport.hold();
    const answer = client.prompt(sessionId, 'go');
    await until(sessionOf(host, sessionId), ({ chats }) => chats[sessionId]?.turns.length === 1);
    expect(client.sent.some(({ result }) => result && 'stopReason' in result)).toBe(false);
    client.transport.release();
    expect(await answer).toEqual({ stopReason: 'end_turn' });
    const text = client.updates(sessionId).map((update) => ('content' in update && update.content && 'text' in update.content ? update.content.text : '')).join('');
    expect(text).toBe(Array.from({ length: 300 }, (_, i) => `${i} ${'x'.repeat(50)},`).join(''));
    expect(client.updates(sessionId).length).toBeLessThan(300);
  });

  test('twenty sessions stream at once in order, and a question in one holds up none', async () => {
    const host = await start();
    host.scripts.set('stream', async (turn) => {
      for (let i = 0; i < 40; i += 1) {
        turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: `${i},` });
        if (i % 7 === 0) await new Promise(setImmediate);
      }
    });
    host.scripts.set('ask', async (turn) => {
      turn.report({ kind: 'tool.started', tool: 't', name: 'shell_command', title: 'Run', toolKind: 'execute', source: 'native' });
      await turn.approve({ tool: 't', name: 'shell_command', toolKind: 'execute', title: 'Run', input: {}, paths: [] });
    });
    const client = await connect(host);
    const blocked = await client.newSession();
    const asking = client.prompt(blocked, 'ask');
    await client.seen(({ method }) => method === 'session/request_permission');
    const sessions = await Promise.all(Array.from({ length: 20 }, () => client.newSession()));
    expect(new Set(sessions).size).toBe(20);
    const answers = await Promise.all(sessions.map((id) => client.prompt(id, 'stream')));
    expect(answers).toEqual(sessions.map(() => ({ stopReason: 'end_turn' })));
    const whole = Array.from({ length: 40 }, (_, i) => `${i},`).join('');
    for (const id of sessions) expect(client.updates(id).map((update) => ('content' in update && update.content && 'text' in update.content ? update.content.text : '')).join('')).toBe(whole);
    client.peer.notify('session/cancel', { sessionId: blocked });
    expect(await asking).toEqual({ stopReason: 'cancelled' });
  });
});

describe('settings', () => {
  const modal: Agent = {
    info: {
      id: 'modal', name: 'Modal', description: '', models: [{ id: 'a', name: 'A' }, { id: 'b', name: 'B' }],
      modes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code', description: 'Writes.' }],
    },
    open: () => Promise.reject(new Error('unused')),
  };
  const option = (id: 'mode' | 'model', currentValue: string) => ({
    type: 'select', id, name: id === 'mode' ? 'Mode' : 'Model', category: id, currentValue,
    options: id === 'mode' ? [{ value: 'ask', name: 'Ask' }, { value: 'code', name: 'Code', description: 'Writes.' }] : [{ value: 'a', name: 'A' }, { value: 'b', name: 'B' }],
  });

  async function modalHost(): Promise<Host> {
    return closing(await Host.start(testWorld(new MemoryStore()), [modal]));
  }

  test('modes and config options are offered in step, and the models of old only to clients of old', async () => {
    const host = await modalHost();
    const [newer, older] = [await connect({ host }), await connect({ host }, {}, { clientInfo: undefined })];
    const answer = {
      sessionId: expect.any(String),
      modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }, { id: 'code', name: 'Code', description: 'Writes.' }] },
      configOptions: [option('mode', 'ask'), option('model', 'a')],
    };
    expect(await newer.call('session/new', { cwd: '/w', mcpServers: [] })).toEqual(answer);
    expect(await older.call('session/new', { cwd: '/w', mcpServers: [] })).toEqual({
      ...answer, models: { currentModelId: 'a', availableModels: [{ modelId: 'a', name: 'A' }, { modelId: 'b', name: 'B' }] },
    });
  });

  test('a change is answered with the whole list and told to every other client', async () => {
    const host = await modalHost();
    const [one, two] = [await connect({ host }), await connect({ host })];
    const sessionId = await one.newSession();
    await two.call('session/resume', { sessionId, cwd: '/w' });
    expect(await one.call('session/set_config_option', { sessionId, configId: 'model', value: 'b' })).toEqual({ configOptions: [option('mode', 'ask'), option('model', 'b')] });
    expect(await one.call('session/set_mode', { sessionId, modeId: 'code' })).toEqual({});
    expect(await one.call('session/set_model', { sessionId, modelId: 'a' })).toEqual({});
    expect(one.updates(sessionId)).toEqual([]);
    expect(two.updates(sessionId)).toEqual([
      { sessionUpdate: 'config_option_update', configOptions: [option('mode', 'ask'), option('model', 'b')] },
      { sessionUpdate: 'config_option_update', configOptions: [option('mode', 'code'), option('model', 'b')] },
      { sessionUpdate: 'current_mode_update', currentModeId: 'code' },
      { sessionUpdate: 'config_option_update', configOptions: [option('mode', 'code'), option('model', 'a')] },
    ]);
  });
});

describe('lists', () => {
  test('pages of started sessions, newest first, by directory, with titles', async () => {
    const host = await start();
    const client = await connect(host, { pageSize: 2 });
    const made: string[] = [];
    for (const cwd of ['/w', '/x', '/w', '/w']) {
      const id = await client.newSession({ cwd, additionalDirectories: cwd === '/x' ? ['/y'] : [] });
      await client.prompt(id, 'hello');
      made.push(id);
    }
    await client.newSession();
    sessionOf(host, made[0] ?? '').dispatch({ kind: 'changeSession', changes: { title: 'First' } }, someone);
    await sessionOf(host, made[0] ?? '').settled();
    const row = (id: string | undefined, more: object) => ({ sessionId: id, updatedAt: expect.stringMatching(/^1970-.*Z$/), ...more });
    const first = (await client.call('session/list')) as { nextCursor: string };
    expect(first).toEqual({ sessions: [row(made[0], { cwd: '/w', title: 'First' }), row(made[3], { cwd: '/w' })], nextCursor: expect.any(String) });
    expect(await client.call('session/list', { cursor: first.nextCursor })).toEqual({ sessions: [row(made[2], { cwd: '/w' }), row(made[1], { cwd: '/x', additionalDirectories: ['/y'] })] });
    expect(await client.call('session/list', { cwd: '/x/' })).toEqual({ sessions: [row(made[1], { cwd: '/x', additionalDirectories: ['/y'] })] });
    expect(await client.call('session/list', { cwd: '/nowhere', cursor: null })).toEqual({ sessions: [] });
  });

  test('a deleted session is gone for everybody, and deleting again is fine', async () => {
    const host = await start();
    host.scripts.set('wait', (turn) => new Promise((resolve) => turn.signal.addEventListener('abort', () => resolve(), { once: true })));
    const [one, two] = [await connect(host), await connect(host)];
    const sessionId = await one.newSession();
    await two.call('session/resume', { sessionId, cwd: '/w' });
    const answer = two.prompt(sessionId, 'wait');
    await until(sessionOf(host, sessionId), ({ chats }) => chats[sessionId]?.active !== undefined);
    expect(await one.call('session/delete', { sessionId })).toEqual({});
    expect(await answer).toEqual({ stopReason: 'cancelled' });
    expect(await one.call('session/delete', { sessionId })).toEqual({});
    expect(await one.call('session/list')).toEqual({ sessions: [] });
    expect(await two.failure('session/load', { sessionId, cwd: '/w', mcpServers: [] })).toEqual({
      code: -32002, message: `There is no session ${sessionId}.`, data: { sessionId },
    });
  });

  test('another chat of a session is a session of its own', async () => {
    const host = await start();
    const session = await host.create('s-1');
    expect(session.dispatch({ kind: 'createChat', chat: 'c-2', origin: { type: 'user' }, title: 'Aside' }, someone)).toBeUndefined();
    const client = await connect(host);
    await session.settled();
    await client.call('session/load', { sessionId: 's-1', cwd: '/w', mcpServers: [] });
    await client.call('session/load', { sessionId: 'c-2', cwd: '/w', mcpServers: [] });
    host.scripts.set('go', (turn) => Promise.resolve(turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'Here.' })));
    await client.prompt('c-2', 'go');
    expect(client.updates('s-1')).toEqual([]);
    expect(client.updates('c-2')).toEqual([{ sessionUpdate: 'session_info_update', title: 'Aside', updatedAt: expect.any(String) }, chunk('Here.')]);
    expect(await client.call('session/delete', { sessionId: 'c-2' })).toEqual({});
    expect(session.state.order).toEqual(['s-1']);
    expect(await client.failure('session/prompt', { sessionId: 'c-2', prompt: [{ type: 'text', text: 'x' }] })).toMatchObject({ code: -32002 });
  });
});

test('a session has its directories and servers of tools; no secret enters the log', async () => {
  const host = await start();
  const client = await connect(host);
  const sessionId = await client.newSession({
    additionalDirectories: ['/x', '/w/'], mcpServers: [
      { name: 'files', command: '/bin/files', args: ['-v'], env: [{ name: 'TOKEN', value: 'secret' }] },
      { type: 'http', name: 'web', url: 'http://127.0.0.1:1/mcp', headers: [{ name: 'Authorization', value: 'secret' }] },
    ],
  });
  expect(sessionOf(host, sessionId).state).toMatchObject({ roots: ['/w', '/x'], agent: 'script', options: {} });
  expect(JSON.stringify([...(host.store.read(sessionId) as Iterable<unknown>)])).not.toContain('secret');
  expect(host.host.toolServers.of(sessionId)).toEqual([
    { type: 'process', name: 'files', command: '/bin/files', args: ['-v'], env: { TOKEN: 'secret' } },
    { type: 'http', name: 'web', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'secret' } },
  ]);
  await client.call('session/delete', { sessionId });
  expect(host.host.toolServers.of(sessionId)).toEqual([]);
});

test('an agent that does not exist is named in the error', async () => {
  const host = await start();
  const client = await connect(host, { agent: 'nobody' });
  expect(await client.failure('session/new', { cwd: '/w', mcpServers: [] })).toMatchObject({ code: -32603, message: 'There is no agent named nobody.' });
});

test('the answer to session/new comes before anything about the session', async () => {
  const host = await start();
  host.host.follow((change) => {
    if (change.kind !== 'added') return;
    const session = host.host.opened(change.summary.id);
    if (session && !isRejection(session)) session.dispatch({ kind: 'changeSession', changes: { title: 'At once' } }, someone);
  });
  const client = await connect(host);
  const sessionId = await client.newSession();
  await client.seen(({ params }) => params?.update?.sessionUpdate === 'session_info_update');
  expect(client.sent.slice(1).map(({ result, params }) => result ?? params?.update)).toEqual([
    expect.objectContaining({ sessionId }), { sessionUpdate: 'session_info_update', title: 'At once', updatedAt: expect.any(String) },
  ]);
});

test('whoever may only look changes nothing by opening a session', async () => {
  const host = await start();
  const owner = await connect(host);
  const sessionId = await owner.newSession();
  await owner.prompt(sessionId, 'x');
  const looking = await connect(host, { role: 'observe' });
  const before = sessionOf(host, sessionId).head.seq;
  const wishes = { mcpServers: [{ name: 's', command: '/bin/s', args: [], env: [] }], additionalDirectories: ['/etc'], systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'x' }] } };
  await looking.call('session/load', { sessionId, cwd: '/w', ...wishes });
  expect([host.host.toolServers.of(sessionId), sessionOf(host, sessionId).head.seq]).toEqual([[], before]);
});
