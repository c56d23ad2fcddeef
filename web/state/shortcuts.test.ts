// The page of keys in the documentation is the list that the console shows.
import { expect, test } from 'vitest';
import { shortcutList } from './shortcuts.ts';

const pages = import.meta.glob<string>('../../docs/keys.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

test('docs/keys.md is the list of the console', () => {
  const lines = Object.values(pages)
    .join('')
    .matchAll(/^\| (?:`([^`]+)`|`` (.+?) ``) \| (.+) \|$/gm);
  expect([...lines].map(([, plain, quoted, meaning]) => [plain ?? quoted, meaning])).toEqual(shortcutList);
});
