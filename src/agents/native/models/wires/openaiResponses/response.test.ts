// What servers of the Responses kind leave out, and what is understood all the same.
import { expect, test } from 'vitest';
import { Parts } from '../shared/parts.ts';
import { ResponsesReader } from './response.ts';

test('a call that is not said to be done is found in the whole, once', () => {
  const [reader, parts] = [new ResponsesReader(), new Parts('openai')];
  const call = (id: string) => ({
    type: 'function_call',
    id: `item-${id}`,
    call_id: id,
    name: 'grep',
    arguments: '{"path":"x"}',
  });
  const take = (type: string, more: object) => reader.take({ type: `response.${type}`, ...more }, parts);
  take('output_item.added', { item: { ...call('a'), arguments: '' } });
  take('output_item.added', { item: { ...call('b'), arguments: '' } });
  take('function_call_arguments.delta', { item_id: 'item-a', delta: '{"path":' });
  take('output_item.done', { item: call('b') });
  take('completed', {
    response: { output: [call('a'), call('b'), call('c')], usage: { input_tokens: 1, output_tokens: 2 } },
  });
  const made = parts.take();
  expect(made.filter(({ type }) => type === 'tool-input')).toMatchObject([{ id: 'a', delta: '{"path":' }]);
  expect(made.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []))).toEqual(['b', 'a', 'c']);
  expect(made.filter(({ type }) => type === 'tool-start')).toHaveLength(3);
});

test('pieces stay as they came, and reasoning keeps its id', () => {
  const [reader, parts] = [new ResponsesReader(), new Parts('openai')];
  for (const delta of ['I ', 'should'])
    reader.take({ type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', delta }, parts);
  for (const delta of ['Knock', ' knock'])
    reader.take({ type: 'response.output_text.delta', item_id: 'msg_1', delta }, parts);
  expect(parts.take().map((part) => ('text' in part ? [part.id, part.text] : part.type))).toEqual([
    ['rs_1', 'I '],
    ['rs_1', 'should'],
    [undefined, 'Knock'],
    [undefined, ' knock'],
  ]);
});
