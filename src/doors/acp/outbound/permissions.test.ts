import { expect, test } from 'vitest';
import type { AcpClient } from '../../../../test/kit/acpClient.ts';
import { connect, sessionOf, start } from '../../../../test/kit/acpDoor.ts';
import { until } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { RpcError } from '../../../rpc/rpcError.ts';

/** A turn that asks to run a command and says what it was told. */
async function asking(): Promise<{ host: Rig; client: AcpClient; sessionId: string }> {
  const host = await start();
  host.scripts.set('ask', async (turn) => {
    turn.report({
      kind: 'tool.started',
      tool: 't',
      name: 'shell_command',
      title: 'Run',
      toolKind: 'execute',
      source: 'native',
    });
    turn.report({
      kind: 'tool.ready',
      tool: 't',
      input: { command: 'ls', note: 'a\rb' },
      title: 'ls',
      toolKind: 'execute',
      locations: [{ path: '/w/a', line: 3 }],
    });
    const verdict = await turn.approve({
      tool: 't',
      intent: {
        name: 'shell_command',
        toolKind: 'execute',
        input: { command: 'ls' },
        paths: [],
        command: 'ls',
      },
      title: 'ls',
    });
    if (verdict.allowed)
      turn.report({
        kind: 'tool.ended',
        tool: 't',
        result: { status: 'done', content: [{ type: 'text', text: 'a b' }], raw: { code: 0 } },
      });
    turn.report({
      kind: 'text.added',
      item: 'i',
      channel: 'answer',
      text: verdict.allowed ? 'ran' : verdict.reason,
    });
  });
  const client = await connect(host);
  return { host, client, sessionId: await client.newSession() };
}

const asked = (client: AcpClient) => client.seen(({ method }) => method === 'session/request_permission');
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

