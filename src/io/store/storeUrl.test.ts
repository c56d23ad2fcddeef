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
    'mysql://db/parley',
    {
      refused:
        'A store at mysql:// is not supported; use a folder, for example file:///var/lib/parley, or ' +
        'PostgreSQL, for example postgres://parley@db.example/parley',
    },
  ],
  [
    'postgres://ada:secret@db:5433/parley?sslmode=verify-full',
    {
      url: 'postgres://ada:secret@db:5433/parley?sslmode=verify-full',
      shown: 'postgres://ada@db:5433/parley',
    },
  ],
  [
    'postgresql:///parley?host=/run/pg&user=ada&password=secret',
    {
      url: 'postgresql:///parley?host=/run/pg&user=ada&password=secret',
      shown: 'postgres://ada@/run/pg/parley',
    },
  ],
  [
    'postgres://ada:secret@:x/parley',
    { refused: 'The store URL is not valid. Example: postgres://parley@db.example/parley' },
  ],
])('%j', (address, place) => {
  expect(storePlace('/data', address)).toEqual(place);
});
