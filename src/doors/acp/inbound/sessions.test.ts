import { read } from '../../../../test/contracts/logStore.ts';
import { describe, expect, test } from 'vitest';
import { chunk, closing, connect, sessionOf, start } from '../../../../test/kit/acpDoor.ts';
import { testClient, testWorld, until } from '../../../../test/kit/host.ts';
import { MemoryStore } from '../../../../test/kit/memoryStore.ts';
import type { Agent } from '../../../host/agent.ts';
import { Host } from '../../../host/host.ts';

describe('settings', () => {
  const modal: Agent = {
    info: {
      id: 'modal',
      name: 'Modal',
      description: '',
      models: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'B' },
      ],
      modes: [
        { id: 'ask', name: 'Ask' },
        { id: 'code', name: 'Code', description: 'Writes.' },
      ],
      usual: { mode: 'ask', model: 'a' },
    },
    open: () => Promise.reject(new Error('unused')),
  };
  const option = (id: 'mode' | 'model', currentValue: string) => ({
    type: 'select',
    id,
    name: id === 'mode' ? 'Mode' : 'Model',
    category: id,
    currentValue,
    options:
      id === 'mode'
        ? [
            { value: 'ask', name: 'Ask' },
            { value: 'code', name: 'Code', description: 'Writes.' },
          ]
        : [
            { value: 'a', name: 'A' },
            { value: 'b', name: 'B' },
          ],
  });

  async function modalHost(): Promise<Host> {
    return closing(await Host.start(testWorld(new MemoryStore()), [modal]));
  }

  test('modes and config options are offered in step, and the models of old only to clients of old', async () => {
    const host = await modalHost();
    const [newer, older] = [await connect({ host }), await connect({ host }, {}, { clientInfo: undefined })];
    const answer = {
      sessionId: expect.any(String),
      modes: {
        currentModeId: 'ask',
        availableModes: [
          { id: 'ask', name: 'Ask' },
          { id: 'code', name: 'Code', description: 'Writes.' },
        ],
      },
      configOptions: [option('mode', 'ask'), option('model', 'a')],
    };
    expect(await newer.call('session/new', { cwd: '/w', mcpServers: [] })).toEqual(answer);
    expect(await older.call('session/new', { cwd: '/w', mcpServers: [] })).toEqual({
      ...answer,
      models: {
        currentModelId: 'a',
        availableModels: [
          { modelId: 'a', name: 'A' },
          { modelId: 'b', name: 'B' },
        ],
      },
    });
  });

  test('a change is answered with the whole list and told to every other client', async () => {
    const host = await modalHost();
    const [one, two] = [await connect({ host }), await connect({ host })];
    const sessionId = await one.newSession();
    await two.call('session/resume', { sessionId, cwd: '/w' });
    expect(await one.call('session/set_config_option', { sessionId, configId: 'model', value: 'b' })).toEqual(
      { configOptions: [option('mode', 'ask'), option('model', 'b')] },
    );
    expect(await one.call('session/set_mode', { sessionId, modeId: 'code' })).toEqual({});
    expect(await one.call('session/set_model', { sessionId, modelId: 'a' })).toEqual({});
    expect(one.updates(sessionId)).toEqual([]);
    expect(two.updates(sessionId)).toEqual([
      { sessionUpdate: 'config_option_update', configOptions: [option('mode', 'ask'), option('model', 'b')] },
      {
        sessionUpdate: 'config_option_update',
        configOptions: [option('mode', 'code'), option('model', 'b')],
      },
      { sessionUpdate: 'current_mode_update', currentModeId: 'code' },
      {
        sessionUpdate: 'config_option_update',
        configOptions: [option('mode', 'code'), option('model', 'a')],
      },
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
    sessionOf(host, made[0] ?? '').dispatch(
      { kind: 'changeSession', changes: { title: 'First' } },
      testClient,
    );
    await sessionOf(host, made[0] ?? '').settled();
    const row = (id: string | undefined, more: object) => ({
      sessionId: id,
      updatedAt: expect.stringMatching(/^1970-.*Z$/),
      ...more,
    });
    const first = (await client.call('session/list')) as { nextCursor: string };
    expect(first).toEqual({
      sessions: [row(made[0], { cwd: '/w', title: 'First' }), row(made[3], { cwd: '/w' })],
      nextCursor: expect.any(String),
    });
    expect(await client.call('session/list', { cursor: first.nextCursor })).toEqual({
      sessions: [row(made[2], { cwd: '/w' }), row(made[1], { cwd: '/x', additionalDirectories: ['/y'] })],
    });
    expect(await client.call('session/list', { cwd: '/x/' })).toEqual({
      sessions: [row(made[1], { cwd: '/x', additionalDirectories: ['/y'] })],
    });
    expect(await client.call('session/list', { cwd: '/nowhere', cursor: null })).toEqual({ sessions: [] });
  });

  test('a deleted session is gone for everybody, and deleting again is fine', async () => {
    const host = await start();
    host.scripts.set(
      'wait',
      (turn) =>
        new Promise((resolve) => turn.signal.addEventListener('abort', () => resolve(), { once: true })),
    );
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
      code: -32002,
      message: `There is no session ${sessionId}.`,
      data: { sessionId },
    });
  });

  test('another chat of a session is a session of its own', async () => {
    const host = await start();
    const session = await host.create('s-1');
    expect(
      session.dispatch(
        { kind: 'createChat', chat: 'c-2', origin: { type: 'user' }, title: 'Aside' },
        testClient,
      ),
    ).toBeUndefined();
    const client = await connect(host);
    await session.settled();
    await client.call('session/load', { sessionId: 's-1', cwd: '/w', mcpServers: [] });
    await client.call('session/load', { sessionId: 'c-2', cwd: '/w', mcpServers: [] });
    host.scripts.set('go', (turn) =>
      Promise.resolve(turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'Here.' })),
    );
    await client.prompt('c-2', 'go');
    expect(client.updates('s-1')).toEqual([]);
    expect(client.updates('c-2')).toEqual([
      { sessionUpdate: 'session_info_update', title: 'Aside', updatedAt: expect.any(String) },
      chunk('Here.'),
    ]);
    expect(await client.call('session/delete', { sessionId: 'c-2' })).toEqual({});
    expect(session.state.order).toEqual(['s-1']);
    expect(
      await client.failure('session/prompt', { sessionId: 'c-2', prompt: [{ type: 'text', text: 'x' }] }),
    ).toMatchObject({ code: -32002 });
  });
});

test('a session has its directories and servers of tools; no secret enters the log', async () => {
  const host = await start();
  const client = await connect(host);
  const sessionId = await client.newSession({
    additionalDirectories: ['/x', '/w/'],
    mcpServers: [
      { name: 'files', command: '/bin/files', args: ['-v'], env: [{ name: 'TOKEN', value: 'secret' }] },
      {
        type: 'http',
        name: 'web',
        url: 'http://127.0.0.1:1/mcp',
        headers: [{ name: 'Authorization', value: 'secret' }],
      },
    ],
  });
  expect(sessionOf(host, sessionId).state).toMatchObject({
    roots: ['/w', '/x'],
    agent: 'script',
    options: {},
  });
  expect(JSON.stringify(await read(host.store, sessionId))).not.toContain('secret');
  expect(host.host.toolServers.of(sessionId)).toEqual([
    { type: 'process', name: 'files', command: '/bin/files', args: ['-v'], env: { TOKEN: 'secret' } },
    { type: 'http', name: 'web', url: 'http://127.0.0.1:1/mcp', headers: { Authorization: 'secret' } },
  ]);
  await client.call('session/delete', { sessionId });
  expect(host.host.toolServers.of(sessionId)).toEqual([]);
});
