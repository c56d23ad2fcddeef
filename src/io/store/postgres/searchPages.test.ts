import { expect, test } from 'vitest';
import { inWords } from './databaseError.ts';
import { databasePages } from './searchPages.ts';

test('a search in a database that is away fails in one line, without a password', async () => {
  const gone = {
    query: () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })),
  };
  const pages = databasePages(inWords(gone, 'Searching', 'postgres://parley@db/parley'));
  await expect(pages.indexed()).rejects.toMatchObject({
    name: 'StoreError',
    code: 'unavailable',
    message: 'Searching failed: cannot reach the database postgres://parley@db/parley: connect ECONNREFUSED',
  });
});
