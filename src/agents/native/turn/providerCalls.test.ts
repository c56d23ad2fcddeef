// What a provider runs and draws by itself, through the agent and into the log, on the real formats.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeProvider } from '../../../../test/kit/fakeProvider.ts';
import type { FakeProvider } from '../../../../test/kit/fakeProvider.ts';
import { testClient } from '../../../../test/kit/host.ts';
import { manualClock } from '../../../../test/kit/manualClock.ts';
import { briefItems, nativeRig } from '../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../test/kit/nativeRig.ts';
import type { Reply } from '../../../../test/kit/provider/reply.ts';
import { malformed } from '../../../../test/kit/provider/wellFormed.ts';
import { largestPicture } from '../../../host/turns/answerImage.ts';
import type { LanguageModel } from '../model.ts';
import { providerOf } from '../models/providers/providers.ts';
import { remoteModel } from '../models/remoteModel.ts';
import { resolveAccess } from '../models/providers/access.ts';

const page = { url: 'https://a.example/x', title: 'A page' };
const png = 'iVBORw0KGgoAAAANSUhEUg==';

let server: FakeProvider;
let rig: NativeRig;

beforeEach(async () => {
  server = await fakeProvider();
  rig = await nativeRig([model('anthropic', 'claude-sonnet-4-6'), model('openai', 'gpt-5.2')]);
});
afterEach(async () => {
  await rig.close();
  await server.close();
});

function model(id: string, name: string): LanguageModel {
  const provider = providerOf(id);
  if (!provider) throw new Error(`no provider ${id}`);
  const env = { [`${id.toUpperCase()}_API_URL`]: server.url, [`${id.toUpperCase()}_API_KEY`]: 'k' };
  const configured = {
    ...provider,
    config: { headers: {}, models: {}, webSearch: true, imageGeneration: true },
  };
  return remoteModel({
    provider: configured,
    model: name,
    facts: { output: 1000 },
    access: () => resolveAccess(provider, env, undefined),
    fetch: globalThis.fetch,
    clock: manualClock(),
  });
}

/** The requests of the conversation, without those for titles. */
function asked() {
  return server.requests.filter((request) => !/title generator/i.test(request.asked?.system ?? ''));
}

async function told(reply: Reply, text = 'Go.', chosen = 'anthropic/claude-sonnet-4-6') {
  answers.push(reply);
  server.reply = (request) => (/title generator/i.test(request.system) ? [{ text: 'T' }] : answers.shift());
  return rig.prompt(text, { model: chosen });
}

const answers: Reply[] = [];

test('a search is a call that nobody is asked about, kept with what its provider wants back', async () => {
  const turn = await told([
    { search: 'rain', found: [page], seal: 'SECRET' },
    { text: 'It rains, ' },
    { cite: page.url, title: page.title, seal: 'INDEX' },
    { text: 'they say.' },
  ]);
  expect(briefItems(turn.items)).toEqual([
    'web_search done',
    'answer: It rains, they say.',
    'answer: \n\nSources:\n- [A page](https://a.example/x)\n',
  ]);
  expect(turn.items[2]).toMatchObject({ sources: [{ title: 'A page', url: 'https://a.example/x' }] });
  expect(turn.items[0]).toMatchObject({
    title: 'Web search: rain',
    source: 'provider',
    server: 'anthropic',
    toolKind: 'search',
    basis: { how: 'agent' },
    approval: undefined,
    input: { query: 'rain' },
  });
  expect(turn.usage).toMatchObject({ searches: 1, cost: expect.any(Number) });
  expect(turn.usage?.cost).toBeGreaterThan(0.01);
  await told([{ text: 'ok' }], 'And tomorrow?');
  const body = asked().at(-1)?.body;
  expect(body.messages[1]).toEqual({
    role: 'assistant',
    content: [
      { type: 'server_tool_use', id: 'srvtoolu_0', name: 'web_search', input: { query: 'rain' } },
      {
        type: 'web_search_tool_result',
        tool_use_id: 'srvtoolu_0',
        content: [{ type: 'web_search_result', ...page, encrypted_content: 'SECRET', page_age: null }],
      },
      {
        type: 'text',
        text: 'It rains, they say.',
        citations: [expect.objectContaining({ encrypted_index: 'INDEX' })],
      },
      { type: 'text', text: expect.stringContaining('Sources:') },
    ],
  });
  expect(malformed('/messages', body)).toEqual([]);
});

test('another provider hears nothing of it but the answer', async () => {
  await told([{ search: 'rain', found: [page], seal: 'SECRET' }, { text: 'It rains.' }]);
  await told([{ text: 'ok' }], 'And tomorrow?', 'openai/gpt-5.2');
  const sent = JSON.stringify(asked().at(-1)?.body);
  expect([
    sent.includes('It rains.'),
    sent.includes('SECRET'),
    sent.includes('server_tool_use'),
    sent.includes('srvtoolu'),
  ]).toEqual([true, false, false, false]);
  expect(malformed('/responses', asked().at(-1)?.body)).toEqual([]);
});

