// The same conversations over every wire format of a model provider: what an ECA client sees does not depend on it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ecaClient } from '../../kit/clients.ts';
import { fakeProvider } from '../../kit/fakeProvider.ts';
import type { FakeProvider } from '../../kit/fakeProvider.ts';
import { newHome } from '../../kit/parley.ts';
import type { Home } from '../../kit/parley.ts';
import type { Said, Wire } from '../../kit/wire.ts';
import { content, inShort, isContent, isFinished } from './words.ts';

const formats = [
  { name: 'openai-responses', provider: 'openai' },
  { name: 'anthropic', provider: 'anthropic' },
  { name: 'openai-chat', provider: 'openrouter' },
  { name: 'google', provider: 'google' },
  { name: 'ollama', provider: 'ollama' },
] as const;

let home: Home;
let fake: FakeProvider;
let eca: Wire;

beforeAll(async () => {
  fake = await fakeProvider();
  home = newHome();
  delete home.env['PARLEY_SCRIPTED'];
  for (const { provider } of formats) {
    const prefix = provider.toUpperCase();
    Object.assign(home.env, { [`${prefix}_API_URL`]: fake.url, [`${prefix}_API_KEY`]: 'k', [`${prefix}_API_MODELS`]: 'fake-large' });
  }
  await home.serve();
  eca = await ecaClient(home);
  // The models of a server on this machine are found out after the start.
  await eca.wait(({ method, params }) => method === 'config/updated' && params.chat.models?.includes('ollama/fake-large'));
});

afterAll(async () => {
  await eca.close();
  await home.dispose();
  await fake.close();
});

let chats = 0;

async function prompt(provider: string, message: string, chatId = `chat-${(chats += 1)}`): Promise<{ chatId: string; words: readonly string[]; said: readonly Said[] }> {
  const from = eca.said.length;
  const mine = (each: Said) => each.params?.chatId === chatId;
  await eca.request('chat/prompt', { chatId, message, model: `${provider}/fake-large` });
  await eca.wait((each) => mine(each) && isFinished(each), from);
  const said = eca.said.slice(from).filter(mine);
  // Title and usage may come between any two pieces of a text.
  return { chatId, said, words: inShort(said.filter((each) => !isContent('usage')(each) && !isContent('metadata')(each))) };
}

const texts = (said: readonly Said[]) => said.flatMap((each) => (isContent('text')(each) && each.params.role === 'assistant' ? [content(each).text as string] : [])).join('');
const start = ['chat/opened', 'user text', 'status running', '"Waiting model"'];

describe.each(formats)('$name', ({ provider }) => {
  test('simple text, and the conversation goes on', async () => {
    const first = await prompt(provider, 'Knock knock!');
    expect(first.words).toEqual([...start, '"Generating"', 'assistant text', 'status idle', 'finished']);
    expect(texts(first.said)).toBe('You said: Knock knock!');
    await eca.wait((each) => isContent('metadata', { title: 'A title from the fake provider' })(each) && each.params.chatId === first.chatId);
    const second = await prompt(provider, 'Who is there?', first.chatId);
    expect(second.words).toEqual([...start.slice(1), '"Generating"', 'assistant text', 'status idle', 'finished']);
  });

  test('reasoning', async () => {
    const { words, said } = await prompt(provider, 'THINK about it');
    expect(words).toEqual([...start, '"Generating"', 'assistant reasonStarted', 'assistant reasonText', 'assistant reasonFinished', 'assistant text', 'status idle', 'finished']);
    expect(texts(said)).toBe('You said: THINK about it');
  });

  test('tool calling', async () => {
    const { words, said } = await prompt(provider, `TOOL:directory_tree ${JSON.stringify({ path: home.workspace })}`);
    expect(words).toEqual([
      ...start, '"Generating"', 'assistant toolCallPrepare', 'assistant toolCallRun', 'assistant toolCallRunning', '"Calling tool"', 'assistant toolCalled', '"Generating"', 'assistant text', 'status idle', 'finished',
    ]);
    expect(texts(said)).toContain('The tool said');
    expect(content(said.find(isContent('toolCalled')) ?? {})).toMatchObject({ name: 'directory_tree', server: 'eca', origin: 'native', error: false });
  });

  test('a rate limit is waited for and told', async () => {
    const { words, said } = await prompt(provider, `FAIL:429 ${provider}`);
    expect(words.slice(0, 4)).toEqual(start);
    expect(words.slice(-3)).toEqual(['assistant text', 'status idle', 'finished']);
    expect(texts(said)).toContain('You said: FAIL:429');
  });

  test('a key that is wrong is told in the chat', async () => {
    const { words, said } = await prompt(provider, `FAIL:401 ${provider}`);
    expect(words).toEqual([...start, 'system text', 'status idle', 'finished']);
    expect(said.some(isContent('toolCalled'))).toBe(false);
  });
});

test('every format was asked', () => expect(new Set(fake.requests.map(({ path }) => path)).size).toBeGreaterThanOrEqual(formats.length));
