import { expect, test } from 'vitest';
import { attach, connect } from '../../../../test/kit/ahp.ts';
import { attachV1, connectV1, settledV1 } from '../../../../test/kit/ahp/integer1/client.ts';
import type { V1Client } from '../../../../test/kit/ahp/integer1/client.ts';
import { rig, testClient } from '../../../../test/kit/host.ts';
import type { Loose } from '../../../../test/kit/wire.ts';

const uri = 'script:/s1';

async function started() {
  const on = await rig();
  const client = await connectV1(on.host);
  await client.request('createSession', { session: uri, provider: 'script', workingDirectory: 'file:///w' });
  await client.subscribe(uri);
  return { on, client };
}

function say(client: V1Client, turnId: string, text: string): number {
  return client.dispatch({ type: 'session/turnStarted', session: uri, turnId, userMessage: { text } });
}

/** The copy of a client is what a fresh one is given. */
async function agrees(client: V1Client, resource = uri): Promise<void> {
  const fresh = (await client.peer.request('subscribe', { resource })) as Loose;
  expect(settledV1(client.views.get(resource))).toEqual(settledV1(fresh.snapshot.state));
}

test('the first message chooses the version by its shape', async () => {
  const on = await rig();
  const client = attachV1(on.host);
  await expect(client.request('listSessions', {})).rejects.toMatchObject({ code: -32600 });
  await expect(client.request('initialize', { protocolVersion: 0, clientId: 'x' })).rejects.toMatchObject({
    code: -32005,
  });
  await expect(client.request('initialize', { clientId: 'x' })).rejects.toMatchObject({ code: -32602 });
  const hello = await client.request('initialize', {
    protocolVersion: 1,
    clientId: 'x',
    initialSubscriptions: ['agenthost:/root', 'script:/none', 'agenthost:/root'],
    locale: 'en-US',
  });
  expect(hello).toEqual({
    protocolVersion: 1,
    serverSeq: expect.any(Number),
    snapshots: [
      {
        resource: 'agenthost:/root',
        fromSeq: hello.serverSeq,
        state: {
          agents: [
            {
              provider: 'script',
              displayName: 'Script',
              description: 'Does what a test says.',
              models: [{ id: 'script/one', provider: 'script', name: 'One', maxContextWindow: 1000 }],
              protectedResources: [],
            },
          ],
          activeSessions: 0,
          config: { schema: { type: 'object', properties: {} }, values: {} },
        },
      },
    ],
  });
  const both = attachV1(on.host, { id: 'both' });
  expect(
    await both.request('initialize', { protocolVersion: 1, protocolVersions: ['1.0.0'], clientId: 'both' }),
  ).toMatchObject({ protocolVersion: '1.0.0' });
  await on.close();
});

test('a session is made, announced to its maker at once and to others when it has content', async () => {
  const on = await rig();
  const [maker, other] = [
    await connectV1(on.host, { id: 'maker' }),
    await connectV1(on.host, { id: 'other' }),
  ];
  const made = maker.request('createSession', {
    session: uri,
    provider: 'script',
    workingDirectory: 'file:///w',
    model: { id: 'script/one' },
    config: { mode: 'x' },
  });
  const subscribed = maker.subscribe(uri);
  expect(await made).toBeNull();
  expect(maker.said.map(({ params }) => params.notification?.type)).toContain('notify/sessionAdded');
  expect(await subscribed).toMatchObject({
    summary: {
      resource: uri,
      provider: 'script',
      title: '',
      status: 33,
      model: { id: 'script/one' },
      workingDirectory: 'file:///w',
      project: { uri: 'file:///w', displayName: 'w' },
      diffs: [],
    },
    lifecycle: 'ready',
    turns: [],
    config: { values: { mode: 'x' } },
  });
  await expect(maker.request('createSession', { session: uri })).rejects.toMatchObject({ code: -32003 });
  await expect(maker.request('createSession', { session: 'nope:/1' })).rejects.toMatchObject({
    code: -32002,
  });
  await expect(
    maker.request('createSession', { session: 'script:/2', activeClient: { clientId: 'other', tools: [] } }),
  ).rejects.toMatchObject({ code: -32602 });
  expect(await other.request('listSessions', {})).toEqual({ items: [] });
  expect((await maker.request('listSessions', {})).items).toHaveLength(1);
  say(maker, 't1', 'hello');
  const added = await other.wait(({ params }) => params.notification?.type === 'notify/sessionAdded');
  expect(added.params.notification.summary).toMatchObject({ resource: uri, provider: 'script' });
  await maker.action('session/turnComplete');
  expect(await maker.request('disposeSession', { session: uri })).toBeNull();
  await maker.wait(({ params }) => params.notification?.type === 'notify/sessionRemoved');
  expect((await maker.request('listSessions', {})).items).toEqual([]);
  expect((await other.request('listSessions', {})).items).toHaveLength(1);
  await expect(maker.request('disposeSession', { session: 'script:/none' })).rejects.toMatchObject({
    code: -32001,
  });
  expect([...maker.problems, ...other.problems, ...on.problems]).toEqual([]);
  await on.close();
});

