// Time limits that the product promises, checked on machines that are busy with other work, too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'vitest';

/** What a program that does nothing needs to start and end on an idle machine, in milliseconds. */
const idleStart = 100;

/**
 * Checks how long it is since a time of `performance.now()`. A machine that is slow now gets that much
 * longer.
 */
export async function expectWithin(limit: number, since: number): Promise<void> {
  const taken = performance.now() - since;
  if (taken < limit) return;
  const slowness = Math.max(1, (await startTime()) / idleStart);
  expect(taken, `a program starts ${slowness.toFixed(1)} times slower than usual`).toBeLessThan(
    limit * slowness,
  );
}

async function startTime(): Promise<number> {
  const rounds = 3;
  const began = performance.now();
  for (let round = 0; round < rounds; round += 1)
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit');
  return (performance.now() - began) / rounds;
}
