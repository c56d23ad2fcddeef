// Lists of sources are written and read again.
import { expect, test } from 'vitest';
import { sourceList, sourcesIn } from './answerSources.ts';

test('what is written is read again', () => {
  const sources = [
    { title: 'A page', url: 'https://a.example/%28x%29' },
    { title: 'http://b.example/', url: 'http://b.example/' },
  ];
  expect(sourcesIn(sourceList(sources))).toEqual(sources);
  expect(sourceList([])).toBe('');
});

test.each([
  '',
  'Sources:',
  '\n\nSources:\n',
  '\n\nSources:\n- [a](https://a.example)\nand more\n',
  '\n\nSources:\n- [a](ftp://a.example)\n',
  'It is so.\n\nSources:\n- [a](https://a.example)\n',
])('%j is no such list', (text) => {
  expect(sourcesIn(text)).toBeUndefined();
});