test('a turn with reasoning, a tool that was asked about, usage and edits', async () => {
  const { on, client } = await started();
  on.scripts.set('work', async (turn) => {
    turn.report({ kind: 'text.added', item: 'r', channel: 'reasoning', text: 'Hm' });
    turn.report({ kind: 'text.added', item: 'r', channel: 'reasoning', text: 'm.' });
    turn.report({
      kind: 'tool.started',
      tool: 'tc',
      name: 'write_file',
      title: 'Write',
      toolKind: 'edit',
      source: 'native',
    });
    turn.report({
      kind: 'tool.ready',
      tool: 'tc',
      input: { path: '/w/a' },
      title: 'Write a',
      toolKind: 'edit',
      preview: [{ type: 'edit', path: '/w/a', before: 'x\n', after: 'y\n' }],
    });
    await turn.approve({
      tool: 'tc',
      intent: { name: 'write_file', toolKind: 'edit', input: { path: '/w/a' }, paths: ['/w/a'] },
      title: 'Write a?',
      editable: true,
    });
    turn.report({
      kind: 'tool.ended',
      tool: 'tc',
      result: { status: 'done', content: [{ type: 'edit', path: '/w/a', before: 'x\n', after: 'y\n' }] },
    });
    turn.report({ kind: 'usage.reported', usage: { input: 3, output: 4 } });
    turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'Done.' });
  });
  say(client, 't1', 'work');
  const asking = await client.until(uri, (state) =>
    state.activeTurn?.responseParts.some((part: Loose) => part.toolCall?.status === 'pending-confirmation'),
  );
  expect(asking.summary.status).toBe(24);
  const { toolCall } = asking.activeTurn.responseParts[1];
  expect(toolCall).toMatchObject({
    toolName: 'write_file',
    invocationMessage: 'Write a',
    confirmationTitle: 'Write a?',
    editable: true,
    edits: { items: [{ before: { uri: 'file:///w/a' } }] },
  });
  const confirmed = client.dispatch({
    type: 'session/toolCallConfirmed',
    session: uri,
    turnId: 't1',
    toolCallId: 'tc',
    approved: true,
    confirmed: 'user-action',
    selectedOptionId: 'allow-session',
  });
  expect((await client.echo(confirmed)).params).toMatchObject({
    action: { type: 'session/toolCallConfirmed', session: uri, selectedOptionId: 'allow-session' },
  });
  await client.action('session/diffsChanged');
  const again = client.dispatch({
    type: 'session/toolCallConfirmed',
    session: uri,
    turnId: 't1',
    toolCallId: 'tc',
    approved: false,
    reason: 'denied',
  });
  expect((await client.echo(again)).params.rejectionReason).toMatch(/already answered/);
  const view = client.views.get(uri);
  expect(view.turns[0]).toMatchObject({
    state: 'complete',
    usage: { inputTokens: 3, outputTokens: 4 },
    responseParts: [
      { kind: 'reasoning', content: 'Hmm.' },
      {
        toolCall: { status: 'completed', confirmed: 'user-action', selectedOption: { id: 'allow-session' } },
      },
      { kind: 'markdown', content: 'Done.' },
    ],
  });
  expect(view.summary.diffs).toMatchObject([
    { before: { uri: 'file:///w/a' }, after: { uri: 'file:///w/a' }, diff: { added: 1, removed: 1 } },
  ]);
  expect((await client.request('listSessions')).items[0].diffs).toEqual(view.summary.diffs);
  const told = await client.wait(
    ({ method, params }) => method === 'notification' && params.notification.changes?.diffs !== undefined,
  );
  expect(told.params.notification.changes.diffs).toEqual(view.summary.diffs);
  await agrees(client);
  expect(client.problems).toEqual([]);
  await on.close();
});

