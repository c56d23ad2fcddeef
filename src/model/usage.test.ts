import { expect, test } from 'vitest';
import { countedTokens } from './usage.ts';

test.each([
  [
    'cached tokens are a part of the input',
    { input: 1_000, output: 200, cacheRead: 400 },
    { uncached: 600, total: 1_200 },
  ],
  [
    'tokens written to the cache, too',
    { input: 1_000, output: 200, cacheRead: 400, cacheWrite: 100 },
    { uncached: 500, total: 1_200 },
  ],
  ['nothing was cached', { input: 10, output: 5 }, { uncached: 10, total: 15 }],
  [
    'an input without its cache, of an earlier version',
    { input: 3, output: 5, cacheRead: 400 },
    { uncached: 3, total: 408 },
  ],
  ['nothing was reported', {}, { uncached: 0, total: 0 }],
])('%s', (_, usage, counted) => {
  expect(countedTokens(usage)).toEqual(counted);
});
