// The scenarios of ECA's own suite that are about a provider, over every wire format: what an ECA client sees does not depend on it, and the provider gets back what it gave.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Recorded } from '../../kit/fakeProvider.ts';
import { ending, first, formats, opening, startRig } from './formats.ts';
import type { Rig } from './formats.ts';
import { isContent, isFinished } from './words.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    config: {
      providers: Object.fromEntries([['my-chat', 'openai-chat'], ['my-responses', 'openai-responses']].map(([id = '', api]) => [id, { api, url: `\${env:OPENAI_API_URL}`, key: 'secret-key', models: { foo1: {}, bar2: { modelName: 'real-bar' } } }])),
    },
  });
});
afterAll(() => rig.close());

/** What is said to the model, by role; every wire has its own names for them. */
function rolesIn({ body }: Recorded): readonly string[] {
  const messages: readonly { readonly role?: string; readonly type?: string }[] = body.messages ?? body.input ?? body.contents ?? [];
  return messages.map(({ role, type }) => (role === 'model' ? 'assistant' : role === 'developer' ? 'system' : (role ?? type ?? '?'))).filter((role) => role !== 'system');
}

const plain = ['"Generating"', 'assistant text', ...ending];

describe.each(formats)('$name', ({ provider }) => {
  test('simple text, three prompts of one conversation', async () => {
    rig.asked();
    const titles = () => rig.fake.requests.filter(({ asked }) => /title generator/i.test(asked?.system ?? '')).length;
    const before = titles();
    const one = await rig.prompt(provider, 'Tell me a joke!');
    expect(one.words).toEqual([...opening, ...plain]);
    expect(one.text).toBe('You said: Tell me a joke!');
    await rig.eca.wait((each) => isContent('metadata', { title: 'A title from the fake provider' })(each) && each.params.chatId === one.chat);
    const two = await rig.prompt(provider, "Who's there?", { chat: one.chat });
    const three = await rig.prompt(provider, 'What foo?', { chat: one.chat });
    expect([two.words, three.words]).toEqual([[...opening.slice(1), ...plain], [...opening.slice(1), ...plain]]);
    // A chat is named with its first prompt and once more with its third.
    await expect.poll(titles).toBe(before + 2);
    const asked = rig.asked();
    expect(asked.map(rolesIn)).toEqual([['user'], ['user', 'assistant', 'user'], ['user', 'assistant', 'user', 'assistant', 'user']]);
    const last = JSON.stringify(asked.at(-1)?.body);
    for (const words of ['Tell me a joke!', "You said: Who's there?", 'What foo?']) expect(last).toContain(words);
    expect(asked.every(({ asked: request }) => request?.stream === true && request.model === 'fake-large' && request.system.includes(rig.home.workspace))).toBe(true);
  });

  test('reasoning, and it goes on', async () => {
    const one = await rig.prompt(provider, 'THINK about it');
    const thinking = ['"Generating"', 'assistant reasonStarted', 'assistant reasonText', 'assistant reasonFinished', 'assistant text', ...ending];
    expect(one.words).toEqual([...opening, ...thinking]);
    expect(one.text).toBe('You said: THINK about it');
    const parts = one.said.filter((each) => String(each.params.content?.type).startsWith('reason')).map(({ params }) => params.content);
    expect(new Set(parts.map(({ id }) => id)).size).toBe(1);
    expect(parts.flatMap(({ type, text }) => (type === 'reasonText' ? [text] : [])).join('')).toBe('Let me think about this.');
    const two = await rig.prompt(provider, 'THINK once more', { chat: one.chat });
    expect(two.words).toEqual([...opening.slice(1), ...thinking]);
    const body = JSON.stringify(rig.asked().at(-1)?.body);
    // What was sealed goes back to whoever sealed it.
    expect(body.includes('"sealed"')).toBe(provider === 'openai' || provider === 'anthropic' || provider === 'google');
  });

  test('tool calling', async () => {
    const path = rig.home.workspace;
    rig.asked();
    rig.answer(({ asked }) => (asked?.results.length === 0 ? [{ think: 'I look.', seal: 'sealed' }, { text: 'I will look.' }, { call: 'eca__directory_tree', input: { path }, split: 20, seal: 'signed' }] : undefined));
    const { words, said, text } = await rig.prompt(provider, 'What is in here?');
    rig.answer(undefined);
    expect(words).toEqual([
      ...opening, '"Generating"', 'assistant reasonStarted', 'assistant reasonText', 'assistant reasonFinished', 'assistant text', 'assistant toolCallPrepare', 'assistant toolCallRun', 'assistant toolCallRunning', '"Calling tool"',
      'assistant toolCalled', ...plain,
    ]);
    expect(first(said, 'toolCallPrepare')).toMatchObject({ name: 'directory_tree', server: 'eca', origin: 'native', summary: 'Listing tree' });
    expect(first(said, 'toolCallRun')).toMatchObject({ manualApproval: false, arguments: { path } });
    expect(first(said, 'toolCalled')).toMatchObject({ name: 'directory_tree', error: false, arguments: { path }, outputs: [{ type: 'text', text: expect.stringMatching(new RegExp(`^${path}\\n.*directories, \\d+ files`, 's')) as string }] });
    expect(text).toContain('The tool said');
    const [, second] = rig.asked();
    expect(second?.asked?.results[0]).toContain(path);
    expect(JSON.stringify(second?.body).includes('"thoughtSignature":"signed"')).toBe(provider === 'google');
  });

  test('a rate limit is waited for in sight', async () => {
    let times = 0;
    rig.answer(() => ((times += 1) > 1 ? undefined : [{ fail: { status: 429, message: 'Slow down.', headers: { 'retry-after': '0.1' } } }]));
    const { words, text, said } = await rig.prompt(provider, `Wait ${provider}`);
    rig.answer(undefined);
    expect(words.map((word) => (word.startsWith('"⏳') ? '⏳' : word))).toEqual([...opening, '⏳', ...plain]);
    expect([text, said.filter(isFinished).length]).toEqual([`You said: Wait ${provider}`, 1]);
  });

  test('a key that is wrong is told in the chat', async () => {
    const { words, said } = await rig.prompt(provider, `FAIL:401 ${provider}`);
    expect(words).toEqual([...opening, 'system text', ...ending]);
    expect(first(said, 'text', { contentId: undefined }).text).toMatch(/^\n\n/);
  });
});

test.each(['my-chat', 'my-responses'])('a provider of the user: %s', async (provider) => {
  rig.asked();
  const one = await rig.prompt(provider, 'Hello there', { model: `${provider}/foo1` });
  expect(one.words).toEqual([...opening, ...plain]);
  await rig.prompt(provider, 'THINK now', { model: `${provider}/bar2`, chat: one.chat });
  const [simple, other] = rig.asked();
  expect([simple?.asked?.model, other?.asked?.model, simple?.headers['authorization']]).toEqual(['foo1', 'real-bar', 'Bearer secret-key']);
  expect(simple?.path).toMatch(provider === 'my-chat' ? /chat\/completions$/ : /responses$/);
});

test('every format was asked', () => expect(new Set(rig.fake.requests.map(({ path }) => path)).size).toBeGreaterThanOrEqual(formats.length));
