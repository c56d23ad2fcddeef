import { describe, expect, test } from 'vitest';
import { isTooHard, tryExpression, tryWhole } from './expression.ts';

describe('expressions say what the language itself would say', () => {
  test.each([
    ['', ''],
    ['', 'a'],
    ['a', 'xax'],
    ['^a$', 'ba'],
    ['a|', 'b'],
    ['^(?:a|bc)*$', 'abcbca'],
    ['^(?:a|bc)*$', 'abcb'],
    ['^a{2,3}$', 'a'],
    ['^a{2,3}$', 'aaa'],
    ['^a{2,3}$', 'aaaa'],
    ['^a{2,}?$', 'aaaaa'],
    ['^a{0}$', ''],
    ['^(a?){3}$', 'aa'],
    ['^(?:a*)*$', 'aaa'],
    ['\\bgit\\b', 'a git b'],
    ['\\bgit\\b', 'digit'],
    ['\\Bgit', 'digit'],
    ['^.$', '\n'],
    ['^.$', '😀'],
    ['^\\u{1F600}$', '😀'],
    ['^\\uD83D\\uDE00$', '😀'],
    ['^[^]$', '\n'],
    ['[\\]a]', ']'],
    ['[^a-c]', 'abc'],
    ['^\\p{Lu}+$', 'ÄÖ'],
    ['\\x41\\.\\/', 'A./'],
    ['^(?<name>x)y$', 'xy'],
    ['\\d+\\s\\w', '12 a'],
    ['[\\w-]+@', 'a-b@'],
    ['a(?=b)', 'ab'],
    ['a(?=b)', 'ac'],
    ['a(?!b)', 'ab'],
    ['^(?!.*secret).*$', 'a secret'],
    ['^(?!.*secret).*$', 'nothing'],
    ['(?<=a)b', 'ab'],
    ['(?<!a)b', 'ab'],
    ['(?<!a)b', 'cb'],
    ['>>?\\s*(?!/dev/null($|\\s))\\S+', 'ls > /dev/null'],
    ['>>?\\s*(?!/dev/null($|\\s))\\S+', 'ls > file'],
    ['(?=(?:a(?!c))b)ab', 'ab'],
    ['(?<=(?=ab).)b', 'ab'],
  ])('/%s/ on %j', (expression, text) =>
    expect(tryExpression(expression, text)).toBe(new RegExp(expression, 'su').test(text)),
  );

  test('whatever the expression and the text', () => {
    const atoms = [
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '\\b',
      '^',
      '$',
      '(',
      '(?:',
      '(?=',
      '(?!',
      '(?<=',
      '(?<!',
      ')',
      ')',
      ')',
      '|',
      '*',
      '+',
      '?',
      '{2}',
      '{0,2}',
      '{1,}',
    ];
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const some = (from: readonly string[], most: number) =>
      Array.from({ length: random(most) }, () => from[random(from.length)] ?? '').join('');
    let valid = 0;
    const different: string[] = [];
    for (let round = 0; round < 20_000; round += 1) {
      const [expression, text] = [some(atoms, 9), some(['a', 'b', ' '], 7)];
      const found = tryExpression(expression, text);
      if (found === 'invalid') continue;
      valid += 1;
      if (found !== new RegExp(expression, 'su').test(text)) different.push(`/${expression}/ on '${text}'`);
    }
    expect(different).toEqual([]);
    expect(valid).toBeGreaterThan(2_000);
  });
});

test.each<[string, string, string, string]>([
  ['a bracket', '[', 'a', 'invalid'],
  ['what would close a group around it', 'a)|(?:b', 'b', 'invalid'],
  ['a reference by number', '(a)\\1', 'aa', 'too-hard'],
  ['a reference by name', '(?<x>a)\\k<x>', 'aa', 'too-hard'],
  ['very many repetitions', '(?:a{1000}){1000}', 'a', 'too-hard'],
  ['a long expression', 'a'.repeat(2_007), 'a', 'too-hard'],
  ['a long text', 'a', 'a'.repeat(20_001), 'too-hard'],
])('%s is not tried', (_, ...[expression, text, expected]) => {
  expect(tryWhole(expression, text)).toBe(expected);
  expect(tryExpression(expression, text)).toBe(expected);
});

test('what is never tried is known beforehand', () => {
  expect(['(a)\\1', 'a+', '[', '(?:a{1000}){1000}'].map(isTooHard)).toEqual([true, false, false, true]);
});

test.each([
  '(\\w+[. ]?)*#',
  '(a+)+$',
  '(a|aa)+$',
  '(.*)*x',
  '((a?){1,30}){1,30}#',
  '(?:a?){500}a{500}x',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(?=(?:.*a){20})#',
  '(?!(a+)+b)#',
])('/%s/ takes no time to speak of, however long the text', (expression) => {
  const start = performance.now();
  expect([false, 'too-hard']).toContain(tryExpression(expression, `${'a'.repeat(19_999)}!`));
  expect(tryWhole(expression, 'a'.repeat(40))).not.toBe('invalid');
  expect(performance.now() - start).toBeLessThan(2_000);
});