test('questions, drafts of answers, the queue and steering', async () => {
  const { on, client } = await started();
  on.scripts.set('ask', async (turn) => {
    const answer = await turn.ask({
      kind: 'question',
      message: 'Need info',
      questions: [
        {
          id: 'color',
          message: 'Which?',
          required: true,
          answer: { type: 'one', choices: [{ id: 'r', label: 'Red' }] },
        },
      ],
    });
    turn.log.takeSteering();
    turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: JSON.stringify(answer) });
  });
  say(client, 't1', 'ask');
  const asked = await client.until(uri, (state) => state.inputRequests?.length === 1);
  const [{ id: requestId }] = asked.inputRequests;
  expect(asked.activeTurn.responseParts).toEqual([]);
  const wrong = client.dispatch({
    type: 'session/inputAnswerChanged',
    session: uri,
    requestId,
    questionId: 'color',
    answer: { state: 'draft', value: { kind: 'text', value: 'x' } },
  });
  expect((await client.echo(wrong)).params.rejectionReason).toMatch(/type selected/);
  const empty = client.dispatch({
    type: 'session/inputCompleted',
    session: uri,
    requestId,
    response: 'accept',
  });
  expect((await client.echo(empty)).params.rejectionReason).toMatch(/needs an answer/);
  const draft = client.dispatch({
    type: 'session/inputAnswerChanged',
    session: uri,
    requestId,
    questionId: 'color',
    answer: { state: 'submitted', value: { kind: 'selected', value: 'r' } },
  });
  expect((await client.echo(draft)).params.rejectionReason).toBeUndefined();
  client.dispatch({
    type: 'session/pendingMessageSet',
    session: uri,
    kind: 'queued',
    id: 'q1',
    userMessage: { text: 'next', attachments: [{ type: 'file', uri: 'file:///w/a' }] },
  });
  client.dispatch({
    type: 'session/pendingMessageSet',
    session: uri,
    kind: 'queued',
    id: 'q2',
    userMessage: { text: 'later' },
  });
  client.dispatch({ type: 'session/queuedMessagesReordered', session: uri, order: ['q2'] });
  client.dispatch({
    type: 'session/pendingMessageSet',
    session: uri,
    kind: 'steering',
    id: 's1',
    userMessage: { text: 'but quickly' },
  });
  const gone = client.dispatch({
    type: 'session/pendingMessageRemoved',
    session: uri,
    kind: 'steering',
    id: 'q1',
  });
  expect((await client.echo(gone)).params.rejectionReason).toMatch(/no longer queued/);
  expect(client.views.get(uri)).toMatchObject({
    queuedMessages: [
      { id: 'q2' },
      { id: 'q1', userMessage: { text: 'next', attachments: [{ type: 'file', uri: 'file:///w/a' }] } },
    ],
    steeringMessage: { id: 's1' },
  });
  await agrees(client);
  client.dispatch({ type: 'session/inputCompleted', session: uri, requestId, response: 'accept' });
  await client.until(uri, (state) => state.turns.length === 3);
  expect(client.views.get(uri).turns.map((turn: Loose) => turn.userMessage.text)).toEqual([
    'ask',
    'later',
    'next',
  ]);
  expect(JSON.stringify(client.views.get(uri).turns[0].responseParts)).toContain('but quickly');
  await agrees(client);
  expect(client.problems).toEqual([]);
  await on.close();
});

