// What servers of Anthropic's kind leave out, and what is understood all the same.
import { expect, test } from 'vitest';
import { Parts } from '../shared/parts.ts';
import { AnthropicReader } from './response.ts';

test('blocks whose beginning or end was not told are read all the same', () => {
  const [reader, parts] = [new AnthropicReader(), new Parts('anthropic')];
  const delta = (index: number, more: object) =>
    reader.take({ type: 'content_block_delta', index, delta: more }, parts);
  delta(0, { type: 'thinking_delta', thinking: 'Hm.' });
  delta(1, { type: 'text_delta', text: 'Knock' });
  delta(1, { type: 'text_delta', text: ' knock!' });
  // What a call is for cannot be guessed.
  delta(2, { type: 'input_json_delta', partial_json: '{}' });
  reader.take(
    { type: 'content_block_start', index: 3, content_block: { type: 'tool_use', id: 'c', name: 'grep' } },
    parts,
  );
  delta(3, { type: 'input_json_delta', partial_json: '{"path":"x"}' });
  reader.take(
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use' },
      usage: { input_tokens: 10, output_tokens: 20 },
    },
    parts,
  );
  reader.take({ type: 'message_stop' }, parts);
  expect(parts.take()).toMatchObject([
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'Knock' },
    { type: 'text', text: ' knock!' },
    { type: 'tool-start', id: 'c', name: 'grep' },
    { type: 'tool-input', id: 'c', delta: '{"path":"x"}' },
    { type: 'tool-call', id: 'c', name: 'grep', input: '{"path":"x"}' },
    { type: 'usage', usage: { input: 10, output: 20 } },
    { type: 'finish', reason: 'calls' },
  ]);
});

test('a thought ends where something else begins, with what goes back with it', () => {
  const [reader, parts] = [new AnthropicReader(), new Parts('anthropic')];
  reader.take({ type: 'content_block_start', index: 0, content_block: { type: 'thinking' } }, parts);
  reader.take(
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    parts,
  );
  reader.take(
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 's' } },
    parts,
  );
  reader.take({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } }, parts);
  expect(parts.take().map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text']);
});

test('an answer in one piece is an answer', () => {
  const [reader, parts] = [new AnthropicReader(), new Parts('anthropic')];
  reader.take(
    {
      content: [{ text: 'Hello' }, { type: 'tool_use', id: 'c', name: 'grep', input: { path: 'x' } }],
      usage: { input_tokens: 1, output_tokens: 2 },
      stop_reason: 'tool_use',
    },
    parts,
  );
  expect(parts.take()).toMatchObject([
    { type: 'text', text: 'Hello' },
    { type: 'tool-start', id: 'c' },
    { type: 'tool-input', id: 'c' },
    { type: 'tool-call', id: 'c', input: '{"path":"x"}' },
    { type: 'usage', usage: { input: 1, output: 2 } },
    { type: 'finish', reason: 'calls' },
  ]);
});
