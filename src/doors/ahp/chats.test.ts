// What can be done with chats and turns besides talking: side chats, moving, marks, going on, reading in
// part.
import { expect, test } from 'vitest';
import { attach } from '../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../test/kit/ahp.ts';
import { ahpRig, checkAgrees, codeOf, takeTurn } from '../../../test/kit/ahpRig.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import type { Loose } from '../../../test/kit/wire.ts';

const { client, host, inSession, open } = ahpRig();

test('a side chat knows what it is about and repeats none of it', async () => {
  const on = await host();
  const given: unknown[] = [];
  on.scripts.set('*', ({ message, history }) => {
    given.push([message.text, message.attachments, history.map(({ id }) => id)]);
    return Promise.resolve();
  });
  const one = await inSession(on);
  for (const id of ['t1', 't2', 't3']) await takeTurn(one, 'ahp-chat:/s1', id, id);
  const source = {
    kind: 'sideChat',
    chat: 'ahp-chat:/s1',
    turnId: 't2',
    selection: { text: 'this line', responsePartId: 'p' },
  };
  expect(
    await one.request('createChat', { channel: 'script:/s1', chat: 'ahp-chat:/side', source }),
  ).toBeNull();
  const { snapshot } = await one.subscribe('ahp-chat:/side');
  expect(snapshot.state).toMatchObject({ turns: [], movable: true, origin: source });
  await takeTurn(one, 'ahp-chat:/side', 'a', 'why?');
  await takeTurn(one, 'ahp-chat:/side', 'b', 'and?');
  expect(given.slice(3)).toEqual([
    ['why?', [{ type: 'text', label: 'What this is about', text: 'this line' }], ['t1', 't2']],
    ['and?', undefined, ['t1', 't2', 'a']],
  ]);
  expect(
    await codeOf(
      one.request('createChat', {
        channel: 'script:/s1',
        chat: 'ahp-chat:/x',
        source: { ...source, turnId: 'none' },
      }),
    ),
  ).toBe(-32008);
  await checkAgrees(one, 'script:/s1', 'ahp-chat:/side', 'ahp-chat:/s1');
});

