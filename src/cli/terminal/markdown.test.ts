import { expect, test } from 'vitest';
import { forTerminal, paintFor } from '../output.ts';
import { highlightCode } from './highlight.ts';
import { blockLines, splitMarkdown } from './markdown.ts';

const paint = paintFor({});

function drawn(text: string, width = 40): readonly string[] {
  const { settled, growing } = splitMarkdown(text);
  return [...settled, ...growing].flatMap((block) => blockLines(block, { paint, width }));
}

test.each<[text: string, lines: readonly string[]]>([
  ['# Title\n\nSome **bold** and `code`.', ['Title', 'Some bold and code.']],
  ['- a\n- b\n  - c\n\n3. x\n4. y', ['• a', '• b', '  • c', '3. x', '4. y']],
  ['- [x] done\n- [ ] open', ['[x] done', '[ ] open']],
  ['> quoted\n> words', ['│ quoted', '│ words']],
  ['```sh\necho "hi"\n```', ['▏ echo "hi"']],
  ['[text](http://a.b) <http://c.d>', ['text (http://a.b) http://c.d']],
  ['a &lt;b&gt; \u001b[31m', ['a <b> \\u001b[31m']],
  ['| n | price |\n|---|--:|\n| a | 9 |', ['n   │ price', '────┼──────', 'a   │     9']],
])('%j', (text, lines) => {
  expect(drawn(text)).toEqual(lines);
});

test('a table that is too wide wraps its cells', () => {
  const lines = drawn('| one | two |\n|---|---|\n| a long cell with words | short |', 20);
  expect(lines.every((line) => line.length <= 20)).toBe(true);
  expect(lines.join(' ')).toContain('words');
});

test('blocks settle one after the other while a text grows', () => {
  const text = 'First.\n\nSecond one.\n\n```js\nlet a;\n```\n\nLast.';
  let at = 0;
  const settled: string[] = [];
  for (let length = 1; length <= text.length; length += 1) {
    const split = splitMarkdown(text.slice(at, length));
    settled.push(...split.settled.map(({ raw }) => raw.trim()));
    at += split.length;
  }
  expect(settled).toEqual(['First.', 'Second one.', '```js\nlet a;\n```']);
  expect(text.slice(at)).toBe('Last.');
});

test('code is coloured, and its text stays the same', () => {
  const colours = paintFor({ isTTY: true });
  const code = 'const a = "<b>"; // \u001b[31m\nreturn `x\ny`;';
  const painted = forTerminal(highlightCode(code, 'js', colours));
  expect(painted).toContain('\u001b[35mconst\u001b[39m');
  // oxlint-disable-next-line no-control-regex -- our own colours
  expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe(code.replace('\u001b', '\\u001b'));
  expect(highlightCode('a < b', 'no-such-language', colours)).toBe('a < b');
});
