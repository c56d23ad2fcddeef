// Section 6.17 on a real host with a provider on loopback: what an ECA configuration says about models,
// connections and words, as it reaches the model.
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ecaClient } from '../../kit/clients.ts';
import type { Loose } from '../../kit/wire.ts';
import { verifies } from '../eca.ts';
import { ending, first, startRig } from './formats.ts';
import type { Rig } from './formats.ts';
import { expectWithin } from '../../kit/timeLimit.ts';

let rig: Rig;
/** Takes connections and never says a word, so that nothing encrypted ever comes about. */
let mute: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  mute = createServer((socket) => void sockets.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => void mute.listen(0, '127.0.0.1', () => resolve()));
  rig = await startRig({
    capabilities: { editor: { diagnostics: true, definition: true } },
    answers: () => new Promise(() => {}),
    config: {
      connectTimeoutSeconds: 1,
      lspTimeoutSeconds: 1,
      toolCall: { readFile: { maxLines: 2 }, editorNav: { enabled: false } },
      variantsByModel: {
        '^fake-l': { variants: { deep: { marked: 'deeply' } }, excludeProviders: ['anthropic'] },
        large$: { variants: { chatty: { marked: 'chatty' } }, api: 'openai-chat' },
        '(': { variants: { broken: {} } },
      },
      providers: {
        mute: {
          api: 'openai-chat',
          url: `https://127.0.0.1:${(mute.address() as AddressInfo).port}`,
          key: 'k',
          fetchModels: false,
          retry: { maxRetries: 0 },
          models: { silent: {} },
        },
      },
      prompts: { init: 'Init for everybody.', chatTitle: 'A title generator for everybody.' },
      agent: {
        poet: {
          mode: 'primary',
          description: 'Rhymes',
          prompts: {
            chat: 'You are a poet.',
            chatTitle: 'A title generator that rhymes.',
            compact: 'Sum it up in verse.',
            init: 'Init in verse.',
            skillCreate: 'A skill in verse.',
            tools: { eca__grep: 'Looks for rhymes.' },
          },
        },
      },
    },
  });
});

afterAll(async () => {
  await rig.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => void mute.close(resolve));
});

test(`ECA: ${verifies('config.variants')}`, async () => {
  const { eca } = rig;
  const variantsOf = async (model: string) => {
    const from = eca.said.length;
    eca.notify('chat/selectedModelChanged', { model });
    return (
      await eca.wait(
        ({ method, params }) => method === 'config/updated' && params.chat.variants !== undefined,
        from,
      )
    ).params.chat.variants as readonly string[];
  };
  expect([
    await variantsOf('anthropic/fake-large'),
    await variantsOf('openai/fake-large'),
    await variantsOf('openrouter/fake-large'),
  ]).toEqual([[], ['deep'], ['deep', 'chatty']]);
  rig.asked();
  await rig.prompt('openai', 'Think', { variant: 'deep' });
  await rig.prompt('openrouter', 'Think', { variant: 'chatty' });
  await rig.prompt('anthropic', 'Think', { variant: 'deep' });
  expect(rig.asked().map(({ body }: Loose) => body.marked)).toEqual(['deeply', 'chatty', undefined]);
});

test(`ECA: ${verifies('config.connect')}`, async () => {
  const started = performance.now();
  const { words, said } = await rig.prompt('openai', 'Anybody there?', { model: 'mute/silent' });
  expect(words.slice(-3)).toEqual(['system text', ...ending]);
  expect(first(said, 'text', { contentId: undefined }).text).toContain('did not answer in time');
  // The usual patience is ten times as long, or more.
  await expectWithin(8_000, started);
});

test(`ECA: ${verifies('config.tools')}`, async () => {
  rig.asked();
  const path = rig.put('workspace/long.txt', 'one\ntwo\nthree\nfour\n');
  rig.answer(({ asked }) =>
    asked?.results.length === 0
      ? [
          { call: 'read_file', input: { path }, id: 'c1' },
          { call: 'editor_diagnostics', input: {}, id: 'c2' },
        ]
      : undefined,
  );
  const { said } = await rig.prompt('openai', 'Look');
  rig.answer(undefined);
  const told = (name: string) => JSON.stringify(first(said, 'toolCalled', { name }).outputs);
  expect(told('read_file')).toMatch(/one.*two(?!.*three).*Read on with line_offset 2/);
  expect(told('editor_diagnostics')).toContain('did not answer within 1 seconds');
  const offered = JSON.stringify(rig.asked()[0]?.body);
  expect(
    ['editor_diagnostics', 'editor_definition', 'editor_references'].map((name) =>
      offered.includes(`"eca__${name}"`),
    ),
  ).toEqual([true, false, false]);
});

test(`ECA: ${verifies('config.words')}`, async () => {
  const before = rig.fake.requests.length;
  const { chat } = await rig.prompt('openai', 'Hello', { agent: 'poet' });
  const answered = () =>
    bodies().findLast(({ asked }) => !/title generator/i.test(asked?.system ?? ''))?.asked?.prompt;
  const bodies = () => rig.fake.requests.slice(before).filter(({ asked }) => asked);
  expect(bodies().some(({ asked }) => asked?.system.includes('You are a poet.'))).toBe(true);
  expect(JSON.stringify(bodies())).toContain('Looks for rhymes.');
  await expect
    .poll(() => bodies().some(({ asked }) => asked?.system === 'A title generator that rhymes.'))
    .toBe(true);
  await rig.prompt('openai', '/compact', { chat, agent: 'poet' });
  expect(answered()).toContain('Sum it up in verse.');
  await rig.prompt('openai', '/skill-create rhyme about cats', { chat, agent: 'poet' });
  expect(answered()).toContain('A skill in verse.');
  await rig.prompt('openai', '/init', { chat, agent: 'poet' });
  expect(answered()).toContain('Init in verse.');
  await rig.prompt('openai', '/init');
  expect(answered()).toContain('Init for everybody.');
});

test(`ECA: ${verifies('config.broken-start')}`, async () => {
  rig.put('workspace/.eca/config.json', '{ "chat": ');
  const late = await ecaClient(rig.home);
  const { params } = await late.wait(
    ({ method, params: given }) => method === 'chat/contentReceived' && given.chatId === undefined,
  );
  expect(params).toEqual({
    role: 'system',
    content: { type: 'text', text: expect.stringContaining('.eca/config.json cannot be read') as string },
  });
  // What breaks later is no part of any chat.
  const from = rig.eca.said.length;
  rig.put('config/eca/config.json', '{ "chat": ');
  const { params: shown } = await rig.eca.wait(
    ({ method, params: given }) =>
      method === '$/showMessage' && given.message.includes('config/eca/config.json'),
    from,
  );
  expect(shown.type).toBe('warning');
  expect(rig.eca.said.slice(from).some(({ method }) => method === 'chat/contentReceived')).toBe(false);
  await late.close();
});
