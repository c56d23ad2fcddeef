import { setImmediate as round } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { oneByOne } from './oneByOne.ts';

test('callers go on one in a round of the event loop, in their order', async () => {
  const next = oneByOne({ defer: (run) => void setImmediate(run) });
  const passed: number[] = [];
  for (const caller of [1, 2, 3]) void next().then(() => passed.push(caller));
  const rounds: number[] = [];
  while (passed.length < 3) {
    const before = passed.length;
    await round();
    rounds.push(passed.length - before);
  }
  expect(Math.max(...rounds)).toBe(1);
  expect(passed).toEqual([1, 2, 3]);
});
