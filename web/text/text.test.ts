// Text made fit for showing: escapes, hidden characters, blocks, differences and words.
import fc from 'fast-check';
import { walkTokens } from 'marked';
import { describe, expect, test } from 'vitest';
import { createSplitter } from './blocks.ts';
import { compare, wordsOf } from './diff.ts';
import { markRuns } from './runs.ts';
import { keepEnd, stripEscapes } from './plainText.ts';
import { joinCommand, splitCommand } from './commandLine.ts';
import { formatLines, parseLines } from './namedLines.ts';
import {
  byWhom,
  formatAge,
  formatSince,
  toUri,
  formatDuration,
  nameOf,
  pathOf,
  statusKindOf,
  formatTokens,
} from './format.ts';

describe('escapes of terminals are left out', () => {
  check('plain\ttext\n', 'plain\ttext\n');
  check('\u001b[1;31mred\u001b[0m', 'red');
  check('\u001b]0;title\u0007shown', 'shown');
  check('\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\', 'link');
  check('\u001b]unfinished', '');
  check('10 %\r50 %\r100 %\ndone\r\n', '100 %\ndone\n');
  check('a\u0008\u0000b\u009b31mc', 'abc');
  check('\u001bP1;1|17/ab\u001b\\after', 'after');

  function check(text: string, shown: string): void {
    test(`of ${JSON.stringify(text)}`, () => {
      expect(stripEscapes(text)).toBe(shown);
    });
  }
});

test('a long text keeps its end, from the beginning of a line', () => {
  expect(keepEnd('one\ntwo\nthree', 9)).toEqual({ text: 'two\nthree'.slice(4), hidden: 8 });
  expect(keepEnd('short', 9)).toEqual({ text: 'short', hidden: 0 });
  expect(keepEnd('x'.repeat(20), 9)).toEqual({ text: 'x'.repeat(9), hidden: 11 });
});

describe('blocks', () => {
  const piece = fc.constantFrom(
    '# head\n',
    'word ',
    '\n',
    '\n\n',
    '- item\n',
    '  more\n',
    '```js\ncode\n',
    '```\n',
    '> quote\n',
    // On a line of its own: a heading with more columns than the rule below it is no table, but ends a
    // paragraph all the same, or not, by what follows.
    '\n| a | b |\n|---|---|\n',
    '1. one\n',
    '**bold** ',
    '<b>raw</b>\n',
    '\r\n',
    '    ',
    '$$\n',
    '$x$ ',
    '$$y$$',
    '\\[\n',
    '\\]\n',
    '<details>\n',
    '<summary>more</summary>\n',
    '</details>\n',
    '[^1]: note\n',
    '[^1] ',
  );

  test('are the same however the text arrives', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
        const split = createSplitter();
        let text = '';
        for (const part of pieces) split((text += part));
        expect(split(text).map(({ raw }) => raw)).toEqual(createSplitter()(text).map(({ raw }) => raw));
      }),
    );
  });

  test('keep their identity once they are complete', () => {
    const split = createSplitter();
    const [first] = split('para one\n\npara two');
    expect(split('para one\n\npara two goes on\n\nand three')[0]).toBe(first);
  });

  test('start afresh when the text is another one', () => {
    const split = createSplitter();
    split('one\n\ntwo\n\nthree');
    expect(split('other').map(({ raw }) => raw)).toEqual(['other']);
  });
});

describe('formulas', () => {
  check('so $x^2$ grows', ['$x^2$']);
  check('$a$, $b$-th and ($c$)', ['$a$', '$b$', '$c$']);
  check('a \\(x + 1\\) b', ['\\(x + 1\\)']);
  check('a $$x$$ b', ['$$x$$']);
  check('$$\na\n- b\n$$\nmore', ['$$\na\n- b\n$$\n']);
  check('text\n$$x$$\n', ['$$x$$']);
  check('\\[\nx\n\\]', ['\\[\nx\n\\]']);
  check('\\[ a = b \\]', ['\\[ a = b \\]']);
  check('- one\n- $x$', ['$x$']);
  check('$2 \\times 3 \\text{ for all } x$', ['$2 \\times 3 \\text{ for all } x$']);
  check('$\\$5$', ['$\\$5$']);
  // No formulas: prices, variables, brackets, code.
  check('from $5 and $6 to $7', []);
  check('$5, or 6$ in words', []);
  check('it costs $5/$6 or US$5 or A$5$', []);
  check('$HOME/$USER and $PATH', []);
  check('$5-$10, $1,000.00 and $ 3 $', []);
  check('see \\[1\\] and \\[note\\]', []);
  check('`$x$` and\n```sh\n$$\n$$\n```', []);
  check('$$\nno end\n\n$$\n\nmore', []);
  check('\\$x$', []);

  function check(text: string, found: readonly string[]): void {
    test(`in ${JSON.stringify(text)}`, () => {
      const tokens: string[] = [];
      const blocks = createSplitter()(text).map(({ token }) => token);
      void walkTokens(blocks, ({ type, raw }) => {
        if (type.startsWith('maths')) tokens.push(raw);
      });
      expect(tokens).toEqual(found);
    });
  }
});

