import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffTexts, lineCounts, takeOld, touches } from './textDiff.ts';

describe('unified hunks', () => {
  check('one\ntwo\nthree\n', 'one\nTWO\nthree\n', {
    diff: '@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three',
    added: 1,
    removed: 1,
  });
  check(null, 'new\n', { diff: '@@ -0,0 +1,1 @@\n+new', added: 1, removed: 0 });
  check('old\n', null, { diff: '@@ -1,1 +0,0 @@\n-old', added: 0, removed: 1 });
  check('same\n', 'same\n', { diff: '', added: 0, removed: 0 });
  check('1\n2\n3\n4\n5\n6\n7\n8\n9\n', '1\n2\n3\n4\n5\n6\n7\n8\nnine\n', {
    diff: '@@ -6,4 +6,4 @@\n 6\n 7\n 8\n-9\n+nine',
    added: 1,
    removed: 1,
  });
  check('a\n1\n2\n3\n4\n5\n6\n7\nb\n', 'A\n1\n2\n3\n4\n5\n6\n7\nB\n', {
    diff: '@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B',
    added: 2,
    removed: 2,
  });
});

test('the hunks of any two texts turn the first into the second', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '', 'd d'), { maxLength: 30 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      expect(patch(before, diffTexts(before, after).diff)).toBe(after);
    }),
    { numRuns: 500 },
  );
});

test('texts with nothing in common are replaced whole, quickly', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, n) => `${word}${n}\n`).join('');
  expect(diffTexts(many('a'), many('b'))).toMatchObject({ added: 20_000, removed: 20_000 });
});

describe('line counts', () => {
  test.each([
    ['', '', [0, 0]],
    ['', 'a\n', [1, 0]],
    [null, 'a\n\n', [2, 0]],
    ['a\nb\n', '', [0, 2]],
    ['a\nb\nc\n', 'a\nx\nc\n', [1, 1]],
    ['a\nb', 'a\nb\n', [0, 0]],
    ['a\nb\nc', 'c\na\nb', [1, 1]],
  ] as const)('%j becomes %j: added and removed %j', (before, after, [added, removed]) => {
    expect(lineCounts(before, after)).toEqual({ added, removed });
  });

  test('texts that are too different to compare are counted line by line', () => {
    const many = (mark: string) => Array.from({ length: 2_000 }, (_, i) => `${mark}${i}`).join('\n');
    expect(lineCounts(many('a'), `${many('b')}\n`)).toEqual({ added: 2_000, removed: 2_000 });
  });
});

function check(before: string | null, after: string | null, expected: ReturnType<typeof diffTexts>): void {
  test(`${JSON.stringify(before)} to ${JSON.stringify(after)}`, () => {
    expect(diffTexts(before, after)).toEqual(expected);
  });
}

/** Applies hunks the way a client would: by their line numbers, checking what they say about the old text. */
function patch(before: string, diff: string): string {
  const old = before === '' ? [] : before.slice(0, -1).split('\n');
  const result: string[] = [];
  let at = 0;
  for (const line of diff === '' ? [] : diff.split('\n')) {
    const header = /^@@ -(\d+),(\d+) \+\d+,\d+ @@$/.exec(line);
    if (header) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      while (at < start) result.push(old[at++] ?? '');
      continue;
    }
    if (!line.startsWith('+') && old[at++] !== line.slice(1))
      throw new Error(`The hunk says ${line} where the text has ${old[at - 1]}.`);
    if (!line.startsWith('-')) result.push(line.slice(1));
  }
  return [...result, ...old.slice(at)].map((line) => `${line}\n`).join('');
}

describe('taking changes from the old text', () => {
  const [before, after] = ['a\nb\nc\nd\n', 'A\nb\nd\ne'];
  test.each([
    [{ from: 0, to: 1 }, 'a\nb\nd\ne'],
    [{ from: 1, to: 2 }, 'A\nb\nc\nd\ne'],
    [{ from: 3, to: 4 }, 'A\nb\nd\n'],
    [{ from: 0, to: 4 }, before],
  ])('in lines %j', (range, text) => {
    expect(takeOld(before, after, ({ now }) => touches(now, range))).toBe(text);
  });

  test('none where none is chosen, or nothing differs', () => {
    expect(takeOld(before, after, () => false)).toBeUndefined();
    expect(takeOld(before, before, () => true)).toBeUndefined();
  });

  test('one by one, in any order, ends at the old text; and the other way at the new one', () => {
    const text = fc
      .tuple(
        fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n'), { maxLength: 20 }),
        fc.constantFrom('', 'x'),
      )
      .map(([lines, end]) => lines.join('') + end);
    fc.assert(
      fc.property(text, text, fc.nat(), (old, now, seed) => {
        let current = now;
        for (let round = 0; current !== old; round += 1) {
          let seen = 0;
          const next = takeOld(old, current, () => (seen += 1) === 1 + ((seed + round) % 3));
          current = next ?? takeOld(old, current, () => true) ?? old;
          expect(round).toBeLessThan(100);
        }
        expect(takeOld(now, old, () => true) ?? now).toBe(now);
      }),
    );
  });
});
