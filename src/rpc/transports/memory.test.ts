import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMemoryPair } from './memory.ts';

test('a reader that holds in the middle finds the rest in order when it goes on', async () => {
  const [left, right] = createMemoryPair();
  const seen: string[] = [];
  right.listen({
    message: (text) => {
      seen.push(text);
      if (text === '2') right.hold();
    },
    problem: () => {},
    closed: () => {},
  });
  for (const text of ['1', '2', '3', '4']) left.send(text);
  await nextTurn();
  left.send('5');
  await nextTurn();
  expect(seen).toEqual(['1', '2']);
  expect(left.buffered).toBe(3);
  right.release();
  await nextTurn();
  expect(seen).toEqual(['1', '2', '3', '4', '5']);
  expect(left.buffered).toBe(0);
});
