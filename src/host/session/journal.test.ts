// The journal on a store that commits asynchronously: one commit at a time, in order, nothing shown early.
import { expect, test } from 'vitest';
import type { Entry } from '../../model/event.ts';
import { testWorld } from '../../../test/kit/host.ts';
import { manualClock } from '../../../test/kit/manualClock.ts';
import { random } from '../../../test/faults/shownIsKept.ts';
import { eventually } from '../../../test/kit/patience.ts';
import type { Clock } from '../ports.ts';
import { Journal } from './journal.ts';
import type { JournalSession } from './journal.ts';
import { TakenOver } from './logStore.ts';
import type { Batch, LogStore, SharedStore } from './logStore.ts';
import { summarize } from './summary.ts';
import { emptyState } from '../../model/state.ts';

test('entries wait for the commit under way and share the next one', async () => {
  const { store, journal, told, add } = rig(new SlowStore());
  add('a', 1);
  await eventually(() => store.commits.length === 1, 'the next step');
  add('a', 2);
  add('b', 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect([store.seqs(), told]).toEqual([[['a1']], []]);
  store.commits[0]?.done();
  await eventually(() => store.commits.length === 2, 'the next step');
  expect([store.seqs(), told, journal.shown]).toEqual([[['a1'], ['a2', 'b1']], ['a stored 1'], 1]);
  store.commits[1]?.done();
  await journal.drain();
  expect([told, journal.shown]).toEqual([['a stored 1', 'a stored 1', 'b stored 1'], 3]);
});

test('a failed commit drops what was decided on it, and nothing else', async () => {
  const { store, journal, told, add } = rig(new SlowStore());
  add('a', 1);
  await eventually(() => store.commits.length === 1, 'the next step');
  add('a', 2);
  add('b', 1);
  store.commits[0]?.failed(new Error('gone'));
  await eventually(() => store.commits.length === 2, 'the next step');
  store.commits[1]?.done();
  await journal.drain();
  expect([store.seqs(), told]).toEqual([
    [['a1'], ['b1']],
    ['a lost', 'b stored 1'],
  ]);
});

test('words for a database share a commit every three milliseconds; other entries do not wait', async () => {
  const clock = manualClock();
  const { store, journal, told, add } = rig(new SharedSlowStore(), clock);
  const commitOf = async (count: number) => {
    await eventually(() => store.commits.length === count, `commit ${count}`);
    return store.commits[count - 1];
  };
  add('a', 1, 'piece');
  const first = await commitOf(1);
  add('b', 1, 'piece');
  clock.advance(2);
  first?.done();
  await eventually(() => told.length === 1, 'the first word');
  add('a', 2, 'piece');
  expect([store.seqs(), clock.waiting]).toEqual([[['a1']], [1]]);
  clock.advance(1);
  (await commitOf(2))?.done();
  await eventually(() => told.length === 3, 'the next words');
  clock.advance(3);
  add('b', 2, 'piece');
  (await commitOf(3))?.done();
  await eventually(() => told.length === 4, 'a word that comes alone');
  add('a', 3);
  (await commitOf(4))?.done();
  await journal.drain();
  expect([store.seqs(), clock.waiting]).toEqual([[['a1'], ['b1', 'a2'], ['b2'], ['a3']], []]);
});

test('what another host has taken over is lost alone, with all that follows it', async () => {
  const { store, journal, told, add } = rig(new SharedSlowStore());
  add('a', 1);
  add('b', 1);
  await eventually(() => store.commits.length === 1, 'the first commit');
  add('a', 2);
  add('b', 2);
  store.commits[0]?.failed(new TakenOver(new Set(['a']), new Error('gone')));
  await eventually(() => store.commits.length === 2, 'the second commit');
  store.commits[1]?.done();
  await journal.drain();
  expect([told, journal.shown]).toEqual([['b stored 1', 'a lost', 'b stored 1'], journal.pos]);
  expect(journal.stored).toMatchObject({ commits: 2, failures: 1, entries: 2 });
});

test('positions continue behind those of another host of the store', () => {
  const { store, add } = rig(new SlowStore());
  expect(add('a', 1).pos).toBe(1);
  store.known = 41;
  expect([add('a', 2).pos, add('b', 1).pos]).toEqual([42, 43]);
});

test('what a session streams is shown while the disk works for another one', async () => {
  const { store, journal, told, add } = rig(new SyncingStore());
  add('b', 1, 'piece');
  await journal.drain();
  add('a', 1);
  add('b', 2, 'piece');
  await eventually(() => store.commits.length === 1, 'the sync');
  add('b', 3, 'piece');
  add('a', 2, 'piece');
  await eventually(() => told.length === 3, 'the pieces of the other session');
  expect(told).toEqual(['b stored 1', 'b stored 1', 'b stored 1']);
  store.commits[0]?.done();
  await journal.drain();
  expect(told.slice(3)).toEqual(['a stored 1', 'a stored 1']);
  expect([store.written, journal.shown]).toEqual([['b1', 'b2', 'a1', 'b3', 'a2'], journal.pos]);
});

test('whatever waits, fails and passes, positions are shown in their order and no session loses more than its own', async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const { store, journal, told, shown, add, seqs } = rig(new SyncingStore());
    const next = random(seed);
    for (let step = 0; step < 60; step += 1) {
      const id = ['a', 'b', 'c'][Math.floor(next() * 3)] ?? 'a';
      if (next() < 0.6) add(id, (seqs.get(id) ?? 0) + 1, next() < 0.7 ? 'piece' : 'durable');
      else if (next() < 0.3) await new Promise((resolve) => setTimeout(resolve, 3));
      else if (next() < 0.2) store.commits.shift()?.failed(new Error('gone'));
      else store.commits.shift()?.done();
      store.isFull = next() < 0.03;
      await Promise.resolve();
    }
    store.isFull = false;
    for (let turn = 0; turn < 40; turn += 1) {
      store.commits.splice(0).forEach(({ done }) => done());
      await new Promise((resolve) => setImmediate(resolve));
    }
    await journal.drain();
    // The sessions of one commit publish one after the other.
    const positions = shown.flatMap((commit) => commit.toSorted((a, b) => a - b));
    expect([seed, positions]).toEqual([seed, positions.toSorted((a, b) => a - b)]);
    expect([seed, journal.shown >= (positions.at(-1) ?? 0)]).toEqual([seed, true]);
    expect(told.length).toBeGreaterThan(0);
  }
});

