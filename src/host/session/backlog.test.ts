// How much may wait for a store, and what clients are told meanwhile. The store commits when it is told to.
import { expect, test } from 'vitest';
import { testWorld } from '../../../test/kit/host.ts';
import { eventually } from '../../../test/kit/patience.ts';
import { emptyState } from '../../model/state.ts';
import { Journal } from './journal.ts';
import type { LogStore, SharedStore } from './logStore.ts';
import { summarize } from './summary.ts';

test('agents wait while too many entries or too much text are on their way', async () => {
  const { store, journal, add } = rig();
  add('a');
  await eventually(() => store.commits.length === 1, 'the commit');
  for (let count = 0; count < 4_095; count += 1) add('a');
  expect([journal.backlog.room(), journal.backlog.waiting.entries]).toEqual([undefined, 4_095]);
  add('a');
  let isFree = false;
  const free = journal.backlog.room()?.then(() => (isFree = true));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isFree).toBe(false);
  store.commits[0]?.done();
  await free;
  expect(journal.backlog.waiting).toEqual({ entries: 0, size: 0 });
  add('b', 'x'.repeat(9 * 1_024 * 1_024));
  expect([journal.backlog.room() !== undefined, journal.backlog.waiting.entries]).toEqual([true, 1]);
  // What was decided on lost entries is lost, too, and makes room.
  add('a');
  store.commits[1]?.failed(new Error('gone'));
  await eventually(() => journal.backlog.room() === undefined, 'the room after a loss');
  await eventually(() => store.commits.length === 3, 'the next commit');
  expect(journal.backlog.waiting).toEqual({ entries: 0, size: 0 });
});

test('a database that does not answer is told, and that it is back', async () => {
  const { store, journal, add } = rig();
  const news: boolean[] = [];
  journal.backlog.follow((isWaiting) => news.push(isWaiting));
  add('a');
  await eventually(() => news.length === 1, 'the news');
  store.commits[0]?.done();
  await journal.drain();
  const late: boolean[] = [];
  journal.backlog.follow((isWaiting) => late.push(isWaiting));
  add('a');
  await eventually(() => store.commits.length === 2, 'the commit');
  store.commits[1]?.done();
  await journal.drain();
  // Whoever was not told that it was away is not told that it is back.
  expect([news, late]).toEqual([[true, false], []]);
});

test('a database that gives no positions is told, and that it is back', async () => {
  const { store, journal } = rig();
  const news: boolean[] = [];
  journal.backlog.follow((isWaiting) => news.push(isWaiting));
  await journal.advance();
  expect(news).toEqual([]);
  store.takePosition = () => Promise.reject(new Error('away'));
  // Whoever needs a number for a message asks again until there is one.
  const ask = async () => {
    await journal.advance().catch(() => {});
    return news.length > 0;
  };
  await eventually(ask, 'the news');
  store.takePosition = () => Promise.resolve(1);
  await journal.advance();
  expect(news).toEqual([true, false]);
});

class SlowStore implements LogStore {
  readonly commits: { done: () => void; failed: (cause: unknown) => void }[] = [];
  readonly shared: SharedStore = {
    name: 'one',
    claim: async () => undefined,
    claimFree: () => Promise.resolve([]),
    ownerOf: () => Promise.resolve(undefined),
    reserve: () => Promise.resolve(),
    release: async () => {},
    follow() {},
  };

  head = () => 0;
  takePosition = (): number | Promise<number> => 0;
  summaries = () => [];
  unfinished = () => [];
  read = () => [];
  remove(): void {}
  close(): void {}

  write(): Promise<void> {
    return new Promise((done, failed) => this.commits.push({ done, failed }));
  }
}

function rig() {
  const store = new SlowStore();
  const journal = new Journal(testWorld(store));
  const writers = new Map<string, { id: string; seq: number }>();
  const add = (id: string, title = id) => {
    const known = writers.get(id) ?? {
      id,
      seq: 0,
      summary: () => summarize(emptyState(id)),
      stored() {},
      lost() {},
    };
    writers.set(id, known);
    known.seq += 1;
    const event = { kind: 'session.changed', changes: { title } } as const;
    journal.append(
      known as never,
      (pos) => ({ seq: known.seq, pos, at: 0, by: { kind: 'host' }, event }),
      event.kind,
    );
  };
  return { store, journal, add };
}