test('a permission request describes the call and offers every option by its kind', async () => {
  const { client, sessionId } = await asking();
  client.permission = () => selected('allow');
  expect(await client.prompt(sessionId, 'ask')).toEqual({ stopReason: 'end_turn' });
  const toolCallId = expect.stringMatching(/:t$/);
  const described = {
    toolCallId,
    title: 'ls',
    name: 'shell_command',
    kind: 'execute',
    status: 'pending',
    rawInput: { command: 'ls', note: 'a\\rb' },
    locations: [{ path: '/w/a', line: 3 }],
  };
  expect((await asked(client)).params).toEqual({
    sessionId,
    toolCall: described,
    options: [
      { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
      {
        optionId: 'allow-session',
        name: 'Allow for this session: exactly the command "ls"',
        kind: 'allow_always',
      },
      // Neither the first nor the last of its kind.
      { optionId: 'allow-always', name: 'Allow everywhere: exactly the command "ls"', kind: 'allow_always' },
      {
        optionId: 'allow-folder',
        name: 'Allow in this folder: exactly the command "ls"',
        kind: 'allow_always',
      },
      { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
    ],
  });
  expect(client.updates(sessionId)).toEqual([
    {
      sessionUpdate: 'tool_call',
      toolCallId,
      title: 'Run',
      name: 'shell_command',
      kind: 'execute',
      status: 'pending',
    },
    { sessionUpdate: 'tool_call_update', ...described },
    { sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' },
    {
      sessionUpdate: 'tool_call_update',
      toolCallId,
      status: 'completed',
      content: [{ type: 'content', content: { type: 'text', text: '```\na b\n```' } }],
      rawOutput: { code: 0 },
    },
    expect.objectContaining({ content: { type: 'text', text: 'ran' } }),
  ]);
});

const answers: readonly (readonly [string, unknown, string])[] = [
  ['deny', selected('deny'), 'The user refused.'],
  ['a dismissed dialog', { outcome: { outcome: 'cancelled' } }, 'The request was dismissed.'],
];

test.each(answers)('%s refuses the call and the turn goes on', async (_, answer, words) => {
  const { client, sessionId } = await asking();
  client.permission = () => answer;
  await client.prompt(sessionId, 'ask');
  expect(client.updates(sessionId).slice(-2)).toEqual([
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: expect.any(String),
      status: 'failed',
      content: [{ type: 'content', content: { type: 'text', text: words } }],
    },
    expect.objectContaining({ content: { type: 'text', text: words } }),
  ]);
});

test('allowing for the session is not asked again', async () => {
  const { client, sessionId } = await asking();
  client.permission = () => selected('allow-session');
  await client.prompt(sessionId, 'ask');
  await client.prompt(sessionId, 'ask');
  expect(client.sent.filter(({ method }) => method === 'session/request_permission').length).toBe(1);
});

const noAnswers: readonly (readonly [string, () => unknown, string])[] = [
  [
    'an error',
    () => {
      throw new RpcError(-32603, 'No window.');
    },
    'The editor could not ask: No window.',
  ],
  [
    'an option that was not offered',
    () => selected('whatever'),
    'The editor chose an option that was not offered.',
  ],
  ['nonsense', () => ({ outcome: 'yes' }), 'The editor gave an answer that is not valid.'],
  ['null', () => null, 'The editor gave an answer that is not valid.'],
];

test.each(noAnswers)('%s refuses the call, and everybody is told why', async (_, reply, reason) => {
  const { host, client, sessionId } = await asking();
  const other = await connect(host);
  await other.call('session/resume', { sessionId, cwd: '/w' });
  other.permission = () => new Promise(() => {});
  client.permission = reply;
  expect(await client.prompt(sessionId, 'ask')).toEqual({ stopReason: 'end_turn' });
  const state = sessionOf(host, sessionId).state.chats[sessionId];
  expect(state).toMatchObject({ asks: {} });
  for (const each of [client, other])
    await each.seen(({ params }) => JSON.stringify(params ?? {}).includes(reason));
});

test('the first answer wins: the others are told to stop asking, and a late answer changes nothing', async () => {
  const { host, client: one, sessionId } = await asking();
  const two = await connect(host);
  await two.call('session/resume', { sessionId, cwd: '/w' });
  let late = (_: unknown) => {};
  let told = false;
  one.permission = (_, signal) =>
    new Promise((resolve) => {
      late = resolve;
      signal.addEventListener(
        'abort',
        () => {
          told = true;
        },
        { once: true },
      );
    });
  two.permission = () => selected('deny');
  const answer = one.prompt(sessionId, 'ask');
  const { id } = await asked(one);
  expect(await answer).toEqual({ stopReason: 'end_turn' });
  expect(one.sent.filter(({ method }) => method === '$/cancel_request')).toEqual([
    { jsonrpc: '2.0', method: '$/cancel_request', params: { requestId: id } },
  ]);
  expect(two.sent.filter(({ method }) => method === '$/cancel_request')).toEqual([]);
  expect(told).toBe(true);
  late(selected('allow'));
  await pause();
  expect(host.problems).toEqual([]);
  const tool = sessionOf(host, sessionId).state.chats[sessionId]?.turns[0]?.items[0];
  expect(tool).toMatchObject({ result: { status: 'denied' }, approval: { by: { door: 'acp' } } });
});

test('two answers at the same moment: one is taken, the other refused without harm', async () => {
  const { host, client: one, sessionId } = await asking();
  const two = await connect(host);
  await two.call('session/resume', { sessionId, cwd: '/w' });
  let answerOne = (_: unknown) => {};
  let answerTwo = (_: unknown) => {};
  one.permission = () =>
    new Promise((resolve) => {
      answerOne = resolve;
    });
  two.permission = () =>
    new Promise((resolve) => {
      answerTwo = resolve;
    });
  const answer = one.prompt(sessionId, 'ask');
  await Promise.all([asked(one), asked(two)]);
  answerOne(selected('allow'));
  answerTwo(selected('deny'));
  expect(await answer).toEqual({ stopReason: 'end_turn' });
  expect(host.problems).toEqual([]);
  expect(sessionOf(host, sessionId).state.chats[sessionId]?.turns[0]?.items[0]).toMatchObject({
    result: { status: 'done' },
  });
});

test('session/cancel takes the question back, in whatever order the client says so', async () => {
  const { client, sessionId } = await asking();
  client.permission = (_, signal) =>
    new Promise((resolve) =>
      signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }), { once: true }),
    );
  const answer = client.prompt(sessionId, 'ask');
  await asked(client);
  client.peer.notify('session/cancel', { sessionId });
  expect(await answer).toEqual({ stopReason: 'cancelled' });
  await pause();
  expect(client.sent.at(-1)).toMatchObject({ result: { stopReason: 'cancelled' } });
});

test('a client that goes away answers nothing', async () => {
  const { host, client, sessionId } = await asking();
  const gone = client.prompt(sessionId, 'ask').catch((error: Error) => error.message);
  await asked(client);
  await client.close();
  expect(await gone).toBe('Connection closed');
  await pause();
  expect(Object.keys(sessionOf(host, sessionId).state.chats[sessionId]?.asks ?? {}).length).toBe(1);
});

test('a client that comes later is asked, too, and may answer', async () => {
  const { host, client: one, sessionId } = await asking();
  const answer = one.prompt(sessionId, 'ask');
  await asked(one);
  const session = sessionOf(host, sessionId);
  await until(session, ({ chats }) => Object.keys(chats[sessionId]?.asks ?? {}).length === 1);
  const two = await connect(host);
  two.permission = () => selected('allow');
  await two.call('session/load', { sessionId, cwd: '/w', mcpServers: [] });
  expect(await answer).toEqual({ stopReason: 'end_turn' });
  const kinds = two.sent
    .slice(1)
    .map(
      ({ method, params, result }) =>
        params?.update?.sessionUpdate ?? method ?? Object.keys(result ?? {}).join(),
    );
  expect(kinds.slice(0, 5)).toEqual([
    'user_message_chunk',
    'tool_call',
    'tool_call_update',
    'configOptions',
    'session/request_permission',
  ]);
  expect(session.state.chats[sessionId]?.turns[0]?.items[0]).toMatchObject({
    approval: { by: { kind: 'client', door: 'acp', name: 'test' } },
  });
});
