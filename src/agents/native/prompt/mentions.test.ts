import { expect, test } from 'vitest';
import { mentionsIn } from './mentions.ts';

test.each([
  ['see @src/a.ts and @b.md.', [{ path: 'src/a.ts' }, { path: 'b.md' }]],
  [
    '@a.ts:L3-L9 (@a.ts:L4)',
    [
      { path: 'a.ts', lines: { start: 3, end: 9 } },
      { path: 'a.ts', lines: { start: 4, end: 4 } },
    ],
  ],
  ['@"a name.md" @~/x @/etc/hosts', [{ path: 'a name.md' }, { path: '~/x' }, { path: '/etc/hosts' }]],
  ['mail me@example.org or @a, @a', [{ path: 'a' }]],
  ['nothing @ all', []],
])('%s', (text, expected) => expect(mentionsIn(text)).toEqual(expected));
