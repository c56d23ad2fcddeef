// Section 6.18 and the providers of section 8 on a real host: in which pieces and which order it comes, what
// goes back to the model, and which models there are.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Loose, ReceivedNotification } from '../../kit/wire.ts';
import type { Reply } from '../../kit/provider/reply.ts';
import { verifies } from '../eca.ts';
import { startRig } from './formats.ts';
import type { Rig } from './formats.ts';
import { content, isContent } from './words.ts';

let rig: Rig;

beforeAll(async () => {
  rig = await startRig({
    args: ['--standalone'],
    initial: {
      pureConfig: true,
      env: 'test',
      chat: { title: false },
      toolCall: { approval: { byDefault: 'allow' } },
      providers: {
        openai: { key: null },
        google: { url: '${env:GOOGLE_API_URL}', key: '' },
        mine: {
          api: 'openai-chat',
          url: '${env:OPENROUTER_API_URL}',
          key: 'mine-key',
          models: { 'fake-large': {}, forgetful: { reasoningHistory: 'off' } },
          thinkTagStart: '<hm>',
          thinkTagEnd: '</hm>',
        },
        typo: { api: 'openai-chat', url: 'not an address', key: 'k', models: { one: {} } },
        nameless: { api: 'openai-chat', key: 'k', models: { one: {} } },
      },
    },
  });
});

afterAll(() => rig.close());

async function tell(
  provider: string,
  reply: Reply,
  more: Parameters<Rig['prompt']>[2] = {},
): Promise<{ readonly chat: string; readonly told: readonly unknown[] }> {
  rig.answer(({ asked }) => (asked?.results.length === 0 ? reply : [{ text: 'Done.' }]));
  const { said, chat } = await rig.prompt(provider, 'Hi', more);
  rig.answer(undefined);
  return { chat, told: said.flatMap(brief) };
}

/** Texts as they are; of the rest only what it is. */
function brief(said: ReceivedNotification): readonly unknown[] {
  const { type, text, state } = content(said);
  if (said.method !== 'chat/contentReceived' || said.params.role === 'user') return [];
  return [
    type === 'text'
      ? text
      : type === 'reasonText'
        ? { thought: text }
        : type === 'progress'
          ? (text ?? state)
          : type,
  ];
}

const sentBack = (): Loose => rig.fake.requests.at(-1)?.body.messages.slice(1);

/** What comes first, by what the provider sends. */
const held: readonly (readonly [reply: Reply, told: readonly unknown[]])[] = [
  [
    [{ text: 'One' }, { text: ' two three', split: 1 }],
    ['Waiting model', 'Generating', 'One', ' two three', 'usage', 'finished'],
  ],
  [[{ text: 'One' }], ['Waiting model', 'Generating', 'One', 'usage', 'finished']],
  [
    [
      { text: 'I look.', split: 1 },
      { call: 'directory_tree', input: { path: '/nowhere' } },
    ],
    ['Waiting model', 'Generating', 'I look.', 'toolCallPrepare'],
  ],
  [
    [
      { text: '<hm>' },
      { text: 'I wonder', split: 1 },
      { text: ' why' },
      { text: '</hm>' },
      { text: 'Because.' },
    ],
    [
      'Waiting model',
      'Generating',
      'reasonStarted',
      { thought: 'I wonder' },
      { thought: ' why' },
      'reasonFinished',
      'Because.',
      'usage',
      'finished',
    ],
  ],
];

test(`ECA: ${verifies('chunks.held')}`, async () => {
  for (const [reply, expected] of held)
    expect((await tell('mine', reply)).told.slice(0, expected.length)).toEqual(expected);
});

test(`ECA: ${verifies('thoughts.back')}`, async () => {
  const thinks: Reply = [{ text: '<hm>Why?</hm>\n' }, { text: 'Because.' }];
  const { chat } = await tell('mine', thinks);
  await tell('mine', [{ text: 'Yes.' }], { chat });
  expect(sentBack()).toMatchObject([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: '<hm>Why?</hm>\nBecause.' },
    { role: 'user', content: 'Hi' },
  ]);
  const other = await tell('mine', thinks, { model: 'mine/forgetful' });
  await tell('mine', [{ text: 'Yes.' }], { chat: other.chat, model: 'mine/forgetful' });
  expect(sentBack()[1]).toEqual({ role: 'assistant', content: 'Because.' });
});

