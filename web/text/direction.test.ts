import { expect, test } from 'vitest';
import { directionOf } from './direction.ts';

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
