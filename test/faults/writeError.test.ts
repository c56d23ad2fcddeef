// Writes and syncs that fail at any moment: what failed is neither shown nor acknowledged, everything
// before it stays, and the session goes on as soon as it can.
import type * as FileSystem from 'node:fs';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Batch } from '../../src/host/session/logStore.ts';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState } from '../../src/model/state.ts';
import { chatCreated, created, Log, read, text, turnStarted } from '../contracts/logStore.ts';
import { rig, testClient, until } from '../kit/host.ts';
import { MemoryStore } from '../kit/memoryStore.ts';
import { eventually } from '../kit/patience.ts';

const disk = vi.hoisted(() => ({ isBroken: false }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof FileSystem>();
  const broken = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  return {
    ...fs,
    fdatasync: (file: number, done: (error: Error | null) => void) =>
      disk.isBroken ? done(broken) : fs.fdatasync(file, done),
  };
});

/** Fails one write, counted from the first. */
class FailingStore extends MemoryStore {
  writes = 0;
  readonly #at: number;

  constructor(at: number) {
    super();
    this.#at = at;
  }

  override write(batch: Batch): void {
    this.writes += 1;
    if (this.writes === this.#at) throw new Error('EIO: i/o error, write');
    super.write(batch);
  }
}

async function play(at: number): Promise<number> {
  const store = new FailingStore(at);
  const { host, scripts, close } = await rig(store);
  scripts.set('*', async (turn) => {
    for (const part of ['one ', 'two ', 'three']) {
      turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: part });
      await turn.log.stored().catch(() => {});
    }
  });
  const session = host.create({ id: 's', roots: ['/w'] }, testClient);
  if ('rejected' in session) throw new Error(session.message);
  const isMade = await session.settled().then(
    () => true,
    () => false,
  );
  const shown: number[] = [];
  session.follow((steps) => shown.push(...steps.map(({ entry }) => entry.seq)));
  for (const turn of isMade ? ['t1', 't2'] : []) {
    const message = { id: turn, text: 'go' };
    session.dispatch({ kind: 'startTurn', chat: 's', turn, message }, testClient);
    await session.settled().catch(() => {});
    await until(session, ({ chats }) => chats['s']?.active === undefined);
  }
  const entries = [...store.read('s')];
  // Whatever failed, what is shown is exactly what is stored, in order and without a gap.
  expect([at, session.state]).toEqual([at, entries.reduce(reduce, emptyState('s'))]);
  expect([at, shown.filter((seq) => !entries.some((entry) => entry.seq === seq))]).toEqual([at, []]);
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
  const turns = session.state.chats['s']?.turns.length ?? 0;
  expect([at, isMade, turns > 0]).toEqual([at, isMade, isMade]);
  await close();
  return store.writes;
}

test('a write that fails at any moment loses itself alone, and the next turn works', async () => {
  const all = await play(0);
  expect(all).toBeGreaterThan(5);
  for (let at = 1; at <= all; at += 1) await play(at);
});

test('after a sync that failed, the log is brought to the disk in another way before anything follows', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-sync-'));
  const problems: unknown[] = [];
  const store = await openStore({ directory, report: (problem) => problems.push(problem) });
  const log = new Log('s');
  store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
  disk.isBroken = true;
  store.write(log.batch([text('s', 'not synced')], 'kernel'));
  await eventually(() => problems.length > 0, 'the failed sync');
  expect(String(problems[0])).toContain('EIO');
  disk.isBroken = false;
  // The write-ahead log is empty, so nothing depends on it: the database alone has everything.
  expect(statSync(join(directory, 'log.db-wal')).size).toBe(0);
  const copy = mkdtempSync(join(tmpdir(), 'parley-sync-'));
  copyFileSync(join(directory, 'log.db'), join(copy, 'log.db'));
  const again = await openStore({ directory: copy, report: (problem) => expect(problem).toBe(undefined) });
  expect(await read(again, 's')).toEqual(log.entries);
  await again.close();
  store.write(log.batch([text('s', 'after it')], 'disk'));
  expect(await read(store, 's')).toEqual(log.entries);
  await store.close();
  for (const each of [directory, copy]) rmSync(each, { recursive: true });
});
