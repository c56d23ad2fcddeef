// Long conversations in the real program: what a provider finds too long is compacted and asked once more, in
// every wire format; and whoever asks for it gets it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brief, formats, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';
import { malformed } from '../kit/provider/wellFormed.ts';

let rig: Talking;

beforeAll(async () => {
  rig = await startConversation({ settings: { limits: { compactAt: 10 } } });
});
afterAll(() => rig.close());

const overflow = {
  status: 400,
  code: 'context_length_exceeded',
  message: 'prompt is too long: 1000001 tokens exceed the maximum context length',
};
const summary = { call: 'compact_chat', input: { summary: 'They greeted each other.' } } as const;

test.each(formats)(
  '%s: a conversation that is too long is compacted, and the request repeated',
  async (_, model) => {
    let refused = false;
    rig.answer = ({ asked }) => {
      if (asked?.prompt.includes('by calling eca__compact_chat')) return [summary];
      if (!asked?.prompt.includes('again') || refused) return undefined;
      refused = true;
      return [{ fail: overflow }];
    };
    const chat = `overflow-${model}`;
    await rig.prompt(chat, 'Hello.', model);
    const from = rig.asked().length;
    const said = brief(await rig.prompt(chat, 'Hello again.', model));
    expect(said.slice(1)).toEqual([
      'system: Context window exceeded. Auto-compacting conversation...',
      'compact_chat done',
      'system: ── Chat auto-compacted ──',
      expect.stringMatching(/^assistant: You said: [^]*Hello again\.$/),
    ]);
    const [first, wish, repeated] = rig.asked().slice(from);
    expect(
      [first, wish, repeated].map((request) => JSON.stringify(request?.body).includes('You said: Hello.')),
    ).toEqual([true, true, false]);
    expect(JSON.stringify(repeated?.body)).toContain('They greeted each other.');
    expect(wish?.asked?.tools.map(({ name }) => name)).toEqual(first?.asked?.tools.map(({ name }) => name));
  },
);

test('a user asks for it, and says what it should heed', async () => {
  rig.answer = ({ asked }) =>
    asked?.prompt.includes('by calling eca__compact_chat') ? [summary] : undefined;
  await rig.prompt('asked', 'Hello.', 'anthropic/claude-sonnet-4-6');
  const { commands } = await rig.eca.request('chat/queryCommands', { chatId: 'asked', query: 'compact' });
  expect(commands.map(({ name }: { name: string }) => name)).toEqual(['compact']);
  const from = await rig.send('asked', '/compact keep the greeting', 'anthropic/claude-sonnet-4-6');
  // It is said after the turn.
  await rig.eca.wait(
    ({ method, params }) => method === 'chat/contentReceived' && params.content.text === 'Compacted chat',
    from,
  );
  expect(brief(await rig.finished('asked', from))).toEqual([
    'user: /compact keep the greeting',
    'compact_chat done',
    'system: Compacted chat',
  ]);
  expect(rig.asked().at(-1)?.asked?.prompt).toMatch(/The user adds: keep the greeting$/);
});

test('a conversation that comes near to the limit in the settings is compacted before the next request', async () => {
  rig.answer = ({ asked }) =>
    asked?.prompt.includes('by calling eca__compact_chat')
      ? [summary]
      : asked?.prompt === 'Hello.'
        ? [{ text: 'Hi.' }, { usage: { input: 150_000, output: 10 } }]
        : undefined;
  await rig.prompt('full', 'Hello.', 'anthropic/claude-sonnet-4-6');
  const said = brief(await rig.prompt('full', 'Next.', 'anthropic/claude-sonnet-4-6'));
  expect(said.slice(1, 4)).toEqual([
    expect.stringMatching(/^system: The conversation fills 15 % of what .* can hold and is compacted\.$/),
    'compact_chat done',
    'system: ── Chat auto-compacted ──',
  ]);
  expect(JSON.stringify(rig.asked().at(-1)?.body)).toContain('They greeted each other.');
});

test.each(formats.filter(([, model]) => /anthropic|openai|google/.test(model)))(
  '%s: what was thought before a summary is gone with it, what was thought since goes back sealed, and the provider takes it all',
  async (_, model) => {
    const chat = `sealed-${model}`;
    let thought = 0;
    rig.answer = ({ asked }) => {
      if (asked?.prompt.includes('by calling eca__compact_chat')) return [summary];
      thought += 1;
      const think = { think: 'Let me see.', seal: `SEAL-${thought}` } as const;
      return asked?.prompt.includes('Read') && asked.results.length === 0
        ? [think, { call: 'directory_tree', input: { path: '.' }, id: 'callabcde', seal: `SEAL-${thought}` }]
        : [think, { text: 'Yes.' }];
    };
    const seals = () => [...new Set(JSON.stringify(rig.asked().at(-1)?.body).match(/SEAL-\d/g))];
    await rig.prompt(chat, 'Hello.', model);
    await rig.prompt(chat, 'Read it.', model);
    expect(seals()).toEqual(['SEAL-1', 'SEAL-2']);
    const from = await rig.send(chat, '/compact', model);
    await rig.eca.wait(
      ({ method, params }) => method === 'chat/contentReceived' && params.content.text === 'Compacted chat',
      from,
    );
    await rig.finished(chat, from);
    await rig.prompt(chat, 'Read on.', model);
    expect(seals()).toEqual(['SEAL-4']);
    await rig.prompt(chat, 'And now?', model);
    expect(seals()).toEqual(['SEAL-4', 'SEAL-5']);
    expect(
      rig
        .asked()
        .filter(({ body }) => JSON.stringify(body).includes('SEAL'))
        .flatMap(({ path, body }) => malformed(path, body)),
    ).toEqual([]);
  },
);
