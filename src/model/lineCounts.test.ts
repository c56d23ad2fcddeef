import { expect, test } from 'vitest';
import { lineCounts } from './lineCounts.ts';

test.each([
  ['', '', [0, 0]],
  ['', 'a\n', [1, 0]],
  ['a\nb\n', '', [0, 2]],
  ['a\nb\nc\n', 'a\nx\nc\n', [1, 1]],
  ['a\nb', 'a\nb\n', [0, 0]],
  ['a\nb\nc', 'c\na\nb', [1, 1]],
] as const)('%j becomes %j: added and removed %j', (before, after, [added, removed]) => {
  expect(lineCounts(before, after)).toEqual({ added, removed });
});

test('very large texts are counted line by line', () => {
  const many = (mark: string) => Array.from({ length: 2_000 }, (_, i) => `${mark}${i}`).join('\n');
  expect(lineCounts(many('a'), `${many('b')}\n`)).toEqual({ added: 2_000, removed: 2_000 });
});
