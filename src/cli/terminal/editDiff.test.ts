import { expect, test } from 'vitest';
import { forTerminal, paintFor } from '../output.ts';
import { editDiff } from './editDiff.ts';

test('lines have numbers, and words that differ stand out', () => {
  const plain = editDiff('one\ntwo words\nthree\n', 'one\ntwo cats\nthree\nfour\n', paintFor({}));
  expect(plain).toEqual({
    added: 2,
    removed: 1,
    lines: ['   1   one', '   2 - two words', '   2 + two cats', '   3   three', '   4 + four'],
  });
  const [, removed = ''] = editDiff('a\ntwo words\n', 'a\ntwo cats\n', paintFor({ isTTY: true })).lines;
  expect(forTerminal(removed)).toBe('\u001b[31m   2 - two \u001b[7mwords\u001b[27m\u001b[39m');
});

test('what hides in a change is spelled out', () => {
  expect(editDiff(null, 'a\u202eb\n', paintFor({})).lines).toEqual(['   1 + a\\u202eb']);
});