test('positions for entries of other hosts are reserved once for all who wait, however slow that is', async () => {
  const store = new SharedSlowStore();
  const { journal, add } = rig(store);
  let last = 0;
  const busy = () => {
    for (let n = 0; n < 400; n += 1) add('own', (last += 1), 'piece');
  };
  store.onReserve = busy;
  const makeAll = async () => {
    let reservations = 0;
    for (let made = journal.makeRoom(512); made; made = journal.makeRoom(512)) {
      await made;
      expect((reservations += 1), 'reservations of one session').toBeLessThan(10);
    }
  };
  await Promise.all(Array.from({ length: 20 }, makeAll));
  expect(store.reservations).toBe(1);
});

test('a position without an entry is shown after the entries before it', async () => {
  const { store, journal, told, add } = rig(new SlowStore());
  await journal.advance();
  expect(journal.shown).toBe(1);
  const { pos } = add('a', 1);
  await eventually(() => store.commits.length === 1, 'the commit');
  const both = [journal.advance(), journal.advance()];
  await Promise.resolve();
  expect([pos, journal.shown, told]).toEqual([2, 1, []]);
  store.commits[0]?.done();
  await Promise.all(both);
  expect([journal.shown, told]).toEqual([2, ['a stored 1']]);
  await journal.advance();
  expect([journal.shown, add('a', 2).pos]).toEqual([3, 4]);
});

class SlowStore implements LogStore {
  readonly commits: { batch: Batch; done: () => void; failed: (cause: unknown) => void }[] = [];
  known = 0;

  head(): number {
    return this.known;
  }

  takePosition(): number {
    this.known += 1;
    return this.known;
  }

  summaries = () => [];
  unfinished = () => [];
  read = () => [];
  remove(): void {}
  close(): void {}

  write(batch: Batch): void | Promise<void> {
    return new Promise((done, failed) => this.commits.push({ batch, done, failed }));
  }

  seqs(): readonly (readonly string[])[] {
    return this.commits.map(({ batch }) =>
      batch.entries.map(({ session, entry }) => `${session}${entry.seq}`),
    );
  }
}

/** As a database that other hosts use, too. */
class SharedSlowStore extends SlowStore {
  reservations = 0;
  /** What happens while the database reserves positions, one call after the other. */
  onReserve = () => {};
  #reserving = Promise.resolve();
  readonly shared: SharedStore = {
    name: 'host',
    claim: () => Promise.resolve(undefined),
    claimFree: () => Promise.resolve([]),
    ownerOf: () => Promise.resolve(undefined),
    reserve: () => {
      this.reservations += 1;
      this.#reserving = this.#reserving.then(() => this.onReserve());
      return this.#reserving;
    },
    release: () => Promise.resolve(),
    follow: () => {},
  };
}

/** Writes to the kernel immediately, and syncs when the test says so. */
class SyncingStore extends SlowStore {
  readonly written: string[] = [];
  isFull = false;

  override write(batch: Batch): void | Promise<void> {
    if (this.isFull) throw new Error('full');
    this.written.push(...batch.entries.map(({ session, entry }) => `${session}${entry.seq}`));
    for (const { entry } of batch.entries) this.known = Math.max(this.known, entry.pos);
    return batch.sync === 'disk' ? super.write(batch) : undefined;
  }
}

function rig<S extends SlowStore>(store: S, clock?: Clock) {
  const world = testWorld(store);
  const journal = new Journal({ ...world, clock: clock ?? world.clock });
  const told: string[] = [];
  /** The positions that were published, commit by commit. */
  const shown: number[][] = [];
  const seqs = new Map<string, number>();
  const writers = new Map<string, { readonly writer: JournalSession; readonly pending: Entry[] }>();
  const begin = (id: string) => {
    const pending: Entry[] = [];
    const writer: JournalSession = {
      id,
      summary: () => summarize(emptyState(id)),
      stored: (count) => {
        told.push(`${id} stored ${count}`);
        (shown[journal.stored.commits] ??= []).push(...pending.splice(0, count).map(({ pos }) => pos));
      },
      lost: () => {
        told.push(`${id} lost`);
        seqs.set(id, (seqs.get(id) ?? 0) - pending.splice(0).length);
      },
    };
    return { writer, pending };
  };
  const add = (id: string, seq: number, kind: 'durable' | 'piece' = 'durable'): Entry => {
    const { writer, pending } = writers.get(id) ?? begin(id);
    writers.set(id, { writer, pending });
    seqs.set(id, seq);
    const event: Entry['event'] =
      kind === 'piece'
        ? { kind: 'text.added', chat: id, turn: 't', item: 'i', channel: 'answer', text: id }
        : { kind: 'session.changed', changes: { title: id } };
    const entry = journal.append(
      writer,
      (pos) => ({ seq, pos, at: 0, by: { kind: 'host' }, event }),
      event.kind,
    );
    pending.push(entry);
    return entry;
  };
  return { store, journal, told, shown, add, seqs };
}