test(`ECA: ${verifies('google.chat')}`, async () => {
  const { told } = await tell('google', [
    { text: '<thought>Hm.</thought>' },
    { text: 'Look:' },
    { call: 'directory_tree', input: { path: '/nowhere' }, seal: 'SIGNED' },
  ]);
  expect(told.slice(2, 7)).toEqual([
    'reasonStarted',
    { thought: 'Hm.' },
    'reasonFinished',
    'Look:',
    'toolCallPrepare',
  ]);
  const { path, body } = rig.fake.requests.at(-1) ?? {};
  expect([path, body]).toMatchObject([
    expect.stringMatching(/\/chat\/completions$/),
    { extra_body: { google: { thinking_config: { include_thoughts: true } } } },
  ]);
  expect(sentBack()[1]).toMatchObject({
    role: 'assistant',
    content: '<thought>Hm.</thought>\nLook:',
    tool_calls: [{ extra_content: { google: { thought_signature: 'SIGNED' } } }],
  });
});

test(`ECA: ${verifies('models.first', 'models.named')}`, async () => {
  const { params } = await rig.eca.wait(({ method }) => method === 'config/updated');
  const { models } = params.chat;
  expect(models).toEqual(expect.arrayContaining(['ollama/fake-large', 'mine/fake-large', 'typo/one']));
  expect(models).not.toContain('nameless/one');
  // A model that no list has, of a provider that can be asked.
  rig.asked();
  expect(
    await rig.eca.request('chat/prompt', { message: 'Hi', model: 'openrouter/brand-new' }),
  ).toMatchObject({ model: 'openrouter/brand-new', status: 'prompting' });
  expect(rig.asked().map(({ asked }) => asked?.model)).toEqual(['brand-new']);
  const { said } = await rig.prompt('typo', 'Hi', { model: 'typo/one' });
  expect(
    said
      .filter(isContent('text'))
      .map((each) => content(each).text)
      .at(-1),
  ).toMatch(/typo cannot be used: the address in the settings is not an address/);
});

test(`ECA: ${verifies('ollama.chat')}`, async () => {
  const { told } = await tell('ollama', [
    { think: 'Hm.' },
    { text: 'Look:' },
    { call: 'directory_tree', input: { path: '/nowhere' } },
  ]);
  expect(told.slice(0, 9)).toEqual([
    'Waiting model',
    'Generating',
    'reasonStarted',
    { thought: 'Hm.' },
    'reasonFinished',
    'Look:',
    'toolCallPrepare',
    'usage',
    'toolCallRun',
  ]);
  expect(sentBack()).toEqual([
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: 'Look:',
      thinking: 'Hm.',
      tool_calls: [{ function: { name: 'eca__directory_tree', arguments: { path: '/nowhere' } } }],
    },
    { role: 'tool', tool_name: 'eca__directory_tree', content: expect.any(String) as string },
  ]);
});

test(`ECA: ${verifies('provider.switched', 'anthropic.stream')}`, async () => {
  const { chat } = await tell('anthropic', [{ think: 'Hm.', seal: 'SEAL' }, { text: 'Yes.' }]);
  expect(rig.fake.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
  const { told } = await tell('openrouter', [{ text: 'No.' }], { chat });
  expect(told.slice(0, 2)).toEqual([
    'Waiting model',
    expect.stringMatching(/^\nThe conversation goes on with openrouter\./),
  ]);
});

test(`ECA: ${verifies('login.keys')}`, async () => {
  const { chat } = await tell('mine', [{ text: 'Yes.' }]);
  expect(rig.fake.requests.at(-1)?.headers['authorization']).toBe('Bearer mine-key');
  await rig.eca.request('chat/prompt', { chatId: chat, message: '/login openrouter' });
  const from = rig.eca.said.length;
  await rig.eca.request('chat/prompt', { chatId: chat, message: 'sk-typed' });
  expect(
    rig.eca.said
      .slice(from)
      .filter(isContent('text'))
      .map((each) => content(each).text),
  ).toEqual([
    '*****\n',
    expect.stringMatching(
      /^Signed in to openrouter\.\n\nWarning: the key in OPENROUTER_API_KEY is used instead/,
    ),
  ]);
});

test(`ECA: ${verifies('retry.words')}`, async () => {
  let failures: Reply[] = [
    [{ fail: { status: 429, message: 'slow down', headers: { 'retry-after': '1' } } }],
    [{ fail: { status: 529, message: 'Overloaded', headers: { 'retry-after': '0' } } }],
  ];
  rig.answer(() => {
    const [next, ...rest] = failures;
    failures = rest;
    return next ?? [{ text: 'There.' }];
  });
  const { said } = await rig.prompt('anthropic', 'Hi');
  rig.answer(undefined);
  expect(said.flatMap(brief)).toEqual([
    'Waiting model',
    expect.stringMatching(/^⏳ Rate limited\. Resuming at \d\d:\d\d \(in 1s, attempt 1\/10\)$/),
    expect.stringMatching(/^⏳ Provider overloaded.*\. Retrying in 1s \(attempt 2\/10\)$/),
    'Generating',
    'There.',
    'usage',
    'finished',
  ]);
});
