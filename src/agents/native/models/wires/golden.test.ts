// The whole request that each wire format sends for one rich conversation, compared with a golden file in
// `cases`.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { collect } from '../../../../../test/kit/modelRig.ts';
import { manualClock } from '../../../../../test/kit/manualClock.ts';
import { wires } from '../../../../../test/kit/provider/wires.ts';
import type { Json } from '../../../../model/event.ts';
import type { ModelRequest } from '../../model.ts';
import { resolveAccess } from '../providers/access.ts';
import { providerOf } from '../providers/providers.ts';
import { remoteModel } from '../remoteModel.ts';
import { wireFormats } from './formats.ts';

/** The compatible format has no fake server of its own; it uses the one of Chat Completions. */
const samples = [
  ...wires.map(({ contract }) => contract.golden),
  { wire: 'compatible', model: 'deepseek/deepseek-v4-pro' } as const,
];

test('every format has a golden request', () => {
  expect(samples.map(({ wire }) => wire).toSorted()).toEqual(Object.keys(wireFormats).toSorted());
});

test.each(samples)('$wire sends the golden request', async ({ wire, model }) => {
  const file = new URL(`cases/${wire}.json`, import.meta.url);
  const sent = await sentRequest(wire, model);
  if (process.env['GOLDEN'] === 'write') writeFileSync(file, `${JSON.stringify(sent, null, 2)}\n`);
  expect(sent).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});

async function sentRequest(wire: string, id: string): Promise<object> {
  const [providerId = '', model = ''] = id.split('/');
  const known = providerOf(providerId);
  if (!known) throw new Error(`no provider ${providerId}`);
  const config = {
    cache: 'long',
    reasoning: 'all',
    headers: { 'x-team': 'blue' },
    models: { [model]: { extra: { user_field: 1 }, headers: {} } },
  } as const;
  const provider = { ...known, config };
  const prefix = providerId.toUpperCase();
  const env = {
    [`${prefix}_API_KEY`]: 'test-key',
    [`${prefix}_API_URL`]: 'https://provider.example',
    [`${prefix}_API_WIRE`]: wire,
  };
  let sent: object = {};
  const remote = remoteModel({
    provider,
    model,
    facts: { context: 100_000, output: 4_000 },
    access: () => resolveAccess(provider, env, undefined),
    clock: manualClock(),
    fetch: async (url, init) => {
      const request = new Request(url, init);
      sent = {
        url: request.url,
        headers: Object.fromEntries(new Headers(init?.headers)),
        body: await request.json(),
      };
      return new Response('{"error":{"message":"enough"}}', { status: 400 });
    },
  });
  await collect(remote.stream(richRequest(providerId)));
  return sent;
}

/** What each format wants back with a part; every wire reads its own namespace. */
function metadata(provider: string): Json {
  const options = {
    anthropic: { signature: 'sig-anthropic' },
    bedrock: { signature: 'sig-bedrock' },
    google: { thoughtSignature: 'sig-google' },
    openai: { itemId: 'rs_1', reasoningEncryptedContent: 'encrypted' },
  };
  return { for: provider, options };
}

/**
 * System prompt, images, an earlier turn with a call, and a running turn with two calls,
 * one of which has failed.
 */
function richRequest(provider: string): ModelRequest {
  const meta = metadata(provider);
  return {
    system: 'You are a careful engineer.',
    start: 4,
    chat: 'chat-1',
    roots: ['/w'],
    variant: 'high',
    serves: ['web_search', 'image_generation'],
    signal: new AbortController().signal,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What does this picture show?' },
          { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'I should read the notes.', meta },
          { type: 'text', text: 'Let me look.' },
          { type: 'call', id: 'call_1', name: 'read_file', input: { path: 'notes.md' } },
        ],
      },
      { role: 'tool', results: [{ id: 'call_1', name: 'read_file', status: 'done', text: '# Notes' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'A logo.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Now run the tests.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Two commands.', meta },
          { type: 'call', id: 'call_2', name: 'run', input: { command: 'npm test' }, meta },
          { type: 'call', id: 'call/3 with blanks', name: 'run', input: { command: 'npm run lint' } },
        ],
      },
      {
        role: 'tool',
        results: [
          { id: 'call_2', name: 'run', status: 'done', text: '' },
          { id: 'call/3 with blanks', name: 'run', status: 'failed', text: 'Exit code: 1' },
        ],
      },
    ],
    tools: [
      {
        name: 'read_file',
        description: 'Reads a file.',
        parameters: {
          type: 'object',
          properties: {
            path: { type: 'string', description: 'The path.' },
            line: { type: ['integer', 'null'] },
            mode: { enum: ['text', 'bytes'] },
          },
          required: ['path'],
          additionalProperties: false,
        },
      },
      {
        name: 'run',
        description: 'Runs a command.',
        parameters: { type: 'object', properties: { command: { type: 'string' } } },
      },
    ],
  };
}
