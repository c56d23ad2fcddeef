import { expect, test } from 'vitest';
import { onAbort } from '../../base/waiting.ts';
import type { Answer, Ask, Rule } from '../../model/event.ts';
import type { Session } from '../session/session.ts';
import type { World } from '../world.ts';
import { askForNetwork } from './networkQuestions.ts';

/** The questions of one run, and what answers the newest of them; `rules` are those of the session. */
function run(rules: readonly Partial<Rule>[] = [], who = 'It', lasting: readonly Partial<Rule>[] = []) {
  const questions: Ask[] = [];
  let answer: (given: Answer) => void = () => {};
  const open = (question: Ask, { signal }: { readonly signal: AbortSignal }) => {
    questions.push(question);
    return new Promise<Answer>((resolve) => {
      answer = resolve;
      onAbort(signal, () => resolve({ kind: 'withdrawn', why: 'gone' }));
    });
  };
  const head = { roots: [], rules };
  const session = { head } as unknown as Session;
  const world = { ids: { next: () => 'id' } } as unknown as World;
  const reach = askForNetwork({ session, world, open, rules: () => lasting as readonly Rule[] }, who);
  const connect = (signal = new AbortController().signal) => reach({ name: 'a.example', port: 443 }, signal);
  const choose = (choice: string) => answer({ kind: 'fields', values: { 'network a.example:443': choice } });
  return { questions, connect, choose, head };
}

const allows = { effect: 'allow', tool: '@network', host: 'a.example:443' } as const;

test.each([
  { what: 'for the session', rules: [allows], isAllowed: true },
  { what: 'for always', lasting: [allows], isAllowed: true },
  { what: 'for another port', rules: [{ ...allows, host: 'a.example:80' }], isAllowed: false },
  { what: 'for a name that begins so', rules: [{ ...allows, host: 'a.example:4430' }], isAllowed: false },
  { what: 'of another kind', rules: [{ effect: 'allow', tool: '*' } as const], isAllowed: false },
])('a rule $what', async ({ rules = [], lasting = [], isAllowed }) => {
  const { questions, connect } = run(rules, 'It', lasting);
  const gone = new AbortController();
  const waiting = connect(gone.signal);
  gone.abort();
  expect([(await waiting).allowed, questions.length]).toEqual([isAllowed, isAllowed ? 0 : 1]);
});

test('a name that was allowed for the session is asked about again once that is taken back', async () => {
  const { questions, connect, choose, head } = run();
  const first = connect();
  await expect.poll(() => questions.length).toBe(1);
  expect(questions[0]).toMatchObject({ about: 'network', remember: [{ host: 'a.example:443' }] });
  head.rules = [allows];
  choose('session');
  expect([await first, await connect()]).toEqual([{ allowed: true }, { allowed: true }]);
  head.rules = [];
  const again = connect();
  await expect.poll(() => questions.length).toBe(2);
  choose('no');
  expect(await again).toMatchObject({ allowed: false });
});

test.each([
  ['$ npm ci', '$ npm ci'],
  ['$ npm ci wants to connect to npmjs.org.\n\ncurl a.example', '$ npm ci wants to connect to npmjs.org. …'],
  [`$ npm ci ${' '.repeat(5_000)}`, `$ npm ci ${' '.repeat(91)} …`],
])('what %j connects to is asked in one short line, and named beside the choices', async (who, shown) => {
  const { questions, connect } = run([], who);
  void connect();
  await expect.poll(() => questions.length).toBe(1);
  expect(questions[0]).toMatchObject({
    message: `${shown} wants to connect to a.example.`,
    questions: [{ message: 'Connect to a.example?' }],
  });
});

test('connections to one name share one question and its answer, also later ones', async () => {
  const { questions, connect, choose } = run();
  const waiting = [connect(), connect()];
  await expect.poll(() => questions.length).toBe(1);
  choose('once');
  const verdicts = await Promise.all([...waiting, connect()]);
  expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true]);
  expect(questions).toHaveLength(1);
});

test('a question is taken back with the last connection that waits for it, and a new one asks again', async () => {
  const { questions, connect, choose } = run();
  const [first, second] = [new AbortController(), new AbortController()];
  const waiting = [connect(first.signal), connect(second.signal)];
  await expect.poll(() => questions.length).toBe(1);
  first.abort();
  const third = connect(second.signal);
  second.abort();
  expect((await Promise.all([...waiting, third])).map(({ allowed }) => allowed)).toEqual([
    false,
    false,
    false,
  ]);
  const again = connect();
  await expect.poll(() => questions.length).toBe(2);
  choose('once');
  expect(await again).toEqual({ allowed: true });
});

test('the end of one connection does not take the question from another one', async () => {
  const { questions, connect, choose } = run();
  const first = new AbortController();
  const waiting = [connect(first.signal), connect()];
  await expect.poll(() => questions.length).toBe(1);
  first.abort();
  choose('once');
  expect(await waiting[1]).toEqual({ allowed: true });
});

test('an answer holds after its connection has ended', async () => {
  const { questions, connect, choose } = run();
  const first = new AbortController();
  const waiting = connect(first.signal);
  await expect.poll(() => questions.length).toBe(1);
  choose('once');
  await waiting;
  first.abort();
  expect(await connect()).toEqual({ allowed: true });
  expect(questions).toHaveLength(1);
});

test('nobody is asked without end by a program that always gives up', async () => {
  const { questions, connect } = run();
  const reasons = new Set<string>();
  for (let at = 0; at < 105; at += 1) {
    const gone = new AbortController();
    const waiting = connect(gone.signal);
    gone.abort();
    const verdict = await waiting;
    reasons.add(verdict.allowed ? '' : verdict.reason);
  }
  expect(questions).toHaveLength(100);
  expect([...reasons].at(-1)).toContain('100 names');
});
