import { describe, expect, test } from 'vitest';
import type { AcpClient } from '../../../../test/kit/acpClient.ts';
import { chunk, connect, sessionOf, start } from '../../../../test/kit/acpDoor.ts';
import { testClient, until } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { MemoryStore } from '../../../../test/kit/memoryStore.ts';
import { onAbort } from '../../../base/waiting.ts';
import type { Command } from '../../../model/command.ts';
import type { Outcome } from '../../../model/event.ts';

describe('a prompt', () => {
  test('is answered after every update of its turn, and is not repeated to its sender', async () => {
    const host = await start();
    host.scripts.set('go', async (turn) => {
      turn.report({ kind: 'text.added', item: 'thought', channel: 'reasoning', text: 'Hm.' });
      turn.report({ kind: 'text.added', item: 'answer', channel: 'answer', text: 'Hel' });
      await new Promise(setImmediate);
      turn.report({ kind: 'plan.set', entries: [{ text: 'Greet', status: 'done', priority: 'low' }] });
      turn.report({
        kind: 'usage.reported',
        usage: { input: 1, cost: 0.5, context: { used: 10, size: 1000 } },
      });
      turn.report({ kind: 'text.added', item: 'answer', channel: 'answer', text: 'lo' });
    });
    const client = await connect(host);
    const sessionId = await client.newSession();
    expect(await client.prompt(sessionId, 'go')).toEqual({ stopReason: 'end_turn' });
    const [, , answer] = client.sent.filter(({ result }) => result);
    expect(client.sent.indexOf(answer ?? {})).toBe(client.sent.length - 1);
    const turn = sessionOf(host, sessionId).state.chats[sessionId]?.turns[0]?.id;
    expect(client.updates(sessionId)).toEqual([
      {
        sessionUpdate: 'agent_thought_chunk',
        messageId: `${turn}:thought`,
        content: { type: 'text', text: 'Hm.' },
      },
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
    [
      { kind: 'failed', problem: { code: 'provider', message: 'The model is gone.' } },
      { error: { code: -32603, message: 'The model is gone.', data: { code: 'provider' } } },
    ],
    [
      { kind: 'interrupted' },
      {
        error: {
          code: -32603,
          message: 'The turn was interrupted. Send a prompt to continue.',
          data: { code: 'interrupted' },
        },
      },
    ],
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

  test('keeps what was attached and its extensions', async () => {
    const host = await start();
    const client = await connect(host);
    const sessionId = await client.newSession();
    await client.call('session/prompt', {
      sessionId,
      _meta: { trace: 'x' },
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
      id: expect.any(String),
      text: 'Compare [@a b.ts](file:///w/a%20b.ts#L3-5) with this',
      extensions: { trace: 'x' },
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
    const blob = (uri: string, mimeType: string) => ({
      type: 'resource',
      resource: { uri, mimeType, blob: 'eyJhIjoxfQ==' },
    });
    await client.call('session/prompt', {
      sessionId,
      prompt: [
        blob('x:/a.json', 'application/json'),
        blob('x:/a.png', 'image/png'),
        blob('file:///w/a.pdf', 'application/pdf'),
      ],
    });
    expect(sessionOf(host, sessionId).state.chats[sessionId]?.turns[0]?.message.attachments).toEqual([
      { type: 'text', label: 'a.json', text: '{"a":1}', uri: 'x:/a.json' },
      { type: 'image', mediaType: 'image/png', data: 'eyJhIjoxfQ==' },
      { type: 'file', path: '/w/a.pdf' },
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

  const pausing: readonly (readonly [string, (chat: string) => Command])[] = [
    ['stopped together with the queue', (chat) => ({ kind: 'stopTurn', chat, next: 'n', holds: true })],
    ['taken back', (chat) => ({ kind: 'truncateChat', chat })],
  ];

  test.each(pausing)('behind a turn that was %s is given back, too', async (_, pause) => {
    const host = await start();
    host.scripts.set('one', ({ signal }) => new Promise((resolve) => onAbort(signal, resolve)));
    const client = await connect(host);
    const sessionId = await client.newSession();
    const first = client.prompt(sessionId, 'one');
    const second = client.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'two' }] });
    const session = sessionOf(host, sessionId);
    await until(session, ({ chats }) => chats[sessionId]?.queue.length === 1);
    session.dispatch(pause(sessionId), testClient);
    expect(await first).toEqual({ stopReason: 'cancelled' });
    expect(await second).toMatchObject({ data: { code: 'held' } });
    await until(session, ({ chats }) => chats[sessionId]?.queue.length === 0);
  });

  test('behind a turn that failed is given back, not left waiting', async () => {
    const host = await start();
    let fail = () => {};
    const failing = new Promise<void>((resolve) => {
      fail = resolve;
    });
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
    expect(await second).toEqual({
      code: -32603,
      message: 'The prompt was not run because the turn before it failed or was stopped.',
      data: { code: 'held' },
    });
    await until(session, ({ chats }) => chats[sessionId]?.queue.length === 0);
  });

  test('that cannot be stored says so', async () => {
    const store = new MemoryStore();
    const host = await start(store);
    const client = await connect(host);
    const sessionId = await client.newSession();
    store.broken = new Error('The disk is full.');
    expect(
      await client.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] }),
    ).toEqual({
      code: -32603,
      message: 'The session could not be stored: The disk is full.',
      data: { code: 'storage' },
    });
    store.broken = undefined;
  });
});

describe('cancelling', () => {
  /** A turn that says one word and then waits to be stopped. */
  async function running(
    text = 'wait',
  ): Promise<{ host: Rig; client: AcpClient; sessionId: string; answer: Promise<unknown> }> {
    const host = await start();
    host.scripts.set('wait', async (turn) => {
      turn.report({
        kind: 'tool.started',
        tool: 't',
        name: 'shell_command',
        title: 'Run',
        toolKind: 'execute',
        source: 'native',
      });
      await new Promise<void>((resolve) =>
        turn.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
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
    expect(client.updates(sessionId)).toEqual([
      expect.objectContaining({ sessionUpdate: 'tool_call' }),
      toolFailed,
    ]);
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
    expect(await Promise.all([answer, queued])).toEqual([
      { stopReason: 'cancelled' },
      { stopReason: 'cancelled' },
    ]);
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
    expect(
      await client.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'x' }] }),
    ).toEqual({
      code: -32002,
      message: `Session ${sessionId} is not open here; load or resume it first.`,
      data: { sessionId },
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
    sessionOf(host, sessionId).dispatch({ kind: 'stopTurn', chat: sessionId, next: 'n' }, testClient);
    expect(await answer).toEqual({ stopReason: 'cancelled' });
  });
});
