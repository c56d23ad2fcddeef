import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { testClient } from '../../../../../test/kit/host.ts';
import { briefItems, nativeRig } from '../../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../../test/kit/nativeRig.ts';
import type { LanguageModel, ModelMessage, ModelPart, ModelRequest } from '../../model.ts';

let rig: NativeRig;
let requests: ModelRequest[];

/** A model that does what a test says, request by request; titles are none of its business. */
async function open(
  answer: (request: ModelRequest, at: number) => readonly (ModelPart | 'hang')[],
  more: number | Partial<LanguageModel> = 100_000,
): Promise<void> {
  requests = [];
  const model: LanguageModel = {
    id: 'm/m',
    name: 'Em',
    ...(typeof more === 'number' ? { context: more } : { context: 100_000, ...more }),
    async *stream(request) {
      requests.push(request);
      for (const part of answer(request, requests.length - 1)) {
        if (part === 'hang') await new Promise(() => {});
        else yield part;
      }
    },
  };
  rig = await nativeRig([model]);
}
afterEach(() => rig.close());

const done: ModelPart = { type: 'finish', reason: 'stop' };
const words = (text: string, used = 0): readonly ModelPart[] => [
  { type: 'text', text },
  ...(used > 0 ? [{ type: 'usage', usage: { input: used, output: 0 } } as const] : []),
  done,
];
const called = (name: string, input: object): readonly ModelPart[] => [
  { type: 'tool-call', id: '', name, input: JSON.stringify(input) },
  { type: 'usage', usage: { input: 90, output: 10 } },
  { type: 'finish', reason: 'calls' },
];
const summary = called('compact_chat', { summary: 'They greeted each other.' });
const tooLong: readonly ModelPart[] = [
  { type: 'error', code: 'context-overflow', message: 'Too long.', retryable: false },
];

const isSummarising = ({ messages }: ModelRequest) =>
  JSON.stringify(messages.at(-1)).includes('by calling compact_chat');

function told(messages: readonly ModelMessage[] | undefined): readonly string[] {
  return (messages ?? []).map((message) =>
    message.role === 'tool'
      ? `tool ${message.results.map(({ text }) => text).join('|')}`
      : `${message.role} ${message.content.map((part) => (part.type === 'call' ? `<${part.name}>` : part.type === 'image' || part.type === 'served' ? part.type : part.text)).join('|')}`,
  );
}

const greeting = 'user Summary of the conversation so far:\n\nThey greeted each other.';

test('a conversation that fills the context is compacted before the next request, which begins with the summary', async () => {
  await open((request, at) => (isSummarising(request) ? summary : words('Hello.', at === 0 ? 80_000 : 100)));
  await rig.prompt('Hi.');
  const turn = await rig.prompt('How are you?');
  expect(briefItems(turn.items)).toEqual([
    'info: The conversation fills 80 % of what Em can hold and is compacted.',
    'compact_chat done',
    'answer: Hello.',
  ]);
  expect(told(requests.at(-1)?.messages)).toEqual([greeting, 'user How are you?']);
  expect(rig.chat().compaction).toEqual({
    summary: 'They greeted each other.',
    after: turn.id,
    item: turn.items[1]?.id,
    trigger: 'automatic',
  });
  await rig.prompt('And now?');
  expect(told(requests.at(-1)?.messages).slice(0, 2)).toEqual([greeting, 'user How are you?']);
});

test('the request for a summary has the same beginning as every other one, for the sake of caches', async () => {
  await open((request) => (isSummarising(request) ? summary : words('Hello.', 80_000)));
  await rig.prompt('Hi.');
  await rig.prompt('How are you?');
  const [first, second] = requests;
  expect([second?.system, second?.tools]).toEqual([first?.system, first?.tools]);
  expect(told(second?.messages).slice(0, 3)).toEqual(['user Hi.', 'assistant Hello.', 'user How are you?']);
});

