import { expect, test } from 'vitest';
import { SharedLook } from './sharedLook.ts';

test('all who ask at once share a look, and those who ask while it runs share the next one', async () => {
  const begun: (() => void)[] = [];
  const looks = new SharedLook(
    () => new Promise<number>((resolve) => begun.push(() => resolve(begun.length))),
  );
  const first = [looks.next(), looks.next()];
  await Promise.resolve();
  const second = [looks.next(), looks.next()];
  await Promise.resolve();
  expect(begun).toHaveLength(1);
  begun[0]?.();
  expect(await Promise.all(first)).toEqual([1, 1]);
  expect(begun).toHaveLength(2);
  begun[1]?.();
  expect(await Promise.all(second)).toEqual([2, 2]);
});
