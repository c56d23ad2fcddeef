// What a client may not do, and what the host says to it.
import { describe, expect, test } from 'vitest';
import { ahpRig, checkAgrees, outcome, turnStarted } from '../../../test/kit/ahpRig.ts';
import type { Loose } from '../../../test/kit/wire.ts';

const { host, inSession } = ahpRig();

describe('what a client may not do', () => {
  const bad: readonly (readonly [string, string, Loose, RegExp])[] = [
    [
      'a delta of the host',
      'ahp-chat:/s1',
      { type: 'chat/delta', turnId: 't', partId: 'p', content: 'forged' },
      /Only the host/,
    ],
    [
      'the end of a turn',
      'ahp-chat:/s1',
      { type: 'chat/turnComplete', turnId: 't', duration: 1 },
      /Only the host/,
    ],
    ['an unknown action', 'ahp-chat:/s1', { type: 'x-private/thing' }, /does not know/],
    ['an action without a type', 'ahp-chat:/s1', {}, /with a type/],
    ['nothing as an action', 'script:/s1', null, /with a type/],
    ['a number as an action', 'ahp-root://', 5, /with a type/],
    [
      'a turn without an id',
      'ahp-chat:/s1',
      { type: 'chat/turnStarted', message: { text: 'x', origin: { kind: 'user' } } },
      /Malformed/,
    ],
    [
      'another default chat',
      'script:/s1',
      { type: 'session/defaultChatChanged', defaultChat: 'ahp-chat:/nowhere' },
      /Only the host/,
    ],
    ['a cancel without a duration', 'ahp-chat:/s1', { type: 'chat/turnCancelled', turnId: 't' }, /Malformed/],
    ['a title without words', 'script:/s1', { type: 'session/titleChanged' }, /Malformed/],
    [
      'a folder of a chat alone',
      'ahp-chat:/s1',
      { type: 'chat/workingDirectorySet', directory: 'file:///v' },
      /working directories of its session/,
    ],
    [
      'no folder of a chat',
      'ahp-chat:/s1',
      { type: 'chat/workingDirectoryRemoved', directory: 'file:///w' },
      /working directories of its session/,
    ],
    [
      'a result of a tool that nobody called',
      'ahp-chat:/s1',
      {
        type: 'chat/toolCallComplete',
        turnId: 't',
        toolCallId: 'tc',
        result: { success: true, pastTenseMessage: '' },
      },
      /./,
    ],
    [
      'an answer nobody asked for',
      'ahp-chat:/s1',
      { type: 'chat/inputAnswerChanged', requestId: 'r', questionId: 'q' },
      /./,
    ],
    [
      'the end of a question nobody asked',
      'ahp-chat:/s1',
      { type: 'chat/inputCompleted', requestId: 'r', response: 'accept' },
      /./,
    ],
    ['a turn without words', 'ahp-chat:/s1', turnStarted('t', ' \n'), /message is empty/],
    [
      'a queued message without words',
      'ahp-chat:/s1',
      {
        type: 'chat/pendingMessageSet',
        kind: 'queued',
        id: 'm',
        message: { text: '', origin: { kind: 'user' }, attachments: [] },
      },
      /message is empty/,
    ],
    ['a turn with an empty id', 'ahp-chat:/s1', turnStarted('', 'x'), /needs an id/],
    [
      'an endless title',
      'script:/s1',
      { type: 'session/titleChanged', title: 'x'.repeat(1_001) },
      /at most 1000 characters/,
    ],
    ['a title that is no text', 'script:/s1', { type: 'session/titleChanged', title: 7 }, /Malformed/],
    ['null where only absence clears', 'ahp-chat:/s1', { type: 'chat/truncated', turnId: null }, /Malformed/],
    ['a chat action on the session', 'script:/s1', turnStarted('t', 'x'), /does not belong/],
    [
      'a session action on the chat',
      'ahp-chat:/s1',
      { type: 'session/isReadChanged', isRead: true },
      /does not belong/,
    ],
    [
      'a session action on the root',
      'ahp-root://',
      { type: 'session/titleChanged', title: 'x' },
      /does not belong/,
    ],
    ['a terminal that is not there', 'script:/s1', { type: 'terminal/input', data: 'x' }, /does not support/],
    [
      'somebody else as active client',
      'script:/s1',
      { type: 'session/activeClientSet', activeClient: { clientId: 'client-9', tools: [] } },
      /itself/,
    ],
    [
      'somebody else as inactive client',
      'script:/s1',
      { type: 'session/activeClientRemoved', clientId: 'client-9' },
      /itself/,
    ],
    [
      'a confirmation nobody asked for',
      'ahp-chat:/s1',
      {
        type: 'chat/toolCallConfirmed',
        turnId: 't',
        toolCallId: 'tc',
        approved: true,
        confirmed: 'user-action',
      },
      /no such tool call/,
    ],
    [
      'a cancel without a turn',
      'ahp-chat:/s1',
      { type: 'chat/turnCancelled', turnId: 't', duration: 1 },
      /./,
    ],
    [
      'a turn that cannot go on',
      'ahp-chat:/s1',
      { type: 'chat/turnResume', turnId: 't' },
      /Only the last turn/,
    ],
    [
      'a working directory elsewhere',
      'script:/s1',
      { type: 'session/workingDirectorySet', directory: 'http://x/' },
      /of this machine/,
    ],
    [
      'no working directory',
      'script:/s1',
      { type: 'session/workingDirectoryRemoved', directory: 'file:///w' },
      /at least one/,
    ],
    [
      'the same working directory',
      'script:/s1',
      { type: 'session/workingDirectorySet', directory: 'file:///w' },
      /already/,
    ],
  ];
  test.each(bad)('%s', async (...[, channel, action, reason]) => {
    const on = await host();
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2' });
    const before = two.said.length;
    const { params } = await one.echo(one.dispatch(channel, action));
    expect(params).toMatchObject({
      channel,
      action,
      serverSeq: one.lastSeen(),
      origin: { clientId: 'client-1' },
    });
    expect(params.rejectionReason).toMatch(reason);
    await two.request('ping');
    expect(two.said.slice(before)).toEqual([]);
    await checkAgrees(one, 'script:/s1');
    await checkAgrees(one, 'ahp-chat:/s1');
  });

  test('actions on channels that are not there, and malformed ones, are ignored', async () => {
    const on = await host();
    const one = await inSession(on);
    const before = one.said.length;
    for (const channel of [
      'script:/nowhere',
      'ahp-chat:/nowhere',
      'ahp-terminal:/t',
      'nonsense',
      'script:/$host',
    ])
      one.dispatch(channel, { type: 'session/titleChanged', title: 'x' });
    one.notify('dispatchAction', {
      channel: 'script:/s1',
      clientSeq: 'no number',
      action: { type: 'session/titleChanged', title: 'x' },
    });
    one.notify('dispatchAction', { channel: 'script:/s1', clientSeq: 1 });
    one.notify('dispatchAction');
    one.notify('unsubscribe', {});
    one.notify('setClientManagedSettingsPermissions', { permissions: {} });
    await one.request('ping');
    expect(one.said.slice(before)).toEqual([]);
    expect(on.problems).toEqual([]);
  });

  const methods: readonly (readonly [string, Loose, number])[] = [
    ['subscribe', { channel: 'script:/nowhere' }, -32001],
    ['subscribe', { channel: 'ahp-chat:/nowhere' }, -32008],
    ['subscribe', { channel: 'ahp-terminal:/x' }, -32008],
    ['subscribe', { channel: 7 }, -32602],
    ['subscribe', {}, -32602],
    ['authenticate', { resource: 'https://x', token: 't' }, -32602],
    ['fetchTurns', { channel: 'ahp-chat:/s1', cursor: 'bogus' }, -32602],
    ['resourceRead', { uri: 'file:///etc/passwd' }, -32009],
    ['resourceRead', { uri: 'parley-content:/s1/s1/t/x/result/0/after' }, -32008],
    ['resourceWrite', { uri: 'file:///x', data: '', encoding: 'utf-8' }, -32601],
    ['moveChat', { channel: 'ahp-chat:/s1', destination: { kind: 'newSession' } }, -32602],
    ['createTerminal', { channel: 'ahp-terminal:/x', claim: { kind: 'client', clientId: 'c' } }, -32601],
    ['createChat', { channel: 'script:/s1', chat: 'ahp-chat:/c', workingDirectories: ['file:///v'] }, -32602],
    ['runAutomation', { channel: 'ahp-automations://', automation: 'x', requestId: 'r' }, -32601],
    ['listAutomationTriggerDefinitions', { channel: 'ahp-root://' }, -32601],
    ['createTcpConnection', { channel: 'ahp-root://' }, -32601],
    ['shutdown', {}, -32601],
    ['no/such/method', {}, -32601],
    ['toString', {}, -32601],
  ];
  test.each(methods)('%s %j', async (method, params, code) => {
    const on = await host();
    const one = await inSession(on);
    expect((await outcome(one.request(method, params))).code).toBe(code);
    expect(on.problems).toEqual([]);
  });

  test('the quiet requests answer as little as they may', async () => {
    const one = await inSession(await host());
    expect(
      await one.request('resolveSessionConfig', { provider: 'script', workingDirectory: 'file:///w' }),
    ).toMatchObject({
      schema: { properties: { permissions: { enum: ['plan', 'ask', 'edits', 'auto', 'full'] } } },
      values: {},
    });
    expect(
      await one.request('completions', { channel: 'script:/s1', kind: 'userMessage', text: '@', offset: 1 }),
    ).toEqual({ items: [] });
    expect(await one.request('fetchTurns', { channel: 'ahp-chat:/s1' })).toEqual({});
    await checkAgrees(one, 'ahp-chat:/s1');
  });
});

