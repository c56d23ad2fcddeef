import { describe, expect, test } from 'vitest';
import { acpClient } from '../../../../test/kit/acpClient.ts';
import { closing, connect, sessionOf, start } from '../../../../test/kit/acpDoor.ts';
import type { MemoryClient } from '../../../../test/kit/acpDoor.ts';
import { testClient, until } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import type { NewQuestion } from '../../../host/agent.ts';
import type { Answer } from '../../../model/event.ts';

const choices = [
  { id: 'r', label: 'Red', description: 'Warm' },
  { id: 'b', label: 'Blue' },
];
const form: NewQuestion = {
  kind: 'question',
  message: 'Tell me more.',
  questions: [
    { id: 'name', message: 'Your name?', title: 'Name', required: true, answer: { type: 'text' } },
    { id: 'age', message: 'Your age?', answer: { type: 'integer' } },
    { id: 'sure', message: 'Sure?', answer: { type: 'boolean' } },
    { id: 'colour', message: 'Which one?', required: true, answer: { type: 'one', choices, freeform: true } },
    { id: 'more', message: 'Which ones?', answer: { type: 'many', choices } },
  ],
};
const one: NewQuestion = {
  kind: 'question',
  message: 'Red or blue?',
  questions: [{ id: 'c', message: 'Which?', answer: { type: 'one', choices } }],
};
const signIn: NewQuestion = {
  kind: 'signin',
  message: 'Sign in to go on.',
  url: 'https://example.org/login',
};

interface Asking {
  readonly host: Rig;
  readonly client: MemoryClient;
  readonly sessionId: string;
  /** The answers the agent got. */
  readonly answers: Answer[];
}

async function asking(question: NewQuestion, elicitation?: object): Promise<Asking> {
  const host = await start();
  const answers: Answer[] = [];
  host.scripts.set('ask', async (turn) => void answers.push(await turn.ask(question)));
  const client = await connect(host, {}, { clientCapabilities: { elicitation } });
  return { host, client, answers, sessionId: await client.newSession() };
}

const elicited = ({ method }: { method?: string }) => method === 'elicitation/create';
const permission = ({ method }: { method?: string }) => method === 'session/request_permission';

describe('a client that knows forms', () => {
  test('is shown every kind of field, and its answers reach the agent', async () => {
    const { client, sessionId, answers } = await asking(form, { form: {} });
    client.answer = () => ({
      action: 'accept',
      content: { name: 'Ada', age: 36, sure: true, colour: 'r', more: ['b', 'r'] },
    });
    expect(await client.prompt(sessionId, 'ask')).toMatchObject({ stopReason: 'end_turn' });
    expect((await client.seen(elicited)).params).toEqual({
      mode: 'form',
      sessionId,
      message: 'Tell me more.',
      requestedSchema: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', title: 'Name', description: 'Your name?' },
          age: { type: 'integer', title: 'Your age?' },
          sure: { type: 'boolean', title: 'Sure?' },
          colour: {
            type: 'string',
            title: 'Which one?',
            oneOf: [
              { const: 'r', title: 'Red', description: 'Warm' },
              { const: 'b', title: 'Blue' },
            ],
          },
          colour_other: { type: 'string', title: 'Which one? (other)' },
          more: {
            type: 'array',
            title: 'Which ones?',
            items: {
              anyOf: [
                { const: 'r', title: 'Red', description: 'Warm' },
                { const: 'b', title: 'Blue' },
              ],
            },
          },
        },
      },
    });
    expect(answers).toEqual([
      { kind: 'fields', values: { name: 'Ada', age: 36, sure: true, colour: 'r', more: ['b', 'r'] } },
    ]);
  });

  const replies: readonly (readonly [string, readonly unknown[], Answer])[] = [
    [
      'writes an answer of its own',
      [{ action: 'accept', content: { name: 'x', colour: 'r', colour_other: 'Green' } }],
      { kind: 'fields', values: { name: 'x', colour: 'Green' } },
    ],
    ['declines', [{ action: 'decline' }], { kind: 'declined' }],
    ['dismisses', [{ action: 'cancel' }], { kind: 'declined', reason: 'The request was dismissed.' }],
    [
      'is asked again after a wrong form',
      [
        { action: 'accept', content: { name: 7 } },
        { action: 'accept', content: { name: 'x', colour: 'b' } },
      ],
      { kind: 'fields', values: { name: 'x', colour: 'b' } },
    ],
    [
      'is not asked for ever',
      [{ action: 'accept' }],
      { kind: 'declined', reason: 'The answers of the form were invalid.' },
    ],
  ];

  test.each(replies)('%s', async (_, given, expected) => {
    const { client, sessionId, answers } = await asking(form, { form: {} });
    let count = 0;
    client.answer = () => given[Math.min(count++, given.length - 1)];
    await client.prompt(sessionId, 'ask');
    expect(answers).toEqual([expected]);
  });

  test('the first answer wins: who is still asked is told to stop, and who comes later is asked too', async () => {
    const { host, client, sessionId, answers } = await asking(one, { form: {} });
    client.answer = () => new Promise(() => {});
    const ended = client.prompt(sessionId, 'ask');
    const { id } = await client.seen(elicited);
    const other = await connect(host, {}, { clientCapabilities: { elicitation: { form: {} } } });
    other.answer = () => ({ action: 'accept', content: { c: 'b' } });
    await other.call('session/load', { sessionId, cwd: '/w', mcpServers: [] });
    expect(await ended).toMatchObject({ stopReason: 'end_turn' });
    expect(answers).toEqual([{ kind: 'fields', values: { c: 'b' } }]);
    expect(client.sent).toContainEqual({
      jsonrpc: '2.0',
      method: '$/cancel_request',
      params: { requestId: id },
    });
  });

  test('a client that fails leaves the question open for others', async () => {
    const { host, client, sessionId, answers } = await asking(one, { form: {} });
    const ended = client.prompt(sessionId, 'ask');
    await client.seen(elicited);
    const session = sessionOf(host, sessionId);
    await until(session, ({ chats }) => Object.keys(chats[sessionId]?.asks ?? {}).length === 1);
    await new Promise(setImmediate);
    const [ask = ''] = Object.keys(session.state.chats[sessionId]?.asks ?? {});
    expect(
      session.dispatch(
        { kind: 'answer', chat: sessionId, ask, answer: { kind: 'fields', values: { c: 'r' } } },
        testClient,
      ),
    ).toBeUndefined();
    await ended;
    expect(answers).toEqual([{ kind: 'fields', values: { c: 'r' } }]);
  });
});