test('a chat is moved within its session, to another and to a new one, with whoever follows it', async () => {
  const store = new MemoryStore();
  const on = await host(store);
  const [one, two] = [await inSession(on), await inSession(on, { session: 's1', id: 'two' })];
  await inSession(on, { session: 's2', id: 'three' });
  for (const id of ['a', 'b'])
    await one.request('createChat', { channel: 'script:/s1', chat: `ahp-chat:/${id}` });
  for (const each of [one, two]) for (const id of ['a', 'b']) await each.subscribe(`ahp-chat:/${id}`);
  await one.subscribe('script:/s2');
  await takeTurn(one, 'ahp-chat:/a', 't1', 'hello');
  await one.echo(
    one.dispatch('ahp-chat:/a', {
      type: 'chat/draftChanged',
      draft: { text: 'half', origin: { kind: 'user' } },
    }),
  );

  const order = (channel: string) => one.views.get(channel).chats.map(({ resource }: Loose) => resource);
  expect(
    await one.request('moveChat', {
      channel: 'ahp-chat:/b',
      destination: { kind: 'session', session: 'script:/s1', after: 'ahp-chat:/s1' },
    }),
  ).toEqual({ session: 'script:/s1' });
  expect(order('script:/s1')).toEqual(['ahp-chat:/s1', 'ahp-chat:/b', 'ahp-chat:/a']);

  expect(
    await one.request('moveChat', {
      channel: 'ahp-chat:/a',
      destination: { kind: 'session', session: 'script:/s2' },
    }),
  ).toEqual({ session: 'script:/s2' });
  await one.wait(() => order('script:/s2').length === 2);
  expect([order('script:/s1'), order('script:/s2')]).toEqual([
    ['ahp-chat:/s1', 'ahp-chat:/b'],
    ['ahp-chat:/s2', 'ahp-chat:/a'],
  ]);
  await takeTurn(two, 'ahp-chat:/a', 't2', 'still here');
  expect(two.views.get('ahp-chat:/a').turns.map(({ id }: Loose) => id)).toEqual(['t1', 't2']);
  await one.wait(() => one.views.get('ahp-chat:/a').turns.length === 2);
  expect(one.views.get('ahp-chat:/a').draft.text).toBe('half');

  expect(
    await one.request('moveChat', { channel: 'ahp-chat:/a', destination: { kind: 'newSession' } }),
  ).toEqual({ session: 'script:/a' });
  const { snapshot } = await one.subscribe('script:/a');
  expect(snapshot.state).toMatchObject({ defaultChat: 'ahp-chat:/a', chats: [{ resource: 'ahp-chat:/a' }] });
  await takeTurn(two, 'ahp-chat:/a', 't3', 'and here');
  expect(order('script:/s2')).toEqual(['ahp-chat:/s2']);
  await one.wait(() => one.views.get('ahp-chat:/a').turns.length === 3);
  await checkAgrees(one, 'script:/s1', 'script:/s2', 'script:/a', 'ahp-chat:/b');

  const refusals: readonly (readonly [string, unknown, unknown])[] = [
    ['ahp-chat:/s1', { kind: 'newSession' }, -32602],
    ['ahp-chat:/nowhere', { kind: 'newSession' }, -32008],
    ['ahp-chat:/b', { kind: 'session', session: 'script:/nowhere' }, -32001],
    ['ahp-chat:/b', { kind: 'session', session: 'script:/s2', after: 'ahp-chat:/s1' }, -32008],
  ];
  for (const [channel, destination, expected] of refusals)
    expect(await codeOf(one.request('moveChat', { channel, destination }))).toBe(expected);
  on.scripts.set(
    'wait',
    ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve());
      }),
  );
  await one.echo(
    one.dispatch('ahp-chat:/b', {
      type: 'chat/turnStarted',
      turnId: 'w',
      startedAt: '2026-01-01T00:00:00.000Z',
      message: { text: 'wait', origin: { kind: 'user' } },
    }),
  );
  expect(
    await codeOf(one.request('moveChat', { channel: 'ahp-chat:/b', destination: { kind: 'newSession' } })),
  ).toBe(-32004);
  await on.host.close();

  const later = await client(await host(store), { id: 'later' });
  expect(
    ['s1', 's2', 'a'].map((id) => later.peer && on.host.summary(id)?.chats.map((chat) => chat.id)),
  ).toEqual([['s1', 'b'], ['s2'], ['a']]);
  expect((await later.subscribe('ahp-chat:/a')).snapshot.state.turns.map(({ id }: Loose) => id)).toEqual([
    't1',
    't2',
    't3',
  ]);
});

test('chats have marks of their own, which peers of 0.9 do not see, and which survive', async () => {
  const store = new MemoryStore();
  const on = await host(store);
  const [one, old] = [
    await inSession(on),
    await inSession(on, { session: 's1', id: 'old', versions: ['0.9.0'] }),
  ];
  const chat = 'ahp-chat:/s1';
  await takeTurn(one, chat, 't1', 'x');
  expect([one.views.get(chat).status, old.views.get(chat).movable]).toEqual([1, undefined]);
  await one.echo(one.dispatch(chat, { type: 'chat/isReadChanged', isRead: true }));
  await one.echo(one.dispatch(chat, { type: 'chat/isArchivedChanged', isArchived: true }));
  expect([one.views.get(chat).status, one.views.get('script:/s1').chats[0].status]).toEqual([97, 97]);
  await checkAgrees(one, chat, 'script:/s1');
  await checkAgrees(old, chat, 'script:/s1');
  expect(old.views.get('script:/s1').chats[0].status).toBe(1);
  await on.host.close();
  expect((await (await client(await host(store))).subscribe(chat)).snapshot.state.status).toBe(97);
});