test('a question that needs control is not answered by a device that may only approve', async () => {
  const on = await host();
  on.scripts.set(
    'wait',
    ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  );
  const owner = await inSession(on, { id: 'owner' });
  const phone = await inSession(on, { id: 'phone', role: 'approve' });
  await owner.echo(owner.dispatch('ahp-chat:/s1', turnStarted('t1', 'wait')));
  const session = on.host.opened('s1');
  const ask = { kind: 'question', id: 'q', message: 'Trust?', questions: [], needs: 'control' } as const;
  session?.dispatch({ kind: 'openAsk', chat: 's1', turn: 't1', ask }, { kind: 'host' });
  const answer = { type: 'chat/inputCompleted', requestId: 'q', response: 'accept' };
  const said = async (one: typeof owner) => {
    const { params } = await one.echo(one.dispatch('ahp-chat:/s1', answer));
    return params.rejectionReason as unknown;
  };
  expect(await said(phone)).toMatch(/this needs a device that may control everything/);
  expect(await said(owner)).toBeUndefined();
});

test('a device that may only approve answers for the session, and not for good', async () => {
  const on = await host();
  on.scripts.set(
    'wait',
    ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
  );
  const owner = await inSession(on, { id: 'owner' });
  const phone = await inSession(on, { id: 'phone', role: 'approve' });
  await owner.echo(owner.dispatch('ahp-chat:/s1', turnStarted('t1', 'wait')));
  const choices = [
    { id: 'session', label: 'Session' },
    { id: 'always', label: 'Always', needs: 'control' },
  ] as const;
  const ask = {
    kind: 'question',
    id: 'q',
    message: 'Connect?',
    questions: [{ id: 'n', message: 'Connect?', required: true, answer: { type: 'one', choices } }],
    needs: 'approve',
  } as const;
  on.host.opened('s1')?.dispatch({ kind: 'openAsk', chat: 's1', turn: 't1', ask }, { kind: 'host' });
  const said = async (value: string) => {
    const answers = { n: { state: 'submitted', value: { kind: 'selected', value } } };
    const answer = { type: 'chat/inputCompleted', requestId: 'q', response: 'accept', answers };
    const { params } = await phone.echo(phone.dispatch('ahp-chat:/s1', answer));
    return params.rejectionReason as unknown;
  };
  expect(await said('always')).toMatch(/this needs a device that may control everything/);
  expect(await said('session')).toBeUndefined();
});
