import { expect, test } from 'vitest';
import { LineEditor } from './lineEditor.ts';

/** Types a text and presses keys; `|` stands where the caret is. */
function edited(typed: string, ...keys: readonly string[]): string {
  const editor = new LineEditor();
  editor.insert(typed);
  for (const key of keys) expect(editor.press(key)).toBe(true);
  return `${editor.text.slice(0, editor.caret)}|${editor.text.slice(editor.caret)}`;
}

test.each<[typed: string, keys: readonly string[], expected: string]>([
  ['one two', ['ctrl-w'], 'one |'],
  ['one two', ['ctrl-w', 'ctrl-y', 'ctrl-y'], 'one twotwo|'],
  ['one two', ['alt-b', 'ctrl-k'], 'one |'],
  ['one two', ['ctrl-a', 'alt-d'], '| two'],
  ['one two', ['ctrl-a', 'ctrl-right', 'ctrl-u'], '| two'],
  ['one\ntwo', ['up'], 'one|\ntwo'],
  ['one\ntwo', ['up', 'home', 'down', 'end'], 'one\ntwo|'],
  ['long line\nab', ['up', 'up'], 'lo|ng line\nab'],
  ['a', ['alt-enter', 'backspace', 'shift-enter'], 'a\n|'],
  ['x👩‍👩‍👧‍👦', ['backspace'], 'x|'],
  ['x👩‍👩‍👧‍👦y', ['left', 'left', 'delete'], 'x|y'],
  ['', ['backspace', 'delete', 'left', 'right', 'up', 'down', 'ctrl-w'], '|'],
])('%j %j', (typed, keys, expected) => {
  expect(edited(typed, ...keys)).toBe(expected);
});

test('a long paste is one word, is sent whole, and is removed at once', () => {
  const editor = new LineEditor();
  const lines = Array.from({ length: 21 }, (_, at) => `line ${at}`).join('\n');
  editor.insert('See ');
  editor.paste(`${lines}\n`);
  editor.paste('and\nthis');
  expect(editor.text).toBe('See [pasted 21 lines]and\nthis');
  expect(editor.wholeText).toBe(`See ${lines}and\nthis`);
  for (let count = 0; count < 'and\nthis'.length; count += 1) editor.press('backspace');
  editor.press('backspace');
  expect(editor.text).toBe('See ');
});

test.each<[text: string, width: number, expected: ReturnType<LineEditor['layout']>]>([
  ['', 10, { lines: [''], row: 0, column: 0 }],
  ['abc', 10, { lines: ['abc'], row: 0, column: 3 }],
  ['abcdef', 3, { lines: ['abc', 'def', ''], row: 2, column: 0 }],
  ['a\nb', 10, { lines: ['a', 'b'], row: 1, column: 1 }],
  ['日本語', 5, { lines: ['日本', '語'], row: 1, column: 2 }],
  ['a\u001bb', 10, { lines: ['a\\u001bb'], row: 0, column: 8 }],
])('the layout of %j in %i columns', (text, width, expected) => {
  const editor = new LineEditor();
  editor.insert(text);
  expect(editor.layout(width)).toEqual(expected);
});

test('a long line is folded, too, and a text that comes back is folded again and sent whole', () => {
  const editor = new LineEditor();
  const line = 'y'.repeat(5_000_000);
  editor.paste(line);
  expect([editor.text, editor.wholeText === line]).toEqual(['[pasted 5000000 characters]', true]);
  const lines = 'one\n'.repeat(30).trimEnd();
  editor.load(lines);
  expect([editor.text, editor.wholeText]).toEqual(['[pasted 30 lines]', lines]);
});