describe('a sign-in', () => {
  test('is an address to a client that can open it', async () => {
    const { client, sessionId, answers } = await asking(signIn, { url: {} });
    client.answer = () => ({ action: 'accept' });
    await client.prompt(sessionId, 'ask');
    expect((await client.seen(elicited)).params).toEqual({
      mode: 'url',
      sessionId,
      message: 'Sign in to go on.',
      elicitationId: expect.any(String),
      url: 'https://example.org/login',
    });
    expect(answers).toEqual([{ kind: 'fields', values: {} }]);
  });

  test('that is settled elsewhere is complete', async () => {
    const { client, sessionId } = await asking(signIn, { url: {} });
    client.answer = () => new Promise(() => {});
    const ended = client.prompt(sessionId, 'ask');
    await client.seen(elicited);
    client.peer.notify('session/cancel', { sessionId });
    await ended;
    expect(client.sent.filter(({ method }) => method === 'elicitation/complete').length).toBe(1);
  });
});

describe('a client that knows no forms', () => {
  test.each([undefined, {}, { url: {} }])(
    'with %j is offered the choices as options',
    async (elicitation) => {
      const { client, sessionId, answers } = await asking(one, elicitation);
      client.permission = () => ({ outcome: { outcome: 'selected', optionId: 'answer-1' } });
      await client.prompt(sessionId, 'ask');
      const toolCallId = expect.any(String);
      expect((await client.seen(permission)).params).toEqual({
        sessionId,
        toolCall: {
          toolCallId,
          title: 'Red or blue?',
          kind: 'other',
          status: 'pending',
          content: [{ type: 'content', content: { type: 'text', text: 'Which?' } }],
        },
        options: [
          { optionId: 'answer-0', name: 'Red', kind: 'allow_once' },
          { optionId: 'answer-1', name: 'Blue', kind: 'allow_once' },
          { optionId: 'decline', name: 'Decline', kind: 'reject_once' },
        ],
      });
      expect(answers).toEqual([{ kind: 'fields', values: { c: 'b' } }]);
      expect(client.updates(sessionId)).toEqual([
        expect.objectContaining({ sessionUpdate: 'tool_call', status: 'pending' }),
        { sessionUpdate: 'tool_call_update', toolCallId, status: 'completed' },
      ]);
    },
  );

  test('is told what it cannot show, and may decline it', async () => {
    const { client, sessionId, answers } = await asking(form);
    client.permission = () => ({ outcome: { outcome: 'selected', optionId: 'decline' } });
    await client.prompt(sessionId, 'ask');
    const { params } = await client.seen(permission);
    expect(params?.options?.map(({ optionId }) => optionId)).toEqual(['decline']);
    expect(JSON.stringify(params?.toolCall)).toContain('Answer in another client, or decline');
    expect(answers).toEqual([{ kind: 'declined' }]);
  });

  test('signs in by hand', async () => {
    const { client, sessionId, answers } = await asking(signIn);
    client.permission = () => ({ outcome: { outcome: 'selected', optionId: 'answer-0' } });
    await client.prompt(sessionId, 'ask');
    expect(JSON.stringify((await client.seen(permission)).params?.toolCall)).toContain(
      'https://example.org/login',
    );
    expect(answers).toEqual([{ kind: 'fields', values: {} }]);
  });
});

test.each([{ elicitation: { form: {} } }, {}])(
  'a pipe can tell a question from the next one of the same words: %o',
  async (clientCapabilities) => {
    const host = await start();
    host.scripts.set('ask', async (turn) => {
      await turn.ask(one);
      await turn.ask(one);
    });
    const client = closing(acpClient(host.host, { resumable: true }));
    await client.initialize({ clientCapabilities });
    client.answer = () => ({ action: 'decline' });
    client.permission = () => ({ outcome: { outcome: 'selected', optionId: 'decline' } });
    await client.prompt(await client.newSession(), 'ask');
    const names = client.sent.flatMap((message) =>
      elicited(message) || permission(message) ? [message.params?.['_meta']] : [],
    );
    expect(names).toEqual([
      { 'parley/ask': expect.any(String) as string },
      { 'parley/ask': expect.any(String) as string },
    ]);
    expect(names[0]).not.toEqual(names[1]);
    // A pipe takes these for itself.
    expect(client.problems.filter((problem) => !problem.startsWith('_parley/keep'))).toEqual([]);
  },
);
