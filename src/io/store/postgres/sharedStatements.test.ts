// Questions that share statements: how many are asked, and who gets which answer.
import { expect, test } from 'vitest';
import { SharedStatements } from './sharedStatements.ts';

test('questions of one moment share a statement, and later ones the next', async () => {
  const asked: (readonly number[])[] = [];
  const statements = new SharedStatements(50, (all: readonly number[]) => {
    asked.push(all);
    return Promise.resolve(all.map((each) => each * 2));
  });
  const first = statements.ask(1);
  const others = [2, 3].map((each) => statements.ask(each));
  const later = first.then(() => Promise.all([4, 5].map((each) => statements.ask(each))));
  expect(await Promise.all([first, ...others])).toEqual([2, 4, 6]);
  expect(await later).toEqual([8, 10]);
  expect(asked).toEqual([
    [1, 2, 3],
    [4, 5],
  ]);
});

test('a statement has a limit, and one that fails fails for its own questions', async () => {
  const sizes: number[] = [];
  const statements = new SharedStatements(2, (all: readonly string[]) => {
    sizes.push(all.length);
    return all.includes('bad') ? Promise.reject(new Error('refused')) : Promise.resolve(all);
  });
  const asked = ['a', 'b', 'bad', 'c', 'd'].map((each) => statements.ask(each));
  const results = await Promise.allSettled(asked);
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  expect(sizes).toEqual([2, 2, 1]);
  expect(await statements.ask('e')).toBe('e');
});
