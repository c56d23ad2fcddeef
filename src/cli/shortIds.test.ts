import { expect, test } from 'vitest';
import { shortIds } from './shortIds.ts';

test.each<[ids: readonly string[], short: readonly string[]]>([
  [[], []],
  [['abc'], ['abc']],
  [
    ['0123456789', '9876543210'],
    ['01234567', '98765432'],
  ],
  [
    ['session-10', 'session-1', 'session-2'],
    ['session-10', 'session-1', 'session-2'],
  ],
  [
    ['aaaaaaaa-1-x', 'aaaaaaaa-2-x'],
    ['aaaaaaaa-1', 'aaaaaaaa-2'],
  ],
  [
    ['same', 'same'],
    ['same', 'same'],
  ],
])('%j', (ids, short) => {
  const found = shortIds(ids);
  expect(ids.map((id) => found.get(id))).toEqual(short);
});

test('many that begin alike cost no more than sorting them', () => {
  const ids = Array.from({ length: 100_000 }, (_, at) => `session-${at}`);
  const found = shortIds(ids);
  expect([found.size, found.get('session-99999'), found.get('session-5')]).toEqual([
    100_000,
    'session-99999',
    'session-5',
  ]);
});
