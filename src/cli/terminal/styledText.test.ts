import { expect, test } from 'vitest';
import { forTerminal, paintFor } from '../output.ts';
import { cutText, spread, textWidth, wrapText } from './styledText.ts';

const paint = paintFor({ isTTY: true });
const shown = (text: string) => forTerminal(text).replaceAll('\u001b[', '<');

test.each<[string, number]>([
  ['', 0],
  ['abc', 3],
  ['日本', 4],
  ['👩‍👩‍👧‍👦', 2],
  ['🏳️‍🌈', 2],
  ['é', 1],
  ['می‌خواهم', 7],
])('%j takes %i columns', (text, width) => {
  expect([textWidth(text), textWidth(paint.bold(text))]).toEqual([width, width]);
});

test('a letter is as wide alone as beside one that needs the slow way', () => {
  const letters = Array.from({ length: 0x2800 }, (_, at) => String.fromCharCode(at))
    // Letters of other scripts may join with the next one.
    .filter((letter) => /^[^\p{C}\p{M}\u0300-\u200f]$/u.test(letter));
  expect(letters.filter((letter) => textWidth(letter) !== textWidth(`${letter}日`) - 2)).toEqual([]);
});

test.each<[text: string, width: number, lines: readonly string[]]>([
  ['one two three', 8, ['one two ', 'three']],
  ['one two', 3, ['one', 'two']],
  ['abcdefgh', 3, ['abc', 'def', 'gh']],
  ['a\n\nb', 5, ['a', '', 'b']],
  [`x ${paint.red('red and red')} y`, 6, ['x <31mred <39m', '<31mand <39m', '<31mred<39m y']],
])('%j in %i columns', (text, width, lines) => {
  const wrapped = wrapText(text, width);
  expect(wrapped.map(shown)).toEqual(lines);
  expect(wrapped.every((line) => textWidth(line) <= width)).toBe(true);
});

test('what does not fit is cut or left out', () => {
  expect(cutText('abcdef', 4)).toBe('abc…');
  expect(shown(cutText(paint.bold('日本語'), 4))).toBe('<1m日…<22m');
  expect([spread('a', 'b', 5), spread('abc', 'def', 6)]).toEqual(['a   b', 'abc']);
});
