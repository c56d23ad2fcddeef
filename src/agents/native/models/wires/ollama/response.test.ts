// What servers of Ollama's kind do otherwise, and what is understood all the same.
import { expect, test } from 'vitest';
import { readStream } from '../shared/events.ts';
import type { ModelPart } from '../../../model.ts';
import { Parts } from '../shared/parts.ts';
import { StreamCutOff } from '../../errors/failures.ts';
import { OllamaReader } from './response.ts';

async function read(text: string): Promise<readonly ModelPart[]> {
  const { body } = new Response(text);
  const all: ModelPart[] = [];
  if (body)
    for await (const parts of readStream({
      body,
      framing: 'lines',
      reader: new OllamaReader(),
      parts: new Parts('p'),
      hear: () => {},
    }))
      all.push(...parts);
  return all;
}

test('lines may come as events, and the reason of the end is an end', async () => {
  expect(
    await read(
      'data: {"message":{"content":"Hel"}}\n\ndata: {"message":{"content":"lo"}}\n\ndata: {"done_reason":"stop"}\n\n',
    ),
  ).toEqual([
    { type: 'text', text: 'Hel', block: 'words' },
    { type: 'text', text: 'lo', block: 'words' },
    { type: 'finish', reason: 'stop' },
  ]);
});

test('an answer in one piece is an answer, and one that breaks off is none', async () => {
  expect(await read('{"message":{"content":"Hello"}}')).toMatchObject([
    { type: 'text', text: 'Hello' },
    { type: 'finish', reason: 'stop' },
  ]);
  await expect(read('{"message":{"content":"Hel"},"done":false}\n')).rejects.toThrow(StreamCutOff);
  await expect(read('{"message":{"content":"Hel"}}\n{"message":{"content":"lo"}}\n')).rejects.toThrow(
    StreamCutOff,
  );
});

test('a call comes with all its arguments', async () => {
  expect(
    await read(
      '{"message":{"tool_calls":[{"function":{"name":"look","arguments":{"at":1}}}]},"done":true,"eval_count":3}\n',
    ),
  ).toEqual([
    { type: 'tool-start', id: '', name: 'look' },
    { type: 'tool-call', id: '', name: 'look', input: '{"at":1}' },
    { type: 'usage', usage: { output: 3 } },
    { type: 'finish', reason: 'calls' },
  ]);
});
