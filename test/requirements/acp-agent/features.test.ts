// Sections 5.4, 6 and 9: what clients are asked, told and may do beyond the baseline, each by its capability.
import { expect, test } from 'vitest';
import { verifies } from '../acp-agent.ts';
import { editor, kinds, place, selected, shell, spoken, working } from './harness.ts';

test(`ACP: ${verifies('elicitation.form')}`, async () => {
  const question =
    'tool ask_user {"question":"Which colour?","options":["red","blue"],"allowFreeform":false}\nsay {{result}}';
  const { client, sessionId } = await working({ clientCapabilities: { elicitation: { form: {} } } });
  const answers: readonly object[] = [
    { action: 'accept', content: { answer: 'blue' } },
    { action: 'decline' },
    { action: 'cancel' },
  ];
  const asks: unknown[] = [];
  client.answer = (method, params: object) => {
    asks.push({ method, ...params });
    return answers[asks.length - 1];
  };
  await client.prompt(sessionId, question);
  expect(asks).toMatchObject([
    {
      method: 'elicitation/create',
      mode: 'form',
      sessionId,
      requestedSchema: {
        type: 'object',
        required: ['answer'],
        properties: { answer: { type: 'string', oneOf: [{ const: 'red' }, { const: 'blue' }] } },
      },
    },
  ]);
  expect(spoken(client, sessionId)).toContain('User answered: blue');
  for (const _ of ['decline', 'cancel'])
    expect(await client.prompt(sessionId, question)).toMatchObject({ stopReason: 'end_turn' });
  expect(spoken(client, sessionId)).toContain('User cancelled the question.');

  const { client: plain, sessionId: other } = await working();
  plain.permission = () => selected('answer-0');
  await plain.prompt(other, question);
  expect(spoken(plain, other)).toContain('User answered: red');
});

test(`ACP: ${verifies('update.notice')}`, async () => {
  const knowing = await working({ clientCapabilities: { session: { notices: {}, compaction: {} } } });
  const plain = await working();
  for (const { client, sessionId } of [knowing, plain]) {
    await client.prompt(sessionId, 'say Hello.');
    await client.prompt(sessionId, '/compact');
  }
  expect(kinds(knowing.client, knowing.sessionId)).toContain('compaction_update');
  expect(
    kinds(plain.client, plain.sessionId).filter((kind) => kind.startsWith('compaction') || kind === 'notice'),
  ).toEqual([]);
  const summary = knowing.client
    .updates(knowing.sessionId)
    .flatMap((update) => (update.sessionUpdate === 'compaction_update' ? [update.status] : []));
  expect(summary.at(-1)).toBe('completed');
  expect(JSON.stringify(plain.client.updates(plain.sessionId))).toContain('summarised');
});

test(`ACP: ${verifies('update.turn-usage')}`, async () => {
  const { client, sessionId } = await working();
  expect(await client.prompt(sessionId, 'usage 10 5\nsay Counted.')).toMatchObject({
    stopReason: 'end_turn',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
  });
});

test(`ACP: ${verifies('session.fork', 'session.title', 'session.archive', 'session.status')}`, async () => {
  const { client, sessionId, cwd } = await working();
  client.permission = () => selected('allow');
  await client.prompt(sessionId, `${shell('echo before')}\nsay Shared past.`);
  const { sessionId: copy } = (await client.call('session/fork', { sessionId, cwd, mcpServers: [] })) as {
    sessionId: string;
  };
  await client.prompt(copy, 'say Only here.');
  const later = await editor();
  await later.call('session/load', { sessionId: copy, cwd, mcpServers: [] });
  expect(spoken(later, copy)).toMatch(/Shared past\.[^]*Only here\./);
  await later.call('session/load', { sessionId, cwd, mcpServers: [] });
  expect(spoken(later, sessionId)).not.toContain('Only here.');

  expect(await client.call('session/set_title', { sessionId: copy, title: 'My copy' })).toEqual({
    title: 'My copy',
  });
  await client.prompt(copy, 'say Still mine.');
  const rows = async (archived: string) =>
    (
      (await client.call('session/list', { cwd: place().workspace, archived })) as {
        sessions: { sessionId: string; title?: string; archived?: boolean }[];
      }
    ).sessions;
  expect((await rows('include')).find((row) => row.sessionId === copy)).toMatchObject({
    title: 'My copy',
    archived: false,
  });
  expect(await client.call('session/archive', { sessionId: copy })).toEqual({});
  expect([
    (await rows('exclude')).some((row) => row.sessionId === copy),
    (await rows('only')).some((row) => row.sessionId === copy),
  ]).toEqual([false, true]);
  expect(await client.call('session/unarchive', { sessionId: copy })).toEqual({});
  expect(await client.call('session/status', { sessionId: copy })).toEqual({ status: 'open' });
  expect(await client.failure('session/status', { sessionId: 'none' })).toMatchObject({ code: -32002 });
});
