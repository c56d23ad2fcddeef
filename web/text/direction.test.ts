import { expect, test } from 'vitest';
import { directionOf, rightToLeftWords } from './direction.ts';

test.each([
  ['Plain English', 'ltr'],
  ['', 'ltr'],
  ['42 %', 'ltr'],
  ['12. פריט ראשון', 'rtl'],
  ['«هذا» English', 'rtl'],
  ['English ثم عربي', 'ltr'],
  ['🙂 שלום', 'rtl'],
])('%s reads %s', (text, direction) => {
  expect(directionOf(text)).toBe(direction);
});

test.each([
  ['ls -la', ['ls -la']],
  ['cat \u05d0 > \u05d1', ['cat ', '\u05d0', ' > ', '\u05d1', '']],
  ['rm \u05d01/\u0628\u064e\u0628', ['rm ', '\u05d0', '1/', '\u0628\u064e\u0628', '']],
])('each word of %s that reads from the right is taken by itself', (text, parts) => {
  expect(rightToLeftWords(text)).toEqual(parts);
});