test('in the middle of a turn the message stays word for word, and the model is told to go on', async () => {
  await open((request, at) =>
    isSummarising(request)
      ? summary
      : at === 0
        ? [
            ...called('read_file', { path: 'a.txt' }).slice(0, 1),
            { type: 'usage', usage: { input: 90_000, output: 0 } },
            { type: 'finish', reason: 'calls' },
          ]
        : words('Done.'),
  );
  const turn = await rig.prompt('Read it.');
  expect(briefItems(turn.items)).toEqual([
    'read_file done',
    'info: The conversation fills 90 % of what Em can hold and is compacted.',
    'compact_chat done',
    'answer: Done.',
  ]);
  expect(told(requests.at(-1)?.messages)).toEqual([
    greeting,
    'user Read it.',
    'user A part of the work on this message is done already, as the summary says. Go on from there, ' +
      'and do not begin again.',
  ]);
  expect(turn.usage?.context).toEqual({ used: expect.any(Number), size: 100_000 });
});

describe('a provider that finds the conversation too long', () => {
  test('gets it once more after it was compacted', async () => {
    await open((request, at) =>
      isSummarising(request) ? summary : at === 1 ? tooLong : words('Hello.', 10),
    );
    await rig.prompt('Hi.');
    const turn = await rig.prompt('How are you?');
    expect(briefItems(turn.items)).toEqual([
      'info: Context window exceeded. Auto-compacting conversation...',
      'compact_chat done',
      'answer: Hello.',
    ]);
    expect(turn.outcome).toEqual({ kind: 'completed' });
  });
  test('is not asked a third time', async () => {
    await open((request, at) => (isSummarising(request) ? summary : at >= 1 ? tooLong : words('Hello.', 10)));
    await rig.prompt('Hi.');
    const turn = await rig.prompt('How are you?');
    expect(turn.outcome).toEqual({
      kind: 'failed',
      problem: { code: 'context-overflow', message: 'Too long.' },
    });
    expect(requests).toHaveLength(4);
  });
  test('gets less and less to summarise until it fits', async () => {
    await open((request, at) =>
      isSummarising(request)
        ? told(request.messages).length > 3
          ? tooLong
          : summary
        : at === 3
          ? tooLong
          : words('Hello.', 10),
    );
    for (const text of ['One.', 'Two.', 'Three.']) await rig.prompt(text);
    expect((await rig.prompt('Four.')).outcome).toEqual({ kind: 'completed' });
    const asked = requests.filter(isSummarising).map(({ messages }) => messages.length);
    expect(asked).toEqual(asked.toSorted((a, b) => b - a));
    expect(told(requests.filter(isSummarising).at(-1)?.messages)[0]).toBe(
      'user [The beginning of the conversation was left out because it is too long.]',
    );
  });
  test('with nothing but the message has said its last word', async () => {
    await open(() => tooLong);
    expect((await rig.prompt('Hi.')).outcome).toEqual({
      kind: 'failed',
      problem: { code: 'context-overflow', message: 'Too long.' },
    });
  });
});

test('the user asks for a summary, says what to heed, and the wish itself is no part of the conversation', async () => {
  await open((request) => (isSummarising(request) ? words('They greeted each other.') : words('Hello.')));
  await rig.prompt('Hi.');
  const turn = await rig.prompt('/compact keep the greeting');
  expect(briefItems(turn.items)).toEqual(['compact_chat done']);
  expect(told(requests.at(-1)?.messages).at(-1)).toMatch(/The user adds: keep the greeting$/);
  await rig.prompt('Go on.');
  expect(told(requests.at(-1)?.messages)).toEqual([greeting, 'user Go on.']);
});

