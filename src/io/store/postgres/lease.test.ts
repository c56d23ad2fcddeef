// When a host renews its lease: often enough, and at once when the lease of another one is over.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection, Query } from './connection.ts';
import { Lease } from './lease.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('a lease that another host does not renew is ended when its time is over', async () => {
  const started = performance.now();
  const ends = 15_500;
  const removals: number[] = [];
  const lease = new Lease(
    options(async ({ name, values }) => {
      if (name !== 'renew') return [];
      const now = performance.now() - started;
      if (values?.[1] === true && now >= ends) removals.push(now);
      return [[1, removals.length > 0 ? null : ends - now]];
    }),
  );
  await lease.take();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(removals[0]).toBeLessThan(ends + 10);
  await lease.end();
});

test('a host that has not reached the database for long waits before it ends the lease of another', async () => {
  const started = performance.now();
  const asked: { readonly at: number; readonly mayRemove: boolean }[] = [];
  const lease = new Lease(
    options(async ({ name, values }) => {
      if (name !== 'renew') return [];
      asked.push({ at: performance.now() - started, mayRemove: values?.[1] === true });
      return [[1, -1_000]];
    }),
  );
  await lease.take();
  await vi.advanceTimersByTimeAsync(10_050);
  expect(asked.filter(({ at }) => at < 10_000).map(({ mayRemove }) => mayRemove)).toEqual(
    Array.from({ length: 10 }, () => false),
  );
  expect(asked.find(({ mayRemove }) => mayRemove)?.at).toBe(10_000);
  await lease.end();
});

test.each([
  { failures: 1, answerTime: 3_000, what: 'at once after one renewal has failed', removes: true },
  { failures: 6, answerTime: 0, what: 'only later if the database was away for long', removes: false },
])('the lease of another is ended $what', async ({ failures, answerTime, removes }) => {
  const started = performance.now();
  const ends = 24_000;
  let left = failures;
  const removals: number[] = [];
  const lease = new Lease(
    options(async ({ name, values }) => {
      if (name !== 'renew') return [];
      const now = performance.now() - started;
      if (now > 15_500 && left > 0) {
        left -= 1;
        await new Promise((resolve) => void setTimeout(resolve, answerTime));
        throw new Error('The database does not answer.');
      }
      if (values?.[1] === true && now >= ends) removals.push(now);
      return [[1, removals.length > 0 ? null : ends - now]];
    }),
  );
  await lease.take();
  await vi.advanceTimersByTimeAsync(25_000);
  expect(removals.length > 0).toBe(removes);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(removals.length).toBeGreaterThan(0);
  await lease.end();
});

test('what comes while the news of others are read is read afterwards', async () => {
  const answers: (() => void)[] = [];
  let beats = 0;
  const lease = new Lease({
    ...options(async () => [[1, null]]),
    onBeat: () => {
      beats += 1;
      return new Promise((resolve) => answers.push(resolve));
    },
  });
  await lease.take();
  await vi.advanceTimersByTimeAsync(3_500);
  expect(beats).toBe(1);
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(beats).toBe(2);
  answers[1]?.();
  await lease.end();
});

function options(query: (query: Query) => Promise<readonly (readonly unknown[])[]>) {
  return {
    connection: { query } as Connection,
    name: 'one',
    version: '0',
    report: (problem: unknown) => {
      throw problem;
    },
    onBeat: async () => {},
    onLost: () => {},
  };
}
