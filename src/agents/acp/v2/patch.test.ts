// The parts of a patch as diffs with old and new text.
import { expect, test } from 'vitest';
import { textDiffs } from './patch.ts';

check(
  'two parts of one file, whose last line has no end',
  {
    changes: [{ operation: 'modify', path: '/w/a.txt' }],
    lines: [
      'diff --git a/a.txt b/a.txt',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,2 +1,2 @@',
      ' one',
      '-two',
      '+2',
      '@@ -9 +9 @@',
      '-nine',
      '\\ No newline at end of file',
      '+--- 9',
      '\\ No newline at end of file',
    ],
  },
  [
    { type: 'diff', path: '/w/a.txt', oldText: 'one\ntwo\n', newText: 'one\n2\n' },
    { type: 'diff', path: '/w/a.txt', oldText: 'nine', newText: '--- 9' },
  ],
);

check(
  'a new file and a removed one',
  {
    changes: [
      { operation: 'delete', path: '/w/old' },
      { operation: 'add', path: '/w/new' },
    ],
    lines: [
      'diff --git a/w/new b/w/new',
      'new file mode 100644',
      '--- /dev/null',
      '+++ b/w/new',
      '@@ -0,0 +1 @@',
      '+fresh',
      'diff --git a/w/old b/w/old',
      'deleted file mode 100644',
      '--- a/w/old',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-gone',
    ],
  },
  [
    { type: 'diff', path: '/w/new', newText: 'fresh\n' },
    { type: 'diff', path: '/w/old', oldText: 'gone\n', newText: '' },
  ],
);

check(
  'a line that is added without its surroundings, which would look like the whole file',
  {
    changes: [{ operation: 'modify', path: '/w/a' }],
    lines: ['--- a/a', '+++ b/a', '@@ -3,0 +4 @@', '+four'],
  },
  [],
);

check(
  'nonsense',
  { changes: [{ operation: 'modify', path: '/w/a' }], lines: ['what', '@@ no @@', '+x', '\\'] },
  [],
);

interface Given {
  readonly changes: Parameters<typeof textDiffs>[0];
  readonly lines: readonly string[];
}

function check(name: string, { changes, lines }: Given, expected: readonly object[]): void {
  test(`diffs of ${name}`, () => {
    expect(textDiffs(changes, [...lines, ''].join('\n'))).toEqual(expected);
  });
}
