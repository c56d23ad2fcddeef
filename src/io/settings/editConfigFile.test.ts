import { expect, test } from 'vitest';
import { withBlock, withoutBlock, withValue } from './editConfigFile.ts';

const set = (text: string, path: readonly string[], value: unknown) =>
  withValue(text, [...path], { value, file: 'f' });

test.each<[string, string, string]>([
  ['nothing', '', '{\n  "a": {\n    "P": 1\n  }\n}\n'],
  ['an empty object', '{}\n', '{\n  "a": {\n    "P": 1\n  }\n}\n'],
  [
    'neighbours on one line, and a comment behind the last',
    '{\n  "a": {\n    "Claude": { "x": [1,2] } // keep\n  }\n}\n',
    '{\n  "a": {\n    "Claude": { "x": [1,2] }, // keep\n    "P": 1\n  }\n}\n',
  ],
  [
    'a comma at the end',
    '{\n  "a": {\n    "Claude": 0, // keep\n  },\n}\n',
    '{\n  "a": {\n    "Claude": 0, // keep\n    "P": 1,\n  },\n}\n',
  ],
  [
    'tabs and returns',
    '{\r\n\t"z": 1,\r\n\t"a": {\r\n\t\t"b": 2\r\n\t}\r\n}\r\n',
    '{\r\n\t"z": 1,\r\n\t"a": {\r\n\t\t"b": 2,\r\n\t\t"P": 1\r\n\t}\r\n}\r\n',
  ],
  ['one line', '{ "a": { "b": 2 } }\n', '{ "a": { "b": 2, "P": 1 } }\n'],
  ['the value itself', '{ "a": { "P": 7 /* seven */ } }\n', '{ "a": { "P": 1 /* seven */ } }\n'],
  ['no end of line', '{ "a": { "b": 2 } }', '{ "a": { "b": 2, "P": 1 } }\n'],
  ['a comment alone', '{\n  // mine\n}\n', '{\n  // mine\n  "a": {\n    "P": 1\n  }\n}\n'],
])('%s: a value is set and nothing else changes', (_, before, after) => {
  expect(set(before, ['a', 'P'], 1)).toBe(after);
  expect(set(after, ['a', 'P'], 1)).toBe(after);
});

test('a value is removed, and its neighbours stay as they are', () => {
  const text = '{\n\t"a": {\n\t\t"Claude": { "x": [1,2] }, // keep\n\t\t"P": 1\n\t}\n}\n';
  expect(set(text, ['a', 'P'], undefined)).toContain('\n\t\t"Claude": { "x": [1,2] }');
  expect(JSON.parse(set(text, ['a', 'P'], undefined).replace('// keep', ''))).toEqual({
    a: { Claude: { x: [1, 2] } },
  });
});

test('a text that is not an object is refused', () => {
  expect(() => set('[]', ['a'], 1)).toThrow('not valid JSON');
  expect(() => set('{ "a": 1 }', ['a', 'P'], 1)).toThrow('a is not an object');
});

test('a block is added with the ends of lines of the file, replaced, and removed', () => {
  const block = { begin: ';; begin', end: ';; end', lines: ['x'] };
  const added = withBlock(';; mine\r\n', block);
  expect(added).toBe(';; mine\r\n\r\n;; begin\r\nx\r\n;; end\r\n');
  expect(withBlock(added, { ...block, lines: ['y'] })).toBe(added.replace('x', 'y'));
  expect(withoutBlock(added, block)).toBe(';; mine\r\n');
  expect(withoutBlock(';; mine', block)).toBe(';; mine');
});
