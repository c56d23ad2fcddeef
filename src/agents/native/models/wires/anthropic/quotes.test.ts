import { expect, test } from 'vitest';
import { quoteBlocks } from './quotes.ts';

const cited = (text: string, ...citations: readonly string[]) => ({ type: 'text', text, citations });
const plain = (text: string) => ({ type: 'text', text });

test.each<[what: string, text: string, quotes: readonly object[], expected: readonly object[]]>([
  [
    'words with a quote in the middle',
    'It is wet, they say.',
    [{ from: 0, to: 9, citations: ['a'] }],
    [cited('It is wet', 'a'), plain(', they say.')],
  ],
  [
    'two quotes with a blank between them',
    'One. Two.',
    [
      { from: 0, to: 4, citations: ['a'] },
      { from: 5, to: 9, citations: ['b'] },
    ],
    [cited('One. ', 'a'), cited('Two.', 'b')],
  ],
  ['blanks before the first', '\n\nOne.', [{ from: 2, to: 6, citations: ['a'] }], [cited('\n\nOne.', 'a')]],
  [
    'quotes that fit nowhere',
    'Short.',
    [{ from: 3, to: 99, citations: ['a'] }, { from: -1, to: 2 }, {}, { from: 'x' }],
    [plain('Short.')],
  ],
])('%s', (...[, text, quotes, expected]) => {
  expect(quoteBlocks(text, quotes)).toEqual(expected);
});
