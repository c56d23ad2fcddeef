import { afterEach, describe, expect, test } from 'vitest';
import { testClient, until } from '../../../../test/kit/host.ts';
import { nativeRig } from '../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../test/kit/nativeRig.ts';
import { bareKnowledge } from '../../../host/settings/projectKnowledge.ts';
import type { Knowledge } from '../../../host/settings/projectKnowledge.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../model.ts';

let rig: NativeRig;
afterEach(() => rig.close());

let asked: ModelRequest[] = [];

/** Answers a prompt at once; a title only when it is told to. */
function model(title: AsyncIterable<ModelPart> | readonly ModelPart[] | undefined): LanguageModel {
  asked = [];
  return {
    id: 'x/x',
    name: 'X',
    ...(title === undefined ? {} : { titles: true as const }),
    variants: ['low', 'high'],
    async *stream(request) {
      asked.push(request);
      yield* request.system.includes('Title generator') ? (title ?? []) : say('ok');
    },
  };
}

const titleRequests = () => asked.filter(({ system }) => system.includes('Title generator'));

const say = (text: string): readonly ModelPart[] => [
  { type: 'text', text },
  { type: 'finish', reason: 'stop' },
];

describe('the name of a conversation', () => {
  check('is what the model says', say('Mend the door'), 'please mend the door', 'Mend the door');
  check(
    'is the first line that says something, plain',
    say('\n\n## "**Mend** the door"\nMore.'),
    'x',
    'Mend the door',
  );
  check(
    'is cut at a word',
    say('A very long title that goes on and on without an end'),
    'x',
    'A very long title that goes on and on…',
  );
  check(
    'is the message where the model fails',
    [{ type: 'error', code: 'overloaded', message: 'No.', retryable: true }],
    'mend the\tdoor',
    'mend the door',
  );
  check('is the message where the model says nothing', say('  \n'), '\n  - mend\nthe door', 'mend');
  check(
    'is the message where the model is not worth asking',
    undefined,
    'mend the door, and then the window, and then the roof',
    'mend the door, and then the window,…',
  );

  function check(
    name: string,
    title: Parameters<typeof model>[0],
    ...[message, expected]: [string, string]
  ): void {
    test(`it ${name}`, async () => {
      rig = await nativeRig([model(title)]);
      await rig.prompt(message);
      await until(rig.session, (state) => state.title !== '');
      expect([rig.session.state.title, rig.session.state.titleBy, rig.problems]).toEqual([
        expected,
        'agent',
        [],
      ]);
    });
  }
});

test('it is asked for once more with the third message, and not where a human has changed it', async () => {
  let count = 0;
  rig = await nativeRig([
    {
      ...model([]),
      async *stream(request: ModelRequest) {
        asked.push(request);
        yield* say(request.system.includes('Title generator') ? `Title ${(count += 1)}` : 'ok');
      },
    },
  ]);
  for (const text of ['one', 'two', 'three', 'four']) await rig.prompt(text);
  await until(rig.session, (state) => state.title === 'Title 2');
  const wishes = titleRequests().map(({ messages }) => messages);
  expect(wishes).toEqual([
    [{ role: 'user', content: [{ type: 'text', text: 'one' }] }],
    [{ role: 'user', content: [{ type: 'text', text: 'one\n\ntwo\n\nthree' }] }],
  ]);
  await rig.close();

  rig = await nativeRig([model(say('Mend'))]);
  await rig.prompt('one');
  await until(rig.session, (state) => state.title !== '');
  rig.session.dispatch({ kind: 'changeSession', changes: { title: 'Mine' } }, testClient);
  for (const text of ['two', 'three']) await rig.prompt(text);
  expect([rig.session.state.title, titleRequests().length]).toEqual(['Mine', 1]);
});

test('it is asked for once, with little effort, beside the answer', async () => {
  rig = await nativeRig([model(say('Mend'))]);
  await rig.prompt('one');
  await until(rig.session, (state) => state.title !== '');
  await rig.prompt('two');
  const titles = titleRequests();
  expect([titles.length, titles[0]?.variant, titles[0]?.tools, asked.length]).toEqual([1, 'low', [], 3]);
});

