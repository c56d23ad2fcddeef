import { expect, test } from 'vitest';
import { visibleValue } from './visibleValue.ts';

test('every text of a value shows what hides in it, and the rest stays', () => {
  expect(visibleValue({ command: 'a\rb', list: ['\u202e', 1, null, true], 'na\u200bme': {} })).toEqual({
    command: 'a\\rb',
    list: ['\\u202e', 1, null, true],
    'na\\u200bme': {},
  });
});
