// Writes and syncs that fail at any moment: what failed is neither shown nor acknowledged, everything
// before it stays, and the session goes on as soon as it can.
import type * as FileSystem from 'node:fs';
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Batch } from '../../src/host/session/logStore.ts';
import { loadDatabase } from '../../src/io/store/sqlite/database.ts';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import { reduce } from '../../src/model/reduce.ts';
import { emptyState } from '../../src/model/state.ts';
import { chatCreated, created, Log, read, text, turnStarted } from '../contracts/logStore.ts';
import { rig, testClient, until } from '../kit/host.ts';
import { MemoryStore } from '../kit/memoryStore.ts';
import { eventually } from '../kit/patience.ts';

const disk = vi.hoisted((): { isBroken: boolean; held: (() => void)[] | undefined; takes: number } => ({
  isBroken: false,
  /** The syncs that wait, if they have to. */
  held: undefined,
  takes: 0,
}));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof FileSystem>();
  const broken = Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' });
  return {
    ...fs,
    fdatasync: (file: number, done: (error: Error | null) => void) => {
      if (disk.isBroken) done(broken);
      else if (disk.held) disk.held.push(() => fs.fdatasync(file, done));
      else setTimeout(() => fs.fdatasync(file, done), disk.takes);
    },
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
  await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
  disk.isBroken = true;
  await store.write(log.batch([text('s', 'not synced')], 'kernel'));
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
  await store.write(log.batch([text('s', 'after it')], 'disk'));
  expect(await read(store, 's')).toEqual(log.entries);
  await store.close();
  for (const each of [directory, copy]) rmSync(each, { recursive: true });
});

test('an entry that the disk refuses in every way is undone, and its number is used again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-sync-'));
  const problems: string[] = [];
  const store = await openStore({ directory, report: (problem) => problems.push(String(problem)) });
  const log = new Log('s');
  await store.write(log.batch([created('s'), chatCreated('s')], 'disk'));
  const before = { entries: [...log.entries], summaries: store.summaries() };
  // Somebody who reads keeps the write-ahead log from being moved to the database.
  const reader = (await loadDatabase())(join(directory, 'log.db'), { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM entries').all();
  disk.isBroken = true;
  const refused = store.write(log.batch([turnStarted('s')], 'disk'));
  await expect(refused).rejects.toThrow('Another process reads the log.');
  log.takeBack(1);
  expect([await read(store, 's'), store.summaries()]).toEqual([before.entries, before.summaries]);
  reader.exec('COMMIT');
  reader.close();
  disk.isBroken = false;
  await store.write(log.batch([text('s', 'in its place')], 'disk'));
  await store.close();
  const again = await openStore({ directory, report: (problem) => problems.push(String(problem)) });
  expect([await read(again, 's'), problems.filter((each) => !/EIO|reads the log/.test(each))]).toEqual([
    log.entries,
    [],
  ]);
  await again.close();
  rmSync(directory, { recursive: true });
});

test('while the disk works on one session, others are heard and decided on', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-sync-'));
  const store = await openStore({ directory, report: (problem) => expect(problem).toBe(undefined) });
  const { host, close } = await rig(store);
  const [slow, other] = ['slow', 'other'].map((id) => host.create({ id, roots: ['/w'] }, testClient));
  if (!slow || !other || 'rejected' in slow || 'rejected' in other) throw new Error('refused');
  await Promise.all([slow.settled(), other.settled()]);
  const events: string[] = [];
  slow.follow(() => events.push('slow is stored'));
  other.follow(() => events.push('other is stored'));
  disk.held = [];
  slow.dispatch({ kind: 'changeSession', changes: { title: 'slow' } }, testClient);
  await eventually(() => disk.held?.length === 1, 'the sync');
  // The event loop turns while the disk works: the other session takes commands, and timers run.
  other.dispatch({ kind: 'changeSession', changes: { title: 'other' } }, testClient);
  events.push(`other decided: ${other.head.title}`);
  await new Promise((resolve) => setTimeout(resolve, 1));
  events.push('a timer ran');
  expect(slow.state.title).not.toBe('slow');
  const release = () => disk.held?.splice(0).forEach((sync) => sync());
  release();
  await slow.settled();
  await eventually(() => disk.held?.length === 1, 'the sync of the other');
  release();
  await other.settled();
  expect(events).toEqual(['other decided: other', 'a timer ran', 'slow is stored', 'other is stored']);
  disk.held = undefined;
  await close();
  rmSync(directory, { recursive: true });
});

test('while the disk works on one session, what another one streams is shown', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-sync-'));
  const store = await openStore({ directory, report: (problem) => expect(problem).toBe(undefined) });
  const { host, scripts, close } = await rig(store);
  let goOn = () => {};
  scripts.set('*', async (turn) => {
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'one ' });
    await new Promise<void>((resolve) => (goOn = resolve));
    for (const word of ['two ', 'three ', 'four'])
      turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: word });
  });
  const [slow, other] = ['slow', 'other'].map((id) => host.create({ id, roots: ['/w'] }, testClient));
  if (!slow || !other || 'rejected' in slow || 'rejected' in other) throw new Error('refused');
  const message = { id: 'm', text: 'go' };
  other.dispatch({ kind: 'startTurn', chat: 'other', turn: 't', message }, testClient);
  const shown = () => JSON.stringify(other.state.chats['other']?.active?.items ?? []);
  await eventually(() => shown().includes('one '), 'the first word');
  await slow.settled();
  disk.held = [];
  slow.dispatch({ kind: 'changeSession', changes: { title: 'slow' } }, testClient);
  await eventually(() => disk.held?.length === 1, 'the sync');
  goOn();
  await eventually(() => shown().includes('one two three four'), 'the words during the sync');
  expect(slow.state.title).not.toBe('slow');
  const positions = { words: other.state.pos, title: slow.head.pos };
  expect(positions.words).toBeLessThan(positions.title);
  const held = disk.held;
  disk.held = undefined;
  held.forEach((sync) => sync());
  await until(other, ({ chats }) => chats['other']?.active === undefined);
  expect([slow.state.title, await store.verify()]).toEqual(['slow', []]);
  await close();
  rmSync(directory, { recursive: true });
});

test('commits that wait for the disk together share one sync of ten milliseconds', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-sync-'));
  const store = await openStore({ directory, report: (problem) => expect(problem).toBe(undefined) });
  const { host, close } = await rig(store);
  const sessions = Array.from({ length: 8 }, (_, n) =>
    host.create({ id: `s${n}`, roots: ['/w'] }, testClient),
  );
  disk.takes = 10;
  const syncs = vi.spyOn(globalThis, 'setTimeout');
  for (const session of sessions) if (!('rejected' in session)) await session.settled();
  expect(syncs.mock.calls.filter(([, time]) => time === 10)).toHaveLength(1);
  syncs.mockRestore();
  disk.takes = 0;
  await close();
  rmSync(directory, { recursive: true });
});
