import { expect, test } from 'vitest';
import { typedText } from './typedText.ts';

test.each<[line: string, text: string, isPlain: boolean]>([
  ['/cost  ', '/cost', false],
  ['\nhello', 'hello', false],
  [' /cost ', ' /cost', true],
  ['   ', '', false],
])('%j', (line, text, isPlain) => {
  expect(typedText(line)).toEqual({ text, isPlain });
});
