import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceText } from './replacement.ts';
import type { Replacement } from './replacement.ts';

const wish = (original: string, replacement: string, everywhere = false): Replacement => ({
  original,
  replacement,
  everywhere,
});

describe('a piece is replaced', () => {
  check('once', 'one two', wish('two', '2'), 'one 2');
  check('by nothing', 'a\nb\nc\n', wish('b\n', ''), 'a\nc\n');
  check('everywhere', 'a a a', wish('a', 'b', true), 'b b b');
  check('everywhere, also within what is put there', 'aa', wish('a', 'aa', true), 'aaaa');
  check('at the very end without a line feed', 'a\nb', wish('b', 'c'), 'a\nc');
  check(
    'with signs that mean something elsewhere',
    'cost: $1 (net)',
    wish('$1 (net)', '$& $$ \\1'),
    'cost: $& $$ \\1',
  );
  check('outside the plane of most letters', 'a😀b', wish('😀', '🚀'), 'a🚀b');
  check('in the line ends of its file', 'a\r\nb\r\nc\r\n', wish('a\nb', 'x\ny\nz'), 'x\r\ny\r\nz\r\nc\r\n');
  check(
    'in the line ends of its file, where the piece has none',
    'a\r\nb\r\n',
    wish('b', 'x\ny'),
    'a\r\nx\r\ny\r\n',
  );
  check('with carriage returns that were given too', 'a\r\nb\r\n', wish('a\r\nb', 'x\r\ny'), 'x\r\ny\r\n');
  check('to the letter, where line ends are mixed', 'a\r\nb\nc\n', wish('b\nc', 'x\ny'), 'a\r\nx\ny\n');
  check('behind a byte order mark, which stays', '\ufeffa\nb\n', wish('a\nb', 'x'), '\ufeffx\n');
  check(
    'where tabs were taken for blanks',
    'if (a) {\n\tb();\n\tc();\n}\n',
    wish('  b();\n  c();', '  d();\n    e();'),
    'if (a) {\n\td();\n\t  e();\n}\n',
  );
  check('where blanks at the ends of lines differ', 'a  \nb\t\n', wish('a\nb', 'x\ny'), 'x\ny\n');
  check(
    'where blanks and carriage returns differ',
    'a {\r\n\tb\r\n}\r\n',
    wish('  b', '  x\n  y'),
    'a {\r\n\tx\r\n\ty\r\n}\r\n',
  );
  check(
    'where blanks differ behind a byte order mark',
    '\ufeff  a\n  b\n',
    wish('a\nb', 'x\ny'),
    '\ufeff  x\n  y\n',
  );
  check('where only the last line feed is missing', 'a\n  b', wish('b\n', 'c\n'), 'a\n  c');
  check(
    'where blanks differ within a line',
    'let a = f( x, y ); // why\n',
    wish('f(x,  y)', 'g(x)'),
    'let a = g(x); // why\n',
  );
  check(
    'where blanks differ from within a line to within another',
    'one(two,\n\t\tthree) + four\n',
    wish('(two,\n  three)', '()'),
    'one() + four\n',
  );
  check('where a blank in it is another sign for one', 'a\u00a0b c\n', wish('a b', 'x'), 'x c\n');
  check(
    'within a line, with the blanks around it left alone',
    'a  =  b;\n',
    wish(' = ', ' += '),
    'a  +=  b;\n',
  );

  function check(name: string, text: string, ...[wanted, expected]: [Replacement, string]): void {
    test(`it is, ${name}`, () => expect(replaceText(text, wanted, 'f')).toMatchObject({ text: expected }));
  }
});

describe('nothing is replaced', () => {
  check('without a piece', 'a', wish('', 'b'), 'is empty');
  check('by itself', 'a', wish('a', 'a'), 'are the same');
  check('by itself in other line ends', 'a\r\nb\r\n', wish('a\nb', 'a\r\nb'), 'are the same');
  check('in two places', 'a a', wish('a', 'b'), 'occurs 2 times');
  check('in two places that overlap', 'aaa', wish('aa', 'b'), 'occurs 2 times');
  check('where two places differ in blanks only', '  a\n\ta\n', wish('    a', 'b'), 'in lines 1, 2');
  check('where it is nowhere', 'a\n', wish('b', 'c'), 'does not occur in f');
  check('where only its beginning is there', 'a\nb\n', wish('a\nc', 'x'), 'Its first line is in line 1');
  check('where it is blanks only', 'a\n', wish('  \n ', 'x'), 'does not occur');
  check(
    'where two pieces of lines differ in blanks only',
    'x( a ) x(a )\n',
    wish('x(a)', 'y'),
    'occurs 2 times, in lines 1;',
  );
  check(
    'where much is alike and nothing the same',
    '='.repeat(20_000),
    wish(`${'='.repeat(9_000)}x`, 'y'),
    'does not occur',
  );
  check('where words would have to be torn apart', 'ab c\n', wish('a b', 'x'), 'does not occur');
  check('where letters differ', 'Straße', wish('Strasse', 'x'), 'does not occur');
  check('in another case', 'ABC', wish('abc', 'x'), 'does not occur');

  function check(name: string, text: string, ...[wanted, why]: [Replacement, string]): void {
    test(`it is not, ${name}`, () =>
      expect(replaceText(text, wanted, 'f')).toMatchObject({
        refused: expect.stringContaining(why) as string,
      }));
  }
});

const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', '{', '$', 'é', '😀'), maxLength: 6 });
const file = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, end, marked]) => `${marked ? '\ufeff' : ''}${lines.join(end)}`);

const asked = fc.record({ text: file, from: fc.nat(), length: fc.nat({ max: 12 }), fresh: line });

test('whatever is asked, what lies outside the piece stays to the letter, and so do line ends and marks', () => {
  const bare = (given: string) => given.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  fc.assert(
    fc.property(asked, ({ text, from, length, fresh }) => {
      const at = from % (text.length + 1);
      const original = text.slice(at, at + length);
      const done = replaceText(text, wish(original, fresh), 'f');
      if ('refused' in done) return true;
      const exact =
        done.loosely === true || bare(done.text) === bare(text).replace(bare(original), () => fresh);
      const marked =
        original.includes('\ufeff') || done.text.startsWith('\ufeff') === text.startsWith('\ufeff');
      return exact && marked && !(text.includes('\r\n') && /(?:^|[^\r])\n/.test(done.text));
    }),
    { numRuns: 300 },
  );
});

test('a replacement is taken back by its opposite, where each is found in one place', () => {
  fc.assert(
    fc.property(file, line, line, (...[text, original, fresh]) => {
      const done = replaceText(text, wish(original, fresh), 'f');
      if ('refused' in done || done.loosely || fresh === '') return true;
      const back = replaceText(done.text, wish(fresh, original), 'f');
      return 'refused' in back || back.loosely === true || back.text === text;
    }),
    { numRuns: 300 },
  );
});

test('a large file with a thousand places is refused or changed at once', () => {
  const text = 'const x = 1;\n'.repeat(200_000);
  expect(replaceText(text, wish('const x = 1;', 'y'), 'f')).toMatchObject({
    refused: expect.stringContaining('occurs 200000 times') as string,
  });
  expect(replaceText(`${text}end`, wish('1;\nend', '2;\nend'), 'f')).toMatchObject({ line: 200_000 });
});
