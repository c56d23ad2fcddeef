import { describe, expect, test } from 'vitest';
import { chunk, connect, sessionOf, start } from '../../../../test/kit/acpDoor.ts';
import { testClient, until } from '../../../../test/kit/host.ts';

const text = (words: string) => ({ type: 'text', text: words });

async function talked() {
  const host = await start();
  host.scripts.set('*', (turn) =>
    Promise.resolve(
      turn.report({
        kind: 'text.added',
        item: 'i',
        channel: 'answer',
        text: `NotificationHandler ${turn.message.text}.`,
      }),
    ),
  );
  const client = await connect(host);
  const sessionId = await client.newSession();
  await client.prompt(sessionId, 'one');
  return { host, client, sessionId };
}

test('a fork begins with the same past and goes its own way', async () => {
  const { host, client, sessionId } = await talked();
  const made = (await client.call('session/fork', { sessionId, cwd: '/w' })) as {
    sessionId: string;
    configOptions: unknown;
  };
  expect(made).toMatchObject({ sessionId: expect.any(String), configOptions: expect.any(Array) });
  expect(made.sessionId).not.toBe(sessionId);
  expect(client.updates(made.sessionId)).toEqual([]);
  expect(await client.prompt(made.sessionId, 'two')).toEqual({ stopReason: 'end_turn' });
  expect(client.updates(made.sessionId)).toEqual([chunk('NotificationHandler two.')]);
  const words = (id: string) => sessionOf(host, id).state.chats[id]?.turns.map(({ message }) => message.text);
  expect([words(sessionId), words(made.sessionId)]).toEqual([['one'], ['one', 'two']]);
  const later = await connect(host);
  await later.call('session/load', { sessionId: made.sessionId, cwd: '/w', mcpServers: [] });
  expect(later.updates(made.sessionId)).toMatchObject([
    { content: text('one') },
    { content: text('NotificationHandler one.') },
    { content: text('two') },
    { content: text('NotificationHandler two.') },
  ]);
});

test('a title given by a human is told to the others and stays', async () => {
  const { host, client, sessionId } = await talked();
  const other = await connect(host);
  await other.call('session/resume', { sessionId, cwd: '/w' });
  expect(await client.call('session/set_title', { sessionId, title: 'My own' })).toEqual({ title: 'My own' });
  await other.seen(
    ({ params }) =>
      params?.update?.sessionUpdate === 'session_info_update' && params.update.title === 'My own',
  );
  await expect(
    client.call('session/set_title', { sessionId, title: 'x'.repeat(1_001) }),
  ).rejects.toMatchObject({ code: -32602, message: 'A title has at most 1000 characters.' });
  expect(await client.call('session/list')).toMatchObject({ sessions: [{ sessionId, title: 'My own' }] });
});

test('an archived session is listed only to those who ask for it', async () => {
  const { client, sessionId } = await talked();
  expect(await client.call('session/archive', { sessionId })).toEqual({});
  const listed = async (archived?: string) =>
    ((await client.call('session/list', { archived })) as { sessions: object[] }).sessions;
  expect(await listed()).toEqual([]);
  expect(await listed('exclude')).toEqual([]);
  for (const filter of ['only', 'include'])
    expect(await listed(filter)).toMatchObject([{ sessionId, archived: true }]);
  expect(await client.call('session/unarchive', { sessionId })).toEqual({});
  expect(await listed('only')).toEqual([]);
  expect(await listed()).toMatchObject([{ sessionId }]);
});

test('a session is open while the host has it in memory', async () => {
  const { client, sessionId } = await talked();
  expect(await client.call('session/status', { sessionId })).toEqual({ status: 'open' });
});

