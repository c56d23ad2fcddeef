import { expect, test } from 'vitest';
import { storePlace } from './storeUrl.ts';

test.each<[string | undefined, ReturnType<typeof storePlace>]>([
  [undefined, { directory: '/data', apart: false }],
  ['file:///data/', { directory: '/data', apart: false }],
  ['file:///var/lib/my%20store', { directory: '/var/lib/my store', apart: true }],
  ['here', { refused: '"here" is no address of a store; write one such as file:///var/lib/parley.' }],
  ['', { refused: '"" is no address of a store; write one such as file:///var/lib/parley.' }],
  ['file://elsewhere/data', { refused: '"file://elsewhere/data" names no folder on this machine.' }],
  [
    'postgres://db/parley',
    {
      refused:
        'A store at postgres:// is not supported; sessions are kept in SQLite, in a folder such as file:///var/lib/parley.',
    },
  ],
])('%j', (address, place) => {
  expect(storePlace('/data', address)).toEqual(place);
});
