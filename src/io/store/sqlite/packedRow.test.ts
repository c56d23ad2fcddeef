import { expect, test } from 'vitest';
import type { Json } from '../../../model/event.ts';
import { isPackable, isPacked, pack, unpack } from './packedRow.ts';
import type { StoredEntry } from './packedRow.ts';

const text = (item: string, words: string) => ({
  kind: 'text.added',
  chat: 'c',
  turn: 't',
  item,
  channel: 'answer',
  text: words,
});
const output = (append: string) => ({ kind: 'tool.output', chat: 'c', tool: 'x', output: { append } });

function entries(...events: readonly Json[]): readonly StoredEntry[] {
  return events.map((event, index) => ({ seq: 7 + index, pos: 40 + index, at: 1_000, event }));
}

function roundTrip(stored: readonly StoredEntry[]): unknown {
  const packed: unknown = JSON.parse(pack(stored) ?? 'null');
  return isPacked(packed) ? unpack(packed) : undefined;
}

test.each([
  ['pieces of one text', entries(text('a', 'one '), text('a', 'two'), text('a', ''), text('a', '!'))],
  ['texts that take turns', entries(text('a', 'x'), text('b', 'y'), text('a', 'z'), text('b', ''))],
  ['half a sign in each piece', entries(text('a', '\ud83d'), text('a', '\ude00'))],
  ['all kinds of pieces', entries({ kind: 'tool.input', tool: 'x', text: '{' }, output('a'), output('b'))],
  ['data that one piece carries', entries(text('a', 'x'), { ...text('a', 'y'), meta: { text: '' } })],
  ['properties in another order', entries(text('a', 'x'), Object.assign({ text: '' }, text('a', 'y')))],
  [
    'positions and times with gaps',
    [
      { seq: 2, pos: 5, at: 10, event: text('a', 'x') },
      { seq: 3, pos: 9, at: 30, event: text('a', 'y') },
      { seq: 4, pos: 10, at: 29, event: text('a', 'z'.repeat(200)) },
      { seq: 5, pos: 5_000, at: 1_700_000_000_000, event: text('a', 'z'.repeat(57)) },
    ],
  ],
])('%s come back as they were, in every detail', (_name, stored) => {
  expect(JSON.stringify(roundTrip(stored))).toBe(JSON.stringify(stored));
});

test('events without a text that grows are not packed', () => {
  const replace = { kind: 'tool.output', tool: 'x', output: { replace: [] } };
  for (const event of [replace, { kind: 'turn.ended' }, { kind: 'text.added' }, null, 'text.added', []]) {
    expect(isPackable(event)).toBe(false);
    expect(pack(entries(text('a', 'x'), event))).toBeUndefined();
  }
});

test('a thousand short pieces take three bytes each at most beside their text', () => {
  const stored = entries(...Array.from({ length: 1_000 }, () => text('a', 'eight ch')));
  const paced = stored.map((entry, index) => ({ ...entry, at: 1_000 + 20 * index }));
  expect(pack(paced)?.length).toBeLessThan(1_000 * (8 + 3));
});

test('entries that could not be given back exactly stay as they are', () => {
  expect(pack([...entries(text('a', 'x'))])).toBeUndefined();
  expect(
    pack([
      { seq: 1, pos: 1, at: 1, event: text('a', 'x') },
      { seq: 3, pos: 2, at: 1, event: text('a', 'y') },
    ]),
  ).toBeUndefined();
});