test('a plan is an operation to a client that knows them, live and replayed, and a plan to others', async () => {
  const host = await start();
  host.scripts.set('go', (turn) =>
    Promise.resolve(
      turn.report({ kind: 'plan.set', entries: [{ text: 'Greet', status: 'active', priority: 'low' }] }),
    ),
  );
  host.scripts.set('done', (turn) => Promise.resolve(turn.report({ kind: 'plan.set', entries: [] })));
  const client = await connect(host, {}, { clientCapabilities: { plan: {} } });
  const sessionId = await client.newSession();
  const entries = [{ content: 'Greet', priority: 'low', status: 'in_progress' }];
  const operation = {
    sessionUpdate: 'plan_update',
    plan: { type: 'items', planId: sessionId, id: sessionId, entries },
  };
  await client.prompt(sessionId, 'go');
  expect(client.updates(sessionId)).toEqual([operation]);
  const [same, plain] = [await connect(host, {}, { clientCapabilities: { plan: {} } }), await connect(host)];
  for (const each of [same, plain]) await each.call('session/load', { sessionId, cwd: '/w', mcpServers: [] });
  expect(same.updates(sessionId).at(-1)).toEqual(operation);
  expect(plain.updates(sessionId).at(-1)).toEqual({ sessionUpdate: 'plan', entries });
  await client.prompt(sessionId, 'done');
  expect(client.updates(sessionId).at(-1)).toEqual({
    sessionUpdate: 'plan_removed',
    planId: sessionId,
    id: sessionId,
  });
});

test('the answer to a prompt tells what its turn has used, where that was counted', async () => {
  const host = await start();
  const usage = { input: 110, output: 5, cacheRead: 100 };
  host.scripts.set('go', (turn) => Promise.resolve(turn.report({ kind: 'usage.reported', usage })));
  const client = await connect(host);
  const sessionId = await client.newSession();
  expect(await client.prompt(sessionId, 'go')).toEqual({
    stopReason: 'end_turn',
    usage: { totalTokens: 115, inputTokens: 10, outputTokens: 5, cachedReadTokens: 100 },
  });
  expect(await client.prompt(sessionId, 'nothing')).toEqual({ stopReason: 'end_turn' });
});

test('a compaction is told as one where it is known, and in words otherwise', async () => {
  const { host, client, sessionId } = await talked();
  const knows = await connect(host, {}, { clientCapabilities: { session: { compaction: {} } } });
  await knows.call('session/resume', { sessionId, cwd: '/w' });
  const session = sessionOf(host, sessionId);
  const after = session.state.chats[sessionId]?.turns[0]?.id ?? '';
  session.dispatch(
    { kind: 'compactChat', chat: sessionId, summary: 'We said one.', after },
    { kind: 'agent', agent: 'script' },
  );
  await session.settled();
  const compactionId = expect.any(String);
  expect(knows.updates(sessionId)).toEqual([
    {
      sessionUpdate: 'compaction_update',
      compactionId,
      status: 'completed',
      summary: [text('We said one.')],
    },
  ]);
  expect(client.updates(sessionId).at(-1)).toMatchObject({
    sessionUpdate: 'agent_thought_chunk',
    content: text('\n\nThe conversation was summarised.\nWe said one.\n\n'),
  });
});