test('the call that brings a summary is shown as it comes, under its own name; what else the model says or calls is neither shown nor run', async () => {
  const parts: readonly ModelPart[] = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'At once.' },
    { type: 'tool-call', id: 'r', name: 'read_file', input: '{"path":"a.txt"}' },
    { type: 'tool-start', id: 'own', name: 'eca__compact_chat' },
    { type: 'tool-input', id: 'own', delta: '{"summary":"They' },
    { type: 'tool-input', id: 'own', delta: ' greeted each other."}' },
    {
      type: 'tool-call',
      id: 'own',
      name: 'eca__compact_chat',
      input: '{"summary":"They greeted each other."}',
    },
    { type: 'usage', usage: { input: 90, output: 10 } },
    { type: 'finish', reason: 'calls' },
  ];
  await open((request) => (isSummarising(request) ? parts : words('Hello.')));
  await rig.prompt('Hi.');
  const turn = await rig.prompt('/compact');
  expect(turn.items).toMatchObject([
    {
      id: 'own',
      name: 'compact_chat',
      inputText: '{"summary":"They greeted each other."}',
      result: { status: 'done' },
    },
  ]);
  expect(turn.usage).toMatchObject({ input: 90, output: 10 });
  expect([rig.chat().compaction?.summary, requests.length]).toEqual(['They greeted each other.', 2]);
});

test('a call with an empty summary is none', async () => {
  await open((request) =>
    isSummarising(request) ? called('compact_chat', { summary: ' ' }) : words('Hello.'),
  );
  await rig.prompt('Hi.');
  const turn = await rig.prompt('/compact');
  expect(briefItems(turn.items)).toEqual(['compact_chat failed', 'compact_chat failed']);
  expect(turn.outcome).toEqual({
    kind: 'failed',
    problem: { code: 'invalid', message: 'The model wrote no summary of the conversation.' },
  });
});

test('there may be nothing to compact', async () => {
  await open(() => words('Hello.'));
  expect(briefItems((await rig.prompt('/compact')).items)).toEqual([
    'info: There is nothing to compact yet.',
  ]);
  expect(requests).toEqual([]);
});

test('rolling back to before a summary brings everything back, and the summary before it holds again', async () => {
  let times = 0;
  await open((request) =>
    isSummarising(request)
      ? called('compact_chat', { summary: `Summary ${(times += 1)}.` })
      : words('Hello.'),
  );
  const first = await rig.prompt('Hi.');
  const compacted = await rig.prompt('/compact');
  await rig.prompt('More.');
  await rig.prompt('/compact');
  const back = async (after: string) => {
    rig.session.dispatch({ kind: 'truncateChat', chat: rig.session.id, after }, testClient);
    await rig.session.settled();
    await rig.prompt('And?');
    return told(requests.at(-1)?.messages);
  };
  expect(rig.chat().compaction?.summary).toBe('Summary 2.');
  expect(await back(compacted.id)).toEqual([
    'user Summary of the conversation so far:\n\nSummary 1.',
    'user And?',
  ]);
  expect(await back(first.id)).toEqual(['user Hi.', 'assistant Hello.', 'user And?']);
});

test('a model may compact by itself and goes on from its own summary', async () => {
  await open((_, at) =>
    at === 0 ? called('read_file', { path: 'a.txt' }) : at === 1 ? summary : words('Done.'),
  );
  const turn = await rig.prompt('Read it.');
  expect(briefItems(turn.items)).toEqual(['read_file done', 'compact_chat done', 'answer: Done.']);
  expect(told(requests.at(-1)?.messages)).toEqual([
    greeting,
    'user Read it.',
    expect.stringContaining('Go on from there'),
  ]);
});

test('a summary that cannot be had is no reason to stop while there is room', async () => {
  await open((request) =>
    isSummarising(request)
      ? [{ type: 'error', code: 'refused', message: 'No.', retryable: false }]
      : words('Hello.', 80_000),
  );
  await rig.prompt('Hi.');
  const turn = await rig.prompt('How are you?');
  expect(briefItems(turn.items).slice(1)).toEqual(['compact_chat failed', 'answer: Hello.']);
  expect(told(requests.at(-1)?.messages)).toEqual(['user Hi.', 'assistant Hello.', 'user How are you?']);
});