test('a provider that pauses is given its own words back and goes on, unspoken into', async () => {
  let open = () => {};
  const steered = new Promise<void>((resolve) => {
    open = resolve;
  });
  answers.push([
    { text: 'Looking.' },
    { search: 'rain', part: 'begin', id: 'srvtoolu_p' },
    { until: steered },
    { finish: 'pause' },
  ]);
  const turn = rig.session;
  const before = rig
    .shows((item) => item.type === 'tool' && item.status === 'running')
    .then(() => {
      turn.dispatch(
        {
          kind: 'queueMessage',
          chat: turn.id,
          lane: 'steer',
          message: { id: 's', text: 'quickly' },
          turn: 'unused',
        },
        testClient,
      );
      open();
      return undefined;
    });
  answers.push(
    [
      { search: 'rain', part: 'end', id: 'srvtoolu_p', found: [page] },
      { call: 'read_file', input: { path: `${rig.place.root}/a.txt` } },
    ],
    [{ text: 'Done.' }],
  );
  server.reply = (request) => (/title generator/i.test(request.system) ? [{ text: 'T' }] : answers.shift());
  const ended = await rig.prompt('Go.', { model: 'anthropic/claude-sonnet-4-6' });
  await before;
  expect(briefItems(ended.items)).toEqual([
    'answer: Looking.',
    'web_search done',
    'read_file done',
    'steered: quickly',
    'answer: Done.',
  ]);
  const [, second, third] = asked().map(({ body }) => body.messages);
  expect(second.at(-1)).toEqual({
    role: 'assistant',
    content: [
      { type: 'text', text: 'Looking.' },
      expect.objectContaining({ type: 'server_tool_use', id: 'srvtoolu_p' }),
    ],
  });
  expect(third.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(third[1].content.map(({ type }: { type: string }) => type)).toEqual([
    'text',
    'server_tool_use',
    'web_search_tool_result',
    'tool_use',
  ]);
});

test('a search that fails is told as failed, and the answer goes on', async () => {
  const turn = await told([{ search: 'rain', error: 'max_uses_exceeded' }, { text: 'I cannot look.' }]);
  expect(turn.items[0]).toMatchObject({
    result: { status: 'failed', error: 'The provider reports: max uses exceeded.' },
  });
  expect(turn.outcome).toEqual({ kind: 'completed' });
});

test('a stop in the middle of a search leaves a clean end, and nothing of it goes back', async () => {
  server.reply = (request) =>
    /title generator/i.test(request.system)
      ? [{ text: 'T' }]
      : [{ search: 'rain', part: 'begin' }, { idle: true }];
  rig.start('Go.', { model: 'anthropic/claude-sonnet-4-6' });
  await rig.shows((item) => item.type === 'tool' && item.status === 'running');
  rig.session.dispatch({ kind: 'stopTurn', chat: rig.session.id, next: 'next' }, testClient);
  await rig.session.settled();
  expect(briefItems(rig.chat().turns[0]?.items ?? [])).toEqual(['web_search cancelled']);
  expect(await asked()[0]?.ended).toBe('left');
  await told([{ text: 'ok' }], 'Again.');
  expect([
    JSON.stringify(asked().at(-1)?.body.messages).includes('server_tool_use'),
    malformed('/messages', asked().at(-1)?.body),
  ]).toEqual([false, []]);
});

test('a search that its provider forgets is ended, and does not go back', async () => {
  const turn = await told([{ search: 'rain', part: 'begin' }, { text: 'Never mind.' }]);
  expect(turn.items[0]).toMatchObject({
    result: { status: 'failed', error: 'The provider did not report the result of this call.' },
  });
  await told([{ text: 'ok' }], 'Again.');
  expect(JSON.stringify(asked().at(-1)?.body.messages)).not.toContain('server_tool_use');
});

test('a picture is a part of the answer, and whoever made it gets it back', async () => {
  const turn = await told([{ text: 'See:' }, { picture: png }, { text: 'Well?' }], 'Draw.', 'openai/gpt-5.2');
  expect(briefItems(turn.items)).toEqual(['answer: See:', 'image_generation done', 'image', 'answer: Well?']);
  expect(turn.items[1]).toMatchObject({ title: 'Image generation: A small cat', source: 'provider' });
  expect(turn.items[2]).toMatchObject({ type: 'image', mediaType: 'image/png', data: png });
  await told([{ text: 'ok' }], 'Smaller.', 'openai/gpt-5.2');
  expect(asked().at(-1)?.body.input).toContainEqual({
    type: 'image_generation_call',
    id: 'ig_1',
    status: 'completed',
    result: png,
  });
  await told([{ text: 'ok' }], 'What is it?', 'anthropic/claude-sonnet-4-6');
  const sent = asked().at(-1)?.body;
  expect([JSON.stringify(sent).split(png).length - 1, malformed('/messages', sent)]).toEqual([1, []]);
});

test.each([
  [
    'too large',
    png.slice(0, 20) + 'A'.repeat((largestPicture / 3) * 4),
    'warning: A picture of 11 MB came, which is more than the 10 MB that are kept.',
  ],
  ['no picture at all', 'PHNjcmlwdD4=', 'warning: A picture came that is none that can be shown.'],
])('a picture that is %s is said to be so, and the rest stands', async (_, data, notice) => {
  const turn = await told(
    [{ text: 'See:' }, { picture: data }, { text: 'Well?' }],
    'Draw.',
    'openai/gpt-5.2',
  );
  expect(briefItems(turn.items)).toEqual(['answer: See:', 'image_generation done', notice, 'answer: Well?']);
  await told([{ text: 'ok' }], 'Again.', 'openai/gpt-5.2');
  expect(JSON.stringify(asked().at(-1)?.body).length).toBeLessThan(200_000);
});