test('a turn that broke off goes on, in both versions', async () => {
  const on = await host();
  const given: unknown[] = [];
  on.scripts.set('break', (context) => {
    context.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'Half' });
    return Promise.resolve({ kind: 'failed', problem: { code: 'provider', message: 'It broke.' } });
  });
  on.scripts.set('*', (context) => {
    given.push(context.history.map(({ items }) => items.length));
    context.report({ kind: 'text.added', item: 'b', channel: 'answer', text: ' and whole.' });
    return Promise.resolve();
  });
  const one = await inSession(on);
  const chat = 'ahp-chat:/s1';
  await takeTurn(one, chat, 't1', 'break');
  expect(one.views.get(chat)).toMatchObject({
    status: 2,
    activity: 'It broke.',
    turns: [{ state: 'error', responseParts: [{ content: 'Half' }, { kind: 'error', resumable: true }] }],
  });
  const wrong = one.dispatch(chat, { type: 'chat/turnResume', turnId: 'other' });
  expect((await one.echo(wrong)).params.rejectionReason).toMatch(/last turn/);
  await one.echo(one.dispatch(chat, { type: 'chat/turnResume', turnId: 't1' }));
  await one.wait(() => one.views.get(chat).turns[0]?.state === 'complete');
  expect(one.views.get(chat).turns).toMatchObject([
    { id: 't1', responseParts: [{ content: 'Half' }, { kind: 'error' }, { content: ' and whole.' }] },
  ]);
  expect(given).toEqual([[2]]);
  expect(
    (await one.echo(one.dispatch(chat, { type: 'chat/turnResume', turnId: 't1' }))).params.rejectionReason,
  ).toMatch(/ended normally/);
  await checkAgrees(one, chat, 'script:/s1');
});

