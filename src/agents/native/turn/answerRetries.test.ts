import { afterEach, describe, expect, test } from 'vitest';
import { briefItems, nativeRig } from '../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../test/kit/nativeRig.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../model.ts';

const broken: ModelPart = { type: 'error', code: 'network', message: 'It broke.', retryable: true };
const end: ModelPart = { type: 'finish', reason: 'stop' };
const say = (text: string): ModelPart => ({ type: 'text', text });
const think = (text: string): ModelPart => ({ type: 'reasoning', text });

let rig: NativeRig;
afterEach(() => rig.close());

/** A model that gives each request the next of its answers. */
function model(
  answers: readonly (readonly ModelPart[])[],
): LanguageModel & { readonly asked: ModelRequest[] } {
  const asked: ModelRequest[] = [];
  return {
    id: 'x/x',
    name: 'X',
    asked,
    async *stream(request) {
      asked.push(request);
      yield* answers[asked.length - 1] ?? [end];
    },
  };
}

/** Lets all waits of a turn pass, one after the other, and tells how long they were. */
async function play(text: string): Promise<readonly number[]> {
  const waits: number[] = [];
  const over = new AbortController();
  const turn = rig.prompt(text).finally(() => over.abort());
  while (!over.signal.aborted) {
    const [wait] = rig.clock.waiting;
    if (wait !== undefined && wait > 0) waits.push(wait);
    rig.clock.advance(wait ?? 0);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  await turn;
  return waits;
}

describe('an answer that broke off', () => {
  check(
    'before a word is asked for again',
    [[broken], [say('Hello.'), end]],
    ['warning: It broke. Retrying in 2 s (1 of 10).', 'answer: Hello.'],
  );
  check(
    'goes on where it stopped',
    [
      [say('One, two'), broken],
      [say(', three.'), end],
    ],
    ['answer: One, two', 'warning: It broke. Retrying in 2 s (1 of 10).', 'answer: , three.'],
  );
  check(
    'and begins from the start is not shown twice',
    [
      [say('One,'), say(' two'), broken],
      [say('On'), say('e, two, '), say('three.'), end],
    ],
    ['answer: One, two', 'warning: It broke. Retrying in 2 s (1 of 10).', 'answer: , three.'],
  );
  check(
    'and is exactly repeated is not shown twice',
    [
      [say('One, two'), broken],
      [say('One, two'), end],
    ],
    ['answer: One, two', 'warning: It broke. Retrying in 2 s (1 of 10).'],
  );
  check(
    'several times is not shown twice',
    [
      [say('One,'), broken],
      [say('One, two,'), broken],
      [say('One, two, three.'), end],
    ],
    [
      'answer: One,',
      'warning: It broke. Retrying in 2 s (1 of 10).',
      'answer:  two,',
      'warning: It broke. Retrying in 4 s (2 of 10).',
      'answer:  three.',
    ],
  );
  check(
    'and says something else is shown in full',
    [
      [say('One, two'), broken],
      [say('One'), say(' more time.'), end],
    ],
    ['answer: One, two', 'warning: It broke. Retrying in 2 s (1 of 10).', 'answer: One more time.'],
  );
  check(
    'and only begins like before is shown in full',
    [
      [say('One, two'), broken],
      [say('One'), end],
    ],
    ['answer: One, two', 'warning: It broke. Retrying in 2 s (1 of 10).', 'answer: One'],
  );
  check(
    'in a thought is thought anew',
    [
      [think('Hm, le'), broken],
      [think('Hm,'), think(' let me.'), say('Yes.'), end],
    ],
    [
      'reasoning: Hm, le',
      'warning: It broke. Retrying in 2 s (1 of 10).',
      'reasoning: t me.',
      'answer: Yes.',
    ],
  );
  check(
    'in a call ends the call and makes a new one',
    [
      [
        say('Look:'),
        { type: 'tool-call', id: 'a', name: 'read_file', input: '{"path":"a.txt"}' },
        { type: 'tool-start', id: 'b', name: 'run' },
        broken,
      ],
      [
        { type: 'tool-call', id: 'a', name: 'read_file', input: '{"path":"a.txt"}' },
        { type: 'finish', reason: 'calls' },
      ],
      [say('Done.'), end],
    ],
    [
      'answer: Look:',
      'read_file failed',
      'run failed',
      'warning: It broke. Retrying in 2 s (1 of 10).',
      'read_file done',
      'answer: Done.',
    ],
  );

  function check(
    name: string,
    answers: readonly (readonly ModelPart[])[],
    expected: readonly string[],
  ): void {
    test(`an answer that broke off ${name}`, async () => {
      rig = await nativeRig([model(answers)]);
      await play('hi');
      const [turn] = rig.chat().turns;
      expect([briefItems(turn?.items ?? []), turn?.outcome, rig.problems]).toEqual([
        expected,
        { kind: 'completed' },
        [],
      ]);
    });
  }
});

test('the next attempt gets what was shown, and the history afterwards is one answer', async () => {
  const asking = model([[think('Hm.'), say('One, two'), broken], [say(', three.'), end], [end]]);
  rig = await nativeRig([asking]);
  await play('hi');
  await play('again');
  expect(asking.asked[1]?.messages.slice(1)).toMatchObject([
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'One, two' },
      ],
    },
    { role: 'user', content: [{ text: expect.stringContaining('Go on exactly where it stops') }] },
  ]);
  expect(asking.asked[2]?.messages).toMatchObject([
    { role: 'user' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'One, two' },
        { type: 'text', text: ', three.' },
      ],
    },
    { role: 'user' },
  ]);
});

test('the waits grow, and after the last attempt the turn fails with the words of the provider', async () => {
  rig = await nativeRig([model(Array.from({ length: 11 }, () => [broken]))]);
  const waits = await play('hi');
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000, 60_000, 60_000]);
  expect(rig.chat().turns[0]?.outcome).toEqual({
    kind: 'failed',
    problem: { code: 'network', message: 'It broke. Given up after 10 more attempts.' },
  });
});

test('a stop ends the wait at once', async () => {
  const asking = model([
    [say('One'), broken],
    [say('never'), end],
  ]);
  rig = await nativeRig([asking]);
  rig.start('hi');
  await rig.shows((item) => item.type === 'notice');
  rig.session.dispatch(
    { kind: 'stopTurn', chat: rig.session.id, next: 'n' },
    { kind: 'client', door: 'test', client: 'someone' },
  );
  await rig.session.settled();
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect([rig.chat().turns[0]?.outcome, rig.clock.waiting, asking.asked.length]).toEqual([
    { kind: 'cancelled' },
    [],
    1,
  ]);
});