test('what may not be is rejected to its sender alone, and what concerns nobody is ignored', async () => {
  const { on, client } = await started();
  const other = await connectV1(on.host, { id: 'old-2' });
  await other.subscribe(uri);
  const refusals: readonly (readonly [Loose, RegExp])[] = [
    [{ type: 'session/delta', session: uri, turnId: 't', partId: 'p', content: 'forged' }, /Only the host/],
    [{ type: 'session/bogus', session: uri }, /does not know/],
    [{ type: 'session/turnStarted', session: uri, userMessage: { text: 'no id' } }, /Malformed/],
    [{ type: 'session/turnCancelled', session: uri, turnId: 't' }, /No turn is running|not running/],
    [
      {
        type: 'session/toolCallConfirmed',
        session: uri,
        turnId: 't',
        toolCallId: 'x',
        approved: true,
        confirmed: 'user-action',
      },
      /no such tool call/,
    ],
    [
      { type: 'session/inputCompleted', session: uri, requestId: 'x', response: 'accept' },
      /no such question/,
    ],
    [
      { type: 'session/activeClientChanged', session: uri, activeClient: { clientId: 'old-2', tools: [] } },
      /itself/,
    ],
    [{ type: 'session/activeClientToolsChanged', session: uri, tools: [] }, /not the active client/],
    [
      {
        type: 'session/toolCallComplete',
        session: uri,
        turnId: 't',
        toolCallId: 'x',
        result: { success: true, pastTenseMessage: 'x' },
      },
      /./,
    ],
    [{ type: 'session/truncated', session: uri, turnId: 'none' }, /turn to go back to does not exist/],
    [{ type: 'root/agentsChanged', agents: [] }, /Only the host/],
  ];
  const [heard] = [other.said.length];
  for (const [action, reason] of refusals) {
    const { params } = await client.echo(client.dispatch(action));
    expect(params).toMatchObject({
      action,
      origin: { clientId: 'old-1' },
      rejectionReason: expect.stringMatching(reason),
    });
  }
  expect(other.said.slice(heard)).toEqual([]);
  client.dispatch({ type: 'session/titleChanged', session: 'script:/none', title: 'x' });
  client.dispatch({ type: 'session/titleChanged', title: 'x' });
  client.notify('somethingPrivate', {});
  const last = client.said.length;
  await client.request('listSessions', {});
  expect(client.said.slice(last)).toEqual([]);
  await expect(client.request('bogusMethod', {})).rejects.toMatchObject({ code: -32601 });
  await expect(client.request('subscribe', { resource: 'script:/none' })).rejects.toMatchObject({
    code: -32001,
  });
  await expect(client.request('subscribe', { resource: 'agenthost:/nothing' })).rejects.toMatchObject({
    code: -32008,
  });
  await expect(client.request('authenticate', { resource: 'https://x', token: 't' })).rejects.toMatchObject({
    code: -32007,
  });
  expect(client.problems).toEqual([]);
  await on.close();
});