describe('folded parts and footnotes', () => {
  check('<details>\n<summary>More</summary>\n\n- a\n\n</details>\n\nafter', ['details', 'paragraph']);
  check('<details open>a\n<details>b</details>\n</details>', ['details']);
  check('<details>\nwithout an end\n\nmore', ['details']);
  check('<details onclick="x">\na\n</details>', ['html']);
  check('<details>\n'.repeat(12), ['html']);
  check('a[^1] b\n\n[^1]: the\nnote\n[^word]: other\n\nend', [
    'paragraph',
    'footnote',
    'footnote',
    'paragraph',
  ]);
  check('a[^-z] [^ab] [^1]', ['paragraph']);

  function check(text: string, types: readonly string[]): void {
    test(`in ${JSON.stringify(text.slice(0, 60))}`, () => {
      expect(createSplitter()(text).map(({ token }) => token.type)).toEqual(types);
    });
  }
});

test('a difference has numbered lines in hunks', () => {
  expect(compare('a\nb\nc\n', 'a\nB\nc\nd')).toEqual({
    added: 2,
    removed: 1,
    hunks: [
      {
        after: { from: 1, lines: 4 },
        place: '',
        header: '@@ -1,3 +1,4 @@',
        lines: [
          { kind: 'same', before: 1, after: 1, text: 'a' },
          { kind: 'removed', before: 2, text: 'b' },
          { kind: 'added', after: 2, text: 'B' },
          { kind: 'same', before: 3, after: 3, text: 'c' },
          { kind: 'added', after: 4, text: 'd' },
        ],
      },
    ],
  });
  expect(compare('same', 'same')).toEqual({ hunks: [], added: 0, removed: 0 });
});

test('a hunk is named by the part of the text that it begins in', () => {
  const lines = ['function first() {', '  one();', '}', '', 'class Second {', '  a = 1;', '}', ''];
  const placeOf = (before: readonly string[], after: readonly string[]) =>
    compare(before.join('\n'), after.join('\n'))?.hunks[0]?.place;
  expect(placeOf(lines, lines.with(5, '  a = 2;'))).toBe('class Second');
  expect(placeOf(lines, lines.with(0, 'export function first(now) {'))).toBe('export function first(now)');
  expect(placeOf(['# Shop', '', 'Old words'], ['# Shop', '', 'New words'])).toBe('# Shop');
  expect(placeOf(['Old words'], ['New words'])).toBe('');
});

test('lines that differ in whitespace alone are the same on request', () => {
  const options = { ignoreWhitespace: true };
  expect(compare('if (a)\n  b();\n', 'if (a)\n    b();\n', options)?.hunks).toEqual([]);
  expect(compare('  a\nb\n', 'a\nc\n', options)).toMatchObject({ added: 1, removed: 1 });
});

test('the words that changed in a line are marked, unless all did', () => {
  const lines =
    compare('const a = 1;\nkeep\nx\n', 'const b = 1;\nkeep\nentirely new\n')?.hunks[0]?.lines ?? [];
  const words = wordsOf(lines);
  const marked = lines.map((line) => words.get(line)?.map(({ from, to }) => line.text.slice(from, to)));
  expect(marked).toEqual([['a'], ['b'], undefined, undefined, undefined]);
});

test('highlighted runs are cut where a marked range begins and ends', () => {
  const runs = [
    { text: 'const ', kind: 'k' },
    { text: 'abc', kind: '' },
  ];
  expect(markRuns(runs, [{ from: 4, to: 7 }])).toEqual([
    { text: 'cons', kind: 'k', marked: false },
    { text: 't ', kind: 'k', marked: true },
    { text: 'a', kind: '', marked: true },
    { text: 'bc', kind: '', marked: false },
  ]);
});

