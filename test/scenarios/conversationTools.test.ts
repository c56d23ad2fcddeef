// Tools that work on the conversation, through the real program: the list of tasks every client sees, and
// questions that any of them answers.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brief, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';
import type { Json } from '../../src/model/event.ts';
import type { Loose } from '../kit/wire.ts';

let rig: Talking;
let answer: Loose;

beforeAll(async () => {
  rig = await startConversation({
    capabilities: { askQuestion: true },
    answers: (method) => (method === 'chat/askQuestion' ? answer : new Promise(() => {})),
  });
});
afterAll(() => rig.close());

const model = 'anthropic/claude-sonnet-4-6';
const call = (name: string, input: Json) => `TOOL:${name} ${JSON.stringify(input)}`;

test('a list of tasks is shown as it changes, and goes when it is worked off', async () => {
  const details = (said: readonly Loose[]) =>
    said.flatMap(({ content }) =>
      content.type === 'toolCalled' && content.details?.type === 'task' ? [content.details] : [],
    );
  const planned = await rig.prompt(
    'tasks',
    call('task', {
      op: 'plan',
      tasks: [
        { subject: 'Read', priority: 'high' },
        { subject: 'Write', blocked_by: [1] },
      ],
    }),
    model,
  );
  expect(details(planned).at(-1)).toMatchObject({
    summary: { done: 0, inProgress: 0, pending: 2, total: 2 },
    tasks: [
      { id: 1, subject: 'Read', priority: 'high', isBlocked: false },
      { id: 2, subject: 'Write', isBlocked: true, blockedBy: [1] },
    ],
  });
  const started = await rig.prompt(
    'tasks',
    call('task', { op: 'start', id: 1, active_summary: 'Reading.' }),
    model,
  );
  expect(details(started).at(-1)).toMatchObject({ inProgressTaskIds: [1], activeSummary: 'Reading.' });
  const done = await rig.prompt('tasks', call('task', { op: 'complete', ids: [1, 2] }), model);
  expect(details(done).at(-1)).toMatchObject({ summary: { done: 2, total: 2 } });
  expect(details(await rig.prompt('tasks', 'Next.', model)).at(-1)).toMatchObject({ summary: { total: 0 } });
});

describe('a question to the user', () => {
  check(
    'in own words',
    { question: 'Which name?' },
    {
      asked: { question: 'Which name?', allowFreeform: true },
      answer: { answer: 'Ann', cancelled: false },
      result: 'User answered: Ann',
    },
  );
  check(
    'with a choice',
    {
      question: 'Which?',
      options: [{ label: 'A', description: 'First.' }, { label: 'B' }],
      allowFreeform: false,
    },
    {
      asked: { options: [{ label: 'A', description: 'First.' }, { label: 'B' }], allowFreeform: false },
      answer: { answer: 'B', cancelled: false },
      result: 'User answered: B',
    },
  );
  check(
    'with several choices',
    { question: 'Which?', options: ['A', 'B', 'C'], multiple: true },
    {
      asked: { question: expect.any(String) },
      answer: { answer: 'A, C', cancelled: false },
      result: 'User answered: A, C',
    },
  );
  check(
    'yes or no',
    { question: 'Really?', kind: 'boolean' },
    { asked: {}, answer: { answer: 'yes', cancelled: false }, result: 'User answered: true' },
  );
  check(
    'a number',
    { question: 'How many?', kind: 'integer' },
    { asked: {}, answer: { answer: '3', cancelled: false }, result: 'User answered: 3' },
  );
  check(
    'that is not answered',
    { question: 'Which name?' },
    { asked: {}, answer: { answer: null, cancelled: true }, result: 'User cancelled the question.' },
  );

  function check(
    name: string,
    input: Json,
    expected: { readonly asked: object; readonly answer: object; readonly result: string },
  ): void {
    test(`${name} gets its answer`, async () => {
      answer = expected.answer;
      const from = rig.eca.said.length;
      const said = brief(
        await rig.prompt(`ask-${name.replaceAll(' ', '-')}`, call('ask_user', input), model),
      );
      expect(
        rig.eca.said.slice(from).find(({ method }) => method === 'chat/askQuestion')?.params,
      ).toMatchObject(expected.asked);
      expect(said.at(-1)).toBe(`assistant: The tool said: ${expected.result}\n`);
    });
  }
});