test('a stop while the summary is written leaves the conversation as it was', async () => {
  let hangs = true;
  await open((request) =>
    isSummarising(request)
      ? hangs
        ? [{ type: 'tool-start', id: 'c', name: 'compact_chat' }, 'hang']
        : summary
      : words('Hello.', 80_000),
  );
  await rig.prompt('Hi.');
  rig.start('How are you?');
  await rig.shows((item) => item.type === 'tool');
  rig.session.dispatch({ kind: 'stopTurn', chat: rig.session.id, next: 'none' }, testClient);
  await rig.session.settled();
  expect([rig.chat().compaction, rig.chat().turns.at(-1)?.outcome]).toEqual([
    undefined,
    { kind: 'cancelled' },
  ]);
  hangs = false;
  expect((await rig.prompt('Hi again.')).outcome.kind).toBe('completed');
  expect(told(requests.at(-1)?.messages)).toEqual([greeting, 'user Hi again.']);
});

test('a model that is known not to take pictures is never shown any, and its user is told in the turn that has them', async () => {
  await open(() => words('I see nothing.'), { pictures: false });
  const turn = await rig.prompt('What is this?', {
    attachments: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }],
  });
  expect(briefItems(turn.items)).toEqual([
    'warning: The model does not take the pictures of this conversation and is asked without them.',
    'answer: I see nothing.',
  ]);
  expect(briefItems((await rig.prompt('And now?')).items)).toEqual(['answer: I see nothing.']);
  expect(requests.filter(({ messages }) => JSON.stringify(messages).includes('image/png'))).toEqual([]);
});

test('a picture that is only mentioned is not shown to such a model either', async () => {
  await open(() => words('I see nothing.'), { pictures: false });
  const path = join(rig.place.root, 'a.png');
  writeFileSync(path, 'drawn');
  const turn = await rig.prompt('What is @a.png?');
  expect(briefItems(turn.items)[0]).toBe(
    'warning: The model does not take the pictures of this conversation and is asked without them.',
  );
  expect(told(requests.at(-1)?.messages)).toEqual([
    `user What is @a.png?|Attached file: ${path}|[A picture that cannot be shown to you.]`,
  ]);
});

test('pictures that a provider refuses are left out at once, and stay out for this model; a newer one is tried', async () => {
  const refusal: readonly ModelPart[] = [
    { type: 'error', code: 'invalid-image', message: 'No pictures.', retryable: false },
  ];
  let refuses = true;
  await open(({ messages }) =>
    refuses && JSON.stringify(messages).includes('image/png') ? refusal : words('I see.'),
  );
  const show = { attachments: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }] } as const;
  const turn = await rig.prompt('What is this?', show);
  expect(briefItems(turn.items)).toEqual([
    'warning: The provider rejected an image of this conversation; the model is asked again ' +
      'without its images.',
    'answer: I see.',
  ]);
  expect(told(requests.at(-1)?.messages)).toEqual([
    'user What is this?|[image removed: rejected by the LLM provider]',
  ]);
  const count = requests.length;
  expect(briefItems((await rig.prompt('And now?')).items)).toEqual(['answer: I see.']);
  expect(requests.length).toBe(count + 1);
  refuses = false;
  await rig.prompt('And this?', show);
  expect(told(requests.at(-1)?.messages).filter((line) => /image|picture/.test(line))).toEqual([
    'user What is this?|[image removed: rejected by the LLM provider]',
    'user And this?|image',
  ]);
  rig.session.dispatch({ kind: 'truncateChat', chat: rig.session.id }, testClient);
  await rig.session.settled();
  await rig.prompt('From the start?', show);
  expect(told(requests.at(-1)?.messages)).toEqual(['user From the start?|image']);
});

test('a summary is had without the pictures that are refused', async () => {
  const refusal: readonly ModelPart[] = [
    { type: 'error', code: 'invalid-image', message: 'No pictures.', retryable: false },
  ];
  await open((request) =>
    !isSummarising(request)
      ? words('I see.')
      : JSON.stringify(request.messages).includes('image/png')
        ? refusal
        : summary,
  );
  await rig.prompt('What is this?', {
    attachments: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }],
  });
  expect(briefItems((await rig.prompt('/compact')).items)).toEqual([
    'compact_chat failed',
    'compact_chat done',
  ]);
});