test('a second turn is rejected while one runs; the model changes after it', async () => {
  const { on, client } = await started();
  let end = () => {};
  on.scripts.set(
    'long',
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  await client.echo(say(client, 't1', 'long'));
  expect((await client.echo(say(client, 't2', 'other'))).params.rejectionReason).toMatch(/turn is running/);
  const model = client.dispatch({ type: 'session/modelChanged', session: uri, model: { id: 'script/one' } });
  const title = client.dispatch({ type: 'session/titleChanged', session: uri, title: 'Named' });
  await client.echo(title);
  expect(client.views.get(uri).summary).toMatchObject({ title: 'Named' });
  expect(client.views.get(uri).summary.model).toBeUndefined();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  end();
  await client.echo(model);
  const types = client.said.flatMap(({ params }) => params.action?.type ?? []);
  expect(types.indexOf('session/modelChanged')).toBeGreaterThan(types.indexOf('session/turnComplete'));
  expect(client.views.get(uri).summary.model).toEqual({ id: 'script/one' });
  for (const action of [
    { type: 'session/isReadChanged', isRead: true },
    { type: 'session/isArchivedChanged', isArchived: true },
    { type: 'session/configChanged', config: { permissions: 'plan' } },
    { type: 'session/truncated' },
  ]) {
    await client.echo(client.dispatch({ ...action, session: uri }));
  }
  expect(client.views.get(uri)).toMatchObject({
    turns: [],
    summary: { status: 97 },
    config: { values: { permissions: 'plan' } },
  });
  await agrees(client);
  await on.close();
});

test('what version 1 sends wrongly comes back with a reason', async () => {
  const { on, client } = await started();
  const bad: readonly (readonly [Loose, RegExp])[] = [
    [{}, /with a type/],
    [null, /with a type/],
    [5, /with a type/],
    [{ type: 'session/modelChanged', session: uri, model: { id: 'nosuch' } }, /no model named nosuch/],
    [{ type: 'session/configChanged', session: uri, config: { nosuch: 1 } }, /nosuch: .* no such setting/],
  ];
  for (const [action, reason] of bad) {
    const { params } = await client.echo(client.dispatch(action));
    expect(params.action).toEqual(action);
    expect(params.rejectionReason).toMatch(reason);
  }
  expect(on.host.opened('s1')?.state).toMatchObject({ model: undefined, clientOptions: {} });
  await agrees(client);
  await on.close();
});

test('one client is active at a time, and releases it', async () => {
  const { on, client } = await started();
  const other = await connectV1(on.host, { id: 'old-2' });
  await other.subscribe(uri);
  const claim = (who: V1Client, tools: readonly Loose[]) =>
    who.dispatch({
      type: 'session/activeClientChanged',
      session: uri,
      activeClient: { clientId: who.id, displayName: 'D', tools },
    });
  expect((await client.echo(claim(client, [{ name: 'a' }]))).params.rejectionReason).toBeUndefined();
  expect((await other.echo(claim(other, []))).params.rejectionReason).toMatch(/Another client/);
  await client.echo(
    client.dispatch({ type: 'session/activeClientToolsChanged', session: uri, tools: [{ name: 'b' }] }),
  );
  expect(other.views.get(uri).activeClient).toEqual({
    clientId: 'old-1',
    displayName: 'D',
    tools: [{ name: 'b' }],
  });
  await client.echo(
    client.dispatch({ type: 'session/activeClientChanged', session: uri, activeClient: null }),
  );
  expect(other.views.get(uri).activeClient).toBeUndefined();
  expect((await other.echo(claim(other, []))).params.rejectionReason).toBeUndefined();
  await agrees(client);
  await on.close();
});

test('a client that lost its connection gets what it missed, or snapshots; also one nobody knows', async () => {
  const { on, client } = await started();
  await client.echo(say(client, 't1', 'one'));
  await client.action('session/diffsChanged');
  await client.close();
  const session = on.host.opened('s1');
  session?.dispatch({ kind: 'changeSession', changes: { title: 'While away' } }, testClient);
  await session?.settled();
  const back = attachV1(on.host, { id: client.id, earlier: client });
  const result = await back.request('reconnect', {
    clientId: client.id,
    lastSeenServerSeq: client.lastSeen(),
    subscriptions: ['agenthost:/root', uri, uri, 'script:/gone'],
  });
  expect(result.type).toBe('replay');
  expect(result).not.toHaveProperty('missing');
  expect(result.actions.filter(({ action }: Loose) => action.type === 'session/titleChanged')).toEqual([
    {
      action: { type: 'session/titleChanged', session: uri, title: 'While away' },
      serverSeq: expect.any(Number),
    },
  ]);
  await agrees(back);
  await back.echo(say(back, 't2', 'two'));
  const stranger = attachV1(on.host, { id: 'never-seen' });
  expect(
    await stranger.request('reconnect', {
      clientId: 'never-seen',
      lastSeenServerSeq: 0,
      subscriptions: ['agenthost:/root', uri],
    }),
  ).toMatchObject({ type: 'snapshot', snapshots: [{ resource: 'agenthost:/root' }, { resource: uri }] });
  const thief = attachV1(on.host, { id: client.id, principal: 'somebody else' });
  await expect(
    thief.request('reconnect', {
      clientId: client.id,
      lastSeenServerSeq: 0,
      subscriptions: ['agenthost:/root'],
    }),
  ).rejects.toMatchObject({ code: -32008 });
  const newer = attach(on.host, { id: 'unknown' });
  await expect(
    newer.request('reconnect', { clientId: 'unknown', lastSeenServerSeq: 0, subscriptions: ['ahp-root://'] }),
  ).rejects.toMatchObject({ code: -32008 });
  expect(back.problems).toEqual([]);
  await on.close();
});

test('other chats of a session are sessions of their own, and those inside tool calls stand below theirs', async () => {
  const { on, client } = await started();
  const newer = await connect(on.host, { id: 'new-1' });
  await newer.request('createChat', {
    channel: uri,
    chat: 'ahp-chat:/second',
    initialMessage: { text: 'hi', origin: { kind: 'user' } },
  });
  const added = await client.wait(
    ({ params }) => params.notification?.summary?.resource === 'script:/second',
  );
  expect(added.params.notification.type).toBe('notify/sessionAdded');
  expect(await client.subscribe('script:/second')).toMatchObject({
    summary: { provider: 'script' },
    lifecycle: 'ready',
  });
  const renamed = client.dispatch({
    type: 'session/titleChanged',
    session: 'script:/second',
    title: 'Second',
  });
  await client.echo(renamed);
  expect([client.views.get(uri).summary.title, client.views.get('script:/second').summary.title]).toEqual([
    '',
    'Second',
  ]);
  const session = on.host.opened('s1');
  session?.dispatch(
    { kind: 'createChat', chat: 'inner', origin: { type: 'tool', chat: 's1', tool: 'tc 1' } },
    testClient,
  );
  await session?.settled();
  expect(await client.subscribe(`${uri}/subagent/tc%201`)).toMatchObject({
    summary: { provider: 'subagent' },
  });
  expect((await client.request('listSessions', {})).items.map(({ resource }: Loose) => resource)).toEqual([
    uri,
    'script:/second',
  ]);
  await expect(client.subscribe(`${uri}/subagent/none`)).rejects.toMatchObject({ code: -32001 });
  await on.close();
});

test('turns are fetched in pages, and a session can begin with the past of another', async () => {
  const { on, client } = await started();
  for (const turn of ['t1', 't2', 't3']) {
    say(client, turn, turn);
    await client.until(uri, (state) => state.turns.at(-1)?.id === turn);
  }
  const ids = async (params: Loose) => {
    const { turns, hasMore } = await client.request('fetchTurns', { session: uri, ...params });
    return [turns.map(({ id }: Loose) => id), hasMore];
  };
  expect(await ids({})).toEqual([['t1', 't2', 't3'], false]);
  expect(await ids({ limit: 2 })).toEqual([['t2', 't3'], true]);
  expect(await ids({ before: 't2', limit: 2 })).toEqual([['t1'], false]);
  await expect(ids({ before: 'none' })).rejects.toMatchObject({ code: -32602 });
  await expect(client.request('fetchTurns', { session: 'script:/none' })).rejects.toMatchObject({
    code: -32001,
  });
  expect(
    await client.request('createSession', { session: 'script:/copy', fork: { session: uri, turnId: 't2' } }),
  ).toBeNull();
  expect((await client.subscribe('script:/copy')).turns.map(({ id }: Loose) => id)).toEqual(['t1', 't2']);
  await expect(
    client.request('createSession', { session: 'script:/copy2', fork: { session: uri, turnId: 'none' } }),
  ).rejects.toMatchObject({ code: -32008 });
  await expect(
    client.request('createSession', { session: 'script:/copy', fork: { session: uri, turnId: 't2' } }),
  ).rejects.toMatchObject({ code: -32003 });
  await on.close();
});
