// What the kernel has goes to the disk soon: asked once for many writes, never twice at a time,
// and never while idle.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { eventually } from '../../../../test/kit/patience.ts';
import { WalSync } from './walSync.ts';
import type { WalSyncOptions } from './walSync.ts';

const cleanup: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanup.splice(0).toReversed()) await clean();
});

test('many calls are one request', async () => {
  const { wal, syncs } = start();
  for (let n = 0; n < 50; n += 1) wal.soon();
  await eventually(() => syncs() === 1, 'the sync');
  await wait(40);
  expect(syncs()).toBe(1);
});

test('what comes while a request is under way is asked for after it', async () => {
  const { wal, syncs, finish } = start('held');
  wal.soon();
  await eventually(() => syncs() === 1, 'the first sync');
  for (let n = 0; n < 10; n += 1) wal.soon();
  await wait(30);
  expect(syncs()).toBe(1);
  finish();
  await eventually(() => syncs() > 1, 'the second sync');
  await wait(40);
  expect(syncs()).toBe(2);
  finish();
});

test('a commit that SQLite brought to the disk itself leaves nothing to do', async () => {
  const { wal, syncs } = start();
  wal.soon();
  wal.done();
  await wait(30);
  expect(syncs()).toBe(0);
});

test('whoever waits gets a sync that began after the call, and shares it', async () => {
  const { wal, syncs, finish } = start('held');
  const done: string[] = [];
  const first = wal.now().then(() => done.push('first'));
  await eventually(() => syncs() === 1, 'the first sync');
  const others = [wal.now(), wal.now()].map((each) => each.then(() => done.push('other')));
  wal.soon();
  finish();
  await first;
  expect(done).toEqual(['first']);
  await eventually(() => syncs() === 2, 'the second sync');
  finish();
  await Promise.all(others);
  await wal.close();
  expect([done, syncs()]).toEqual([['first', 'other', 'other'], 2]);
});

test.each([
  ['resolves if the log came to the disk in another way', () => {}, 'stored'],
  [
    'rejects if that failed, too',
    () => {
      throw new Error('no way');
    },
    'no way',
  ],
])('after a failed sync the wait %s', async (_, recover, outcome) => {
  const problems: string[] = [];
  const sync = () => Promise.reject(new Error('EIO'));
  const { wal } = start(undefined, { sync, recover, report: (problem) => problems.push(String(problem)) });
  expect(
    await wal.now().then(
      () => 'stored',
      (error: Error) => error.message,
    ),
  ).toBe(outcome);
  expect(problems[0]).toBe('Error: EIO');
});

test('after a failed sync no other sync counts until the log came to the disk in another way', async () => {
  const syncs: string[] = [];
  let works = false;
  const { wal } = start(undefined, {
    sync: () => (
      syncs.push('sync'),
      syncs.length === 1 ? Promise.reject(new Error('EIO')) : Promise.resolve()
    ),
    recover: () => {
      syncs.push('another way');
      if (!works) throw new Error('no way');
    },
    report: () => {},
  });
  await expect(wal.now()).rejects.toThrow('no way');
  await expect(wal.now()).rejects.toThrow('no way');
  works = true;
  await wal.now();
  await wal.now();
  expect(syncs).toEqual(['sync', 'another way', 'another way', 'another way', 'sync']);
});

test('a sync says nothing about data whose sync has failed elsewhere', async () => {
  let isDoubtful = true;
  let recoveries = 0;
  const recover = () => {
    recoveries += 1;
    isDoubtful = false;
  };
  const { wal } = start(undefined, { isDoubtful: () => isDoubtful, recover });
  await wal.now();
  await wal.now();
  expect(recoveries).toBe(1);
});

test('nothing is left running when nothing is written', async () => {
  const { wal, syncs } = start();
  // The waits of this test come from elsewhere, so only our own timers are counted.
  const timers = vi.spyOn(globalThis, 'setTimeout');
  cleanup.push(() => timers.mockRestore());
  wal.soon();
  while (syncs() === 0) await wait(5);
  await wait(80);
  expect([timers.mock.calls.length, syncs()]).toEqual([1, 1]);
});

test('closing waits for the request that is under way', async () => {
  const { wal, syncs, finish } = start('held');
  wal.soon();
  await eventually(() => syncs() === 1, 'the sync');
  let closed = false;
  const closing = wal.close().then(() => (closed = true));
  await wait(10);
  expect(closed).toBe(false);
  finish();
  await closing;
});

test('a failure is reported and the next write asks again', async () => {
  const problems: unknown[] = [];
  const directory = mkdtempSync(join(tmpdir(), 'parley-wal-'));
  cleanup.push(() => rmSync(directory, { recursive: true }));
  const wal = new WalSync({ path: join(directory, 'missing'), report: (problem) => problems.push(problem) });
  cleanup.push(() => wal.close());
  for (const count of [1, 2]) {
    wal.soon();
    await eventually(() => problems.length === count, 'the problem');
  }
  expect(problems).toEqual([
    expect.objectContaining({ code: 'ENOENT' }),
    expect.objectContaining({ code: 'ENOENT' }),
  ]);
});

test('the real file is brought to the disk', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-wal-'));
  const path = join(directory, 'wal');
  writeFileSync(path, 'x');
  cleanup.push(() => rmSync(directory, { recursive: true }));
  const problems: unknown[] = [];
  const wal = new WalSync({ path, report: (problem) => problems.push(problem) });
  await wal.now();
  await wal.close();
  expect(problems).toEqual([]);
});

function start(kind?: 'held', more: Partial<WalSyncOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'parley-wal-'));
  const path = join(directory, 'wal');
  writeFileSync(path, 'x');
  let count = 0;
  let waiting: (() => void)[] = [];
  const wal = new WalSync({
    path,
    report: (problem) => {
      throw problem;
    },
    sync: () => {
      count += 1;
      return kind === 'held' ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
    },
    ...more,
  });
  const finish = () => {
    waiting.forEach((done) => done());
    waiting = [];
  };
  cleanup.push(
    () => rmSync(directory, { recursive: true }),
    () => wal.close(),
    finish,
  );
  return { wal, finish, syncs: () => count };
}
