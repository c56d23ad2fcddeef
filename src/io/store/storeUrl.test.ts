import { expect, test } from 'vitest';
import { storePlace } from './storeUrl.ts';

test.each<[string | undefined, ReturnType<typeof storePlace>]>([
  [undefined, { directory: '/data', apart: false }],
  ['file:///data/', { directory: '/data', apart: false }],
  ['file:///var/lib/my%20store', { directory: '/var/lib/my store', apart: true }],
  ['here', { refused: '"here" is not a store URL. Example: file:///var/lib/parley' }],
  ['', { refused: '"" is not a store URL. Example: file:///var/lib/parley' }],
  ['file://elsewhere/data', { refused: '"file://elsewhere/data" is not a folder on this machine.' }],
  [
    'postgres://db/parley',
    {
      refused: 'A store at postgres:// is not supported; use a folder, for example file:///var/lib/parley',
    },
  ],
])('%j', (address, place) => {
  expect(storePlace('/data', address)).toEqual(place);
});