test('a turn does not wait for it, and a session that is let go does not either', async () => {
  let released = false;
  const hanging = (async function* hang(): AsyncGenerator<ModelPart> {
    try {
      await new Promise<void>((resolve) => {
        titleRequests()[0]?.signal.addEventListener('abort', () => resolve());
      });
    } finally {
      released = true;
    }
    yield* [];
  })();
  rig = await nativeRig([model(hanging)]);
  const turn = await rig.prompt('one');
  expect([turn.outcome, rig.session.state.title, released]).toEqual([{ kind: 'completed' }, '', false]);
  await rig.host.remove(rig.session.id);
  expect([released, rig.session.head.title]).toEqual([true, '']);
});

test('a human who names it first is not asked', async () => {
  rig = await nativeRig([model(say('Mend'))]);
  rig.session.dispatch({ kind: 'changeSession', changes: { title: 'Mine' } }, testClient);
  await rig.prompt('one');
  expect([rig.session.state.title, asked.length]).toEqual(['Mine', 1]);
});

test('it is asked for once the answer has begun', async () => {
  rig = await nativeRig([model(say('Mend'))]);
  await rig.prompt('one');
  await until(rig.session, (state) => state.title !== '');
  expect(asked.map(({ system }) => system.includes('Title generator'))).toEqual([false, true]);
});

test('it is the first line, and nobody is asked, where the answer never begins', async () => {
  const broken: LanguageModel = {
    ...model([]),
    async *stream(request) {
      asked.push(request);
      yield { type: 'error', code: 'auth', message: 'No key.', retryable: false };
    },
  };
  rig = await nativeRig([broken]);
  await rig.prompt('one');
  await until(rig.session, (state) => state.title === 'one');
  expect(asked).toHaveLength(1);
});

test('a turn for a client with a fixed order ends after the title, also after the second one', async () => {
  let count = 0;
  const slow: LanguageModel = {
    ...model([]),
    async *stream(request) {
      const isTitle = request.system.includes('Title generator');
      if (isTitle) await new Promise((resolve) => setTimeout(resolve, 20));
      yield* say(isTitle ? `Title ${(count += 1)}` : 'ok');
    },
  };
  rig = await nativeRig([slow]);
  const titles: string[] = [];
  for (const [index, text] of ['one', 'two', 'three'].entries()) {
    rig.host.workbenches.lend(`m${index + 1}`, { fixedOrder: true });
    await rig.prompt(text);
    titles.push(rig.session.state.title);
  }
  expect(titles).toEqual(['Title 1', 'Title 1', 'Title 2']);
});

describe('hooks before the request', () => {
  const guard = (command: string): Knowledge => {
    const actions = [{ run: { command }, timeout: 10_000 }];
    return {
      now: () => bareKnowledge,
      of: () => Promise.resolve(bareKnowledge),
      hooks: () => [{ name: 'guard', on: 'preRequest', visible: true, actions }],
      watch: () => () => {},
    };
  };
  const sent = () => JSON.stringify(asked.map(({ messages }) => messages));

  test('a message that they block is in no request, now or later', async () => {
    rig = await nativeRig([model(say('Mend'))], {
      knowledge: guard('grep -q hunter2 && { echo "no secrets" >&2; exit 2; }; exit 0'),
    });
    await rig.prompt('my password is hunter2', {
      attachments: [{ type: 'text', label: 'Note', text: 'hunter2 as well' }],
    });
    expect(asked).toEqual([]);
    for (const text of ['two', 'three']) await rig.prompt(text);
    await until(rig.session, (state) => state.title === 'Mend');
    expect(asked).toHaveLength(3);
    expect(sent()).not.toContain('hunter2');
  });

  test('only the text that they put in place of a message is sent', async () => {
    const answer = JSON.stringify({ replacedPrompt: 'log me in' });
    rig = await nativeRig([model(say('Mend'))], { knowledge: guard(`echo '${answer}'`) });
    await rig.prompt('my password is hunter2');
    await until(rig.session, (state) => state.title === 'Mend');
    expect(asked).toHaveLength(2);
    expect(sent()).not.toContain('hunter2');
  });
});
