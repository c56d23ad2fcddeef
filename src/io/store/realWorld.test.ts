// The real world in small: time passes, ids differ, and problems end up in the log with what they are about.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { LogDamage } from '../../host/session/logStore.ts';
import { openLogger } from '../diagnostics/logger.ts';
import { openWorld, realClock, realIds } from './realWorld.ts';

const cleanup: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanup.splice(0).toReversed()) await clean();
});

test('what is deferred runs after the present and before any time', async () => {
  const order: string[] = [];
  const done = new Promise<void>((resolve) => {
    realClock.after(0, () => {
      order.push('later');
      resolve();
    });
  });
  realClock.defer(() => order.push('deferred'));
  order.push('now');
  await done;
  expect(order[0]).toBe('now');
  expect(order.toSorted()).toEqual(['deferred', 'later', 'now']);
});

test('what was planned can be taken back', async () => {
  let ran = false;
  const undo = realClock.after(5, () => (ran = true));
  undo();
  undo();
  await new Promise<void>((resolve) => void realClock.after(20, resolve));
  expect(ran).toBe(false);
});

test("the clock is the machine's and ids are unique", () => {
  expect(Math.abs(realClock.now() - Date.now())).toBeLessThan(1_000);
  expect(new Set(Array.from({ length: 100 }, () => realIds.next())).size).toBe(100);
});

test('a world has a durable log and writes problems down', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-world-'));
  cleanup.push(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'host.ndjson');
  const logger = openLogger({ level: 'info', file, now: () => 0 });
  const world = await openWorld({ directory, logger });
  cleanup.push(() => world.store.close());
  world.report(new LogDamage('s1', 4, 'Entry 4 is missing.'), 'session s1');
  world.report('just words', 'something');
  logger.close();
  expect(world.store.head()).toBe(0);
  expect(
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line)),
  ).toEqual([
    {
      at: '1970-01-01T00:00:00.000Z',
      level: 'error',
      message: 'A problem with session s1.',
      session: 's1',
      seq: 4,
      problem: {
        name: 'LogDamage',
        message: 'Entry 4 is missing.',
        stack: expect.any(String),
        session: 's1',
        seq: 4,
      },
    },
    {
      at: '1970-01-01T00:00:00.000Z',
      level: 'error',
      message: 'A problem with something.',
      problem: 'just words',
    },
  ]);
});