test('deltas are gathered as long as a subscriber allows, and end the same', async () => {
  const on = await host();
  on.scripts.set('*', async (context) => {
    for (let i = 0; i < 50; i += 1) {
      context.report({ kind: 'text.added', item: 'a', channel: 'answer', text: `${i} ` });
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  });
  const [fast, slow] = [await inSession(on), await client(on, { id: 'slow' })];
  await slow.request('subscribe', { channel: 'ahp-chat:/s1', delivery: { maxLatencyMs: 200 } });
  await takeTurn(fast, 'ahp-chat:/s1', 't1', 'go');
  await slow.wait(() => slow.views.get('ahp-chat:/s1').turns.length === 1);
  const deltas = (one: AhpClient) =>
    one.said.filter(({ params }) => params?.action?.type === 'chat/delta').length;
  expect(deltas(slow)).toBeLessThan(deltas(fast));
  expect(slow.views.get('ahp-chat:/s1').turns).toEqual(fast.views.get('ahp-chat:/s1').turns);
  expect(slow.problems).toEqual([]);
});

test('a client that has only the newest turns goes back with everybody else', async () => {
  const on = await host();
  const [one, part] = [await inSession(on), await client(on, { id: 'part' })];
  for (let i = 1; i <= 6; i += 1) await takeTurn(one, 'ahp-chat:/s1', `t${i}`, `${i}`);
  await part.request('subscribe', { channel: 'ahp-chat:/s1', view: { turns: 2 } });
  const ids = () => part.views.get('ahp-chat:/s1').turns.map(({ id }: Loose) => id);
  expect(ids()).toEqual(['t5', 't6']);
  const seen = part.lastSeen();
  await part.echo(part.dispatch('ahp-chat:/s1', { type: 'chat/truncated', turnId: 't3' }));
  await part.wait(() => ids().length === 2 && ids()[0] === 't2');
  expect(part.views.get('ahp-chat:/s1').turnsNextCursor).toBe('t2');
  await part.request('fetchTurns', { channel: 'ahp-chat:/s1', cursor: 't2' });
  expect(ids()).toEqual(['t1', 't2', 't3']);
  await takeTurn(part, 'ahp-chat:/s1', 't7', 'on');
  await checkAgrees(part, 'ahp-chat:/s1');
  await part.close();
  const again = attach(on.host, { id: 'part' });
  open.push(() => again.close());
  expect(
    (
      await again.request('reconnect', {
        clientId: 'part',
        lastSeenServerSeq: seen,
        subscriptions: ['ahp-chat:/s1'],
      })
    ).type,
  ).toBe('snapshot');
});

test.each([
  ['as data', { status: 'done', content: [], raw: { exitCode: 0 } }],
  ['in words', { status: 'done', content: [{ type: 'text', text: 'Exit code: 0' }] }],
] as const)('a command with its exit code %s is a terminal, live and later', async (_, result) => {
  const on = await host();
  on.scripts.set('*', async (context) => {
    context.report({
      kind: 'tool.started',
      tool: 'c',
      name: 'shell',
      title: 'ls',
      toolKind: 'execute',
      source: 'native',
    });
    context.report({
      kind: 'tool.ready',
      tool: 'c',
      input: { command: 'ls' },
      title: '$ ls',
      toolKind: 'execute',
      locations: [{ path: '/w' }],
    });
    context.report({ kind: 'tool.running', tool: 'c', basis: { how: 'agent' } });
    context.report({ kind: 'tool.output', tool: 'c', output: { append: 'one\n' } });
    await context.ask({ kind: 'question', message: 'Go on?', questions: [] });
    context.report({ kind: 'tool.output', tool: 'c', output: { append: 'two\n' } });
    context.report({ kind: 'tool.ended', tool: 'c', result });
  });
  const one = await inSession(on);
  const chat = 'ahp-chat:/s1';
  await one.echo(
    one.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: 't1',
      startedAt: '2026-01-01T00:00:00.000Z',
      message: { text: 'x', origin: { kind: 'user' } },
    }),
  );
  await one.wait(() => one.views.get(chat).status === 24);
  const shown = () =>
    [...one.views.get(chat).turns, one.views.get(chat).activeTurn].find(Boolean).responseParts[0].toolCall
      .content[0];
  expect(shown()).toMatchObject({ type: 'terminal', title: '$ ls', isPty: false });
  const { resource } = shown();
  const { snapshot } = await one.subscribe(resource);
  expect(snapshot.state).toMatchObject({
    title: '$ ls',
    cwd: 'file:///w',
    isPty: false,
    lifecycle: { status: 'running' },
    content: [{ value: 'one\n' }],
    claim: { kind: 'session', toolCallId: 'c' },
  });
  expect(
    (await one.echo(one.dispatch(resource, { type: 'terminal/input', data: 'x' }))).params.rejectionReason,
  ).toMatch(/read-only/);
  const [ask] = one.views.get('script:/s1').inputNeeded;
  await one.echo(
    one.dispatch(chat, { type: 'chat/inputCompleted', requestId: ask.request.id, response: 'accept' }),
  );
  await one.wait(() => one.views.get(chat).turns.length === 1);
  expect(one.views.get(resource)).toMatchObject({
    content: [{ value: 'one\ntwo\n' }],
    lifecycle: { status: 'exited', exitCode: 0 },
  });
  expect(shown()).toMatchObject({ result: { exitCode: 0, preview: 'one\ntwo\n' } });
  await checkAgrees(one, resource, chat);
  expect(await codeOf(one.request('subscribe', { channel: `${resource}x` }))).toBe(-32008);
});

test('telemetry that nobody has configured is neither offered nor to be subscribed to', async () => {
  const other = attach((await host()).host, { id: 'client-2' });
  open.push(() => other.close());
  expect(
    await other.request('initialize', { protocolVersions: ['1.0.0'], clientId: 'client-2' }),
  ).not.toHaveProperty('telemetry');
  for (const channel of ['ahp-otlp:/logs', 'ahp-otlp:/traces', 'ahp-otlp:/metrics'])
    expect(await codeOf(other.subscribe(channel))).toBe(-32008);
});
