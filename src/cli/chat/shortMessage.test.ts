import { expect, test } from 'vitest';
import { shortMessage } from './shortMessage.ts';

test('a message of 20 lines is shown whole', () => {
  const text = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n');
  expect(shortMessage(text)).toBe(text);
});

test('5 MB are shown by their begin and end, with the count of the rest', () => {
  const lines = shortMessage(Array.from({ length: 50_000 }, (_, at) => `${at} ${'x'.repeat(94)}`).join('\n'));
  expect(lines.split('\n').length).toBe(14);
  expect(lines).toMatch(/^0 x/);
  expect(lines).toContain('\n… 49,987 more lines, 5,037,617 characters');
  expect(lines).toMatch(/\n49999 x+$/);
});

test('a line of 5 MB is cut', () => {
  expect(shortMessage('y'.repeat(5_000_000))).toMatch(
    /^y{1000} … 4,999,000 more characters, which were sent/,
  );
});
