import { expect, test } from 'vitest';
import { memoPerObject, once } from './memo.ts';

test('a value is made on first use, and once', () => {
  let made = 0;
  const value = once(() => (made += 1));
  expect(made).toBe(0);
  expect([value(), value(), made]).toEqual([1, 1, 1]);
});

test('a result is made again for another object and for other causes', () => {
  let made = 0;
  const memo = memoPerObject<object, number>();
  const [one, two, cause] = [{}, {}, {}];
  const make = () => (made += 1);
  expect([memo(one, make), memo(one, make), memo(two, make)]).toEqual([1, 1, 2]);
  expect([memo(one, make, [cause]), memo(one, make, [cause]), memo(one, make, [{}])]).toEqual([3, 3, 4]);
});