test('what others have queued is seen by those who did not write it', async () => {
  const host = await start();
  let end = () => {};
  host.scripts.set(
    'wait',
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  const client = await connect(host, {}, { clientCapabilities: { session: { notices: {} } } });
  const sessionId = await client.newSession();
  const first = client.prompt(sessionId, 'wait');
  const session = sessionOf(host, sessionId);
  await until(session, ({ chats }) => chats[sessionId]?.active !== undefined);
  const mine = client.prompt(sessionId, 'mine');
  session.dispatch(
    { kind: 'queueMessage', chat: sessionId, lane: 'queue', turn: 't', message: { id: 'm', text: 'theirs' } },
    testClient,
  );
  await until(session, ({ chats }) => chats[sessionId]?.queue.length === 2);
  expect(client.updates(sessionId)).toEqual([
    { sessionUpdate: 'notice', severity: 'info', title: 'Queued: theirs' },
  ]);
  end();
  await Promise.all([first, mine]);
});

describe('sub-agents', () => {
  /** A session whose chat has called a tool that began another chat, which asks before it goes on. */
  async function delegating(subagents: boolean) {
    const host = await start();
    host.scripts.set('child', async (turn) => {
      turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'I look.' });
      turn.report({
        kind: 'tool.started',
        tool: 't',
        name: 'write_file',
        title: 'Write a.txt',
        toolKind: 'edit',
        source: 'native',
      });
      turn.report({ kind: 'tool.ready', tool: 't', input: {}, title: 'Write a.txt', toolKind: 'edit' });
      const { allowed } = await turn.approve({
        tool: 't',
        intent: { name: 'write_file', toolKind: 'edit', input: {}, paths: ['/x/a.txt'] },
        title: 'Write a.txt',
      });
      turn.report({
        kind: 'text.added',
        item: 'j',
        channel: 'answer',
        text: allowed ? 'Done.' : 'Not done.',
      });
    });
    host.scripts.set(
      'parent',
      (turn) =>
        new Promise((resolve) => {
          turn.report({
            kind: 'tool.started',
            tool: 'call',
            name: 'spawn',
            title: 'Delegate',
            toolKind: 'other',
            source: 'native',
          });
          turn.report({ kind: 'tool.ready', tool: 'call', input: {}, title: 'Delegate', toolKind: 'other' });
          const session = sessionOf(host, turn.session.id);
          session.dispatch(
            {
              kind: 'createChat',
              chat: 'child-1',
              origin: { type: 'tool', chat: turn.session.chat, tool: 'call' },
              title: 'Helper',
            },
            testClient,
          );
          session.dispatch(
            { kind: 'startTurn', chat: 'child-1', turn: 'ct', message: { id: 'cm', text: 'child' } },
            testClient,
          );
          void until(session, ({ chats }) => (chats['child-1']?.turns.length ?? 0) > 0).then(() => resolve());
        }),
    );
    const client = await connect(host, {}, subagents ? { clientCapabilities: { subagents: {} } } : {});
    client.permission = () => ({ outcome: { outcome: 'selected', optionId: 'allow' } });
    const sessionId = await client.newSession();
    return { host, client, sessionId };
  }

  test('are announced before anything is heard of them, and asked for in their own name', async () => {
    const { host, client, sessionId } = await delegating(true);
    expect(await client.prompt(sessionId, 'parent')).toEqual({ stopReason: 'end_turn' });
    await client.seen(({ params }) => JSON.stringify(params?.update ?? null).includes('Done.'));
    const told = client.sent.filter(
      ({ params }) =>
        params?.sessionId === 'child-1' ||
        (params?.update as { sessionId?: string } | undefined)?.sessionId === 'child-1',
    );
    expect(told[0]?.params).toMatchObject({
      sessionId,
      update: {
        sessionUpdate: 'subagent_update',
        sessionId: 'child-1',
        title: 'Helper',
        capabilities: { cancel: {} },
      },
    });
    const states = client
      .updates(sessionId)
      .flatMap((update) => (update.sessionUpdate === 'subagent_update' ? [update.state] : []));
    expect(states).toContainEqual({ state: 'requires_action' });
    expect(states.at(-1)).toEqual({ state: 'idle', stopReason: 'end_turn' });
    expect(client.updates('child-1')).toEqual(
      expect.arrayContaining([chunk('I look.', 'ct:i'), chunk('Done.', 'ct:j')]),
    );
    expect(
      client.sent
        .filter(({ method }) => method === 'session/request_permission')
        .map(({ params }) => params?.sessionId),
    ).toEqual(['child-1']);
    const later = await connect(host, {}, { clientCapabilities: { subagents: {} } });
    await later.call('session/load', { sessionId, cwd: '/w', mcpServers: [] });
    expect(later.updates(sessionId)).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'subagent_update', sessionId: 'child-1' }),
    );
    expect(await later.call('session/list')).toMatchObject({ sessions: [{ sessionId }] });
  });

  test('ask in the session itself where the client does not know them', async () => {
    const { client, sessionId } = await delegating(false);
    expect(await client.prompt(sessionId, 'parent')).toEqual({ stopReason: 'end_turn' });
    expect(
      client.sent
        .filter(({ method }) => method === 'session/request_permission')
        .map(({ params }) => params?.sessionId),
    ).toEqual([sessionId]);
    expect(client.sent.filter(({ params }) => params?.sessionId === 'child-1')).toEqual([]);
  });
});
