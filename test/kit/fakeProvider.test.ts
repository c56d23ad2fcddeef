// The fake provider keeps its own promises: it answers by keyword on every wire, streamed or whole,
// and lists what it has.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeProvider } from './fakeProvider.ts';
import type { FakeProvider } from './fakeProvider.ts';

let server: FakeProvider;
beforeEach(async () => {
  server = await fakeProvider();
});
afterEach(() => server.close());

const schema = {
  type: 'object',
  properties: {
    file_path: { type: 'string' },
    content: { type: 'string' },
    mode: { enum: ['a', 'b'] },
    loud: { type: 'boolean' },
  },
  required: ['file_path', 'content', 'mode'],
};

async function post(path: string, body: object): Promise<string> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  return `${response.status} ${await response.text()}`;
}

const wires: readonly {
  readonly wire: string;
  readonly ask: (text: string, stream: boolean) => Promise<string>;
}[] = [
  {
    wire: 'Anthropic',
    ask: (text, stream) =>
      post('/v1/messages', {
        model: 'm',
        stream,
        system: 's',
        messages: [{ role: 'user', content: text }],
        tools: [{ name: 'Write', input_schema: schema }],
      }),
  },
  {
    wire: 'OpenAI Chat',
    ask: (text, stream) =>
      post('/v1/chat/completions', {
        model: 'm',
        stream,
        messages: [{ role: 'user', content: text }],
        tools: [{ type: 'function', function: { name: 'write_file', parameters: schema } }],
      }),
  },
  {
    wire: 'OpenAI Responses',
    ask: (text, stream) =>
      post('/v1/responses', {
        model: 'm',
        stream,
        input: text,
        tools: [{ type: 'function', name: 'write', parameters: schema }],
      }),
  },
  {
    wire: 'Google',
    ask: (text, stream) =>
      post(`/v1beta/models/m:${stream ? 'streamGenerateContent' : 'generateContent'}`, {
        contents: [{ role: 'user', parts: [{ text }] }],
        tools: [{ functionDeclarations: [{ name: 'write_file', parameters: schema }] }],
      }),
  },
  {
    wire: 'Ollama',
    ask: (text, stream) =>
      post('/api/chat', {
        model: 'm',
        stream,
        messages: [{ role: 'user', content: text }],
        tools: [{ type: 'function', function: { name: 'write_file', parameters: schema } }],
      }),
  },
];

describe.each(wires)('on the wire of $wire', ({ ask }) => {
  test.each([true, false])('a wish becomes the matching call (streamed: %s)', async (stream) => {
    const answer = (await ask('Please WRITE:notes.txt now', stream)).replaceAll('\\', '');
    expect(answer).toMatch(/^200 /);
    expect(answer).toMatch(/[Ww]rite(?:_file)?"/);
    // Arguments may come in pieces; whole answers have them in one.
    expect(stream || answer.includes('"file_path":"notes.txt"')).toBe(true);
  });

  test('words are answered with words', async () => {
    expect(await ask('Hello!', false)).toContain('You said: Hello!');
    expect(server.requests[0]?.asked).toMatchObject({ prompt: 'Hello!', stream: false });
  });

  test('a failure happens once', async () => {
    expect((await ask('FAIL:503 please', true)).slice(0, 3)).toBe('503');
    expect((await ask('FAIL:503 please', true)).slice(0, 3)).toBe('200');
  });
});

test('lists of models, each in its own way', async () => {
  const get = async (path: string) => JSON.stringify(await (await fetch(server.url + path)).json());
  for (const path of ['/v1/models', '/api/tags', '/v1beta/models'])
    expect(await get(path)).toContain('fake-large');
  expect((await fetch(`${server.url}/nothing`)).status).toBe(404);
});
