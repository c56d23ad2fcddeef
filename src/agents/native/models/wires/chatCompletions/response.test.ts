// What servers of OpenAI's chat kind do otherwise, and what is understood all the same.
import { expect, test } from 'vitest';
import { Parts } from '../shared/parts.ts';
import { ChatReader } from './response.ts';

test('an answer in one piece is an answer', () => {
  const [reader, parts] = [new ChatReader(), new Parts('p')];
  reader.take(
    { choices: [{ message: { content: 'Hello' } }], usage: { prompt_tokens: 1, completion_tokens: 2 } },
    parts,
  );
  reader.end(parts);
  expect(parts.take()).toMatchObject([
    { type: 'text', text: 'Hello' },
    { type: 'usage', usage: { input: 1, output: 2 } },
    { type: 'finish', reason: 'stop' },
  ]);
});

test('pieces stay as they came', () => {
  const [reader, parts] = [new ChatReader({ start: '<t>', end: '</t>' }), new Parts('p')];
  for (const content of ['Hel', 'lo', ' there']) reader.take({ choices: [{ delta: { content } }] }, parts);
  reader.take(
    { choices: [{ delta: {}, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 2 } },
    parts,
  );
  reader.end(parts);
  expect(parts.take()).toMatchObject([
    { type: 'text', text: 'Hel' },
    { type: 'text', text: 'lo' },
    { type: 'text', text: ' there' },
    { type: 'usage', usage: { input: 1, output: 2 } },
    { type: 'finish', reason: 'stop' },
  ]);
});

test('nobody counts what was not told', () => {
  const [reader, parts] = [new ChatReader(), new Parts('p')];
  reader.take({ choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }] }, parts);
  reader.end(parts);
  expect(parts.take().map(({ type }) => type)).toEqual(['text', 'finish']);
});