test('who did something is named once where a device has the same name', () => {
  const by = { kind: 'client', door: 'ahp', name: 'Chrome on Linux' };
  expect(
    [by, { ...by, device: 'phone' }, { ...by, device: 'Chrome on Linux' }, { kind: 'client' }].map(byWhom),
  ).toEqual([
    'by Chrome on Linux on this computer',
    'by Chrome on Linux on phone',
    'by Chrome on Linux',
    'by client on this computer',
  ]);
  // Right-to-left marks would turn what follows.
  expect(byWhom({ ...by, name: 'Eve\u202Elive' })).toBe('by Eve\\u202elive on this computer');
});

test('what happened long ago has a date', () => {
  const now = Date.parse('2026-03-02T12:00:00Z');
  const days = (count: number) => now - count * 86_400_000;
  expect([days(0), days(2), days(29), days(30), days(50)].map((since) => formatSince(since, now))).toEqual([
    'just now',
    '2 d ago',
    '29 d ago',
    '2026-01-31',
    '2026-01-11',
  ]);
});

test('words for numbers, times and places', () => {
  const now = Date.parse('2026-01-02T12:00:00Z');
  expect(
    [
      '2026-01-02T11:59:30Z',
      '2026-01-02T11:30:00Z',
      '2026-01-02T02:00:00Z',
      '2026-01-01T02:00:00Z',
      '2025-01-01T02:00:00Z',
      'x',
    ].map((time) => formatAge(time, now)),
  ).toEqual(['now', '30 min', '10 h', '1 d', '2025-01-01', '']);
  expect([950, 12_340, 75_000, 3_700_000].map(formatDuration)).toEqual([
    '0.9 s',
    '12 s',
    '1 min 15 s',
    '1 h 1 min',
  ]);
  expect([999, 1234, 45_678, 1_500_000].map(formatTokens)).toEqual(['999', '1.2k', '46k', '1.5M']);
  expect([pathOf('file:///a/b%20c'), nameOf('file:///a/b%20c/'), pathOf('x:/y')]).toEqual([
    '/a/b c',
    'b c',
    'x:/y',
  ]);
  expect([toUri('/a/b c'), toUri('C:\\a'), toUri('vscode-remote:/x')]).toEqual([
    'file:///a/b%20c',
    'file:///C:/a',
    'vscode-remote:/x',
  ]);
  expect([1, 1 + 32, 2, 8, 24, 24 + 32, 8 + 2 ** 40].map(statusKindOf)).toEqual([
    'unread',
    'idle',
    'failed',
    'running',
    'waiting',
    'waiting',
    'running',
  ]);
});

describe('command lines', () => {
  check("npx -y 'a b' c\\ d", ['npx', '-y', 'a b', 'c d']);
  check('run "say \\"hi\\"" --x=\'1 2\'', ['run', 'say "hi"', '--x=1 2']);
  check('', []);

  function check(line: string, words: readonly string[]): void {
    test(`of ${JSON.stringify(line)}`, () => {
      expect(splitCommand(line)).toEqual(words);
      expect(splitCommand(joinCommand(words))).toEqual(words);
    });
  }

  test.each(['node "a b', "it's", 'a \\', '"\\"'])('%j is not complete', (line) => {
    expect(splitCommand(line)).toBeUndefined();
  });

  test('quote what a shell would split or expand', () => {
    expect(joinCommand(['a', 'b c', "it's $x", ''])).toBe(`a 'b c' "it's \\$x" ''`);
    expect(splitCommand(`"it's \\$x" ''`)).toEqual(["it's $x", '']);
  });
});

test('lines of names and values are read and written', () => {
  expect(parseLines('A=1\n\n B = x=y ', '=')).toEqual({ values: { A: '1', B: 'x=y' } });
  expect(parseLines('Authorization: Bearer a:b', ':')).toEqual({ values: { Authorization: 'Bearer a:b' } });
  expect(parseLines('A=1\nnonsense', '=')).toEqual({ wrong: 'nonsense' });
  expect(formatLines({ A: '1', B: '2' }, '=')).toBe('A=1\nB=2');
  expect(formatLines({ A: '1' }, ':')).toBe('A: 1');
});
