// The journal on a store that commits asynchronously: one commit at a time, in order, nothing shown early.
import { expect, test } from 'vitest';
import type { Entry } from '../../model/event.ts';
import { testWorld } from '../../../test/kit/host.ts';
import { eventually } from '../../../test/kit/patience.ts';
import { Journal } from './journal.ts';
import type { JournalSession } from './journal.ts';
import type { Batch, LogStore } from './logStore.ts';
import { summarize } from './summary.ts';
import { emptyState } from '../../model/state.ts';

test('entries wait for the commit under way and share the next one', async () => {
  const { store, journal, told, add } = rig();
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
  const { store, journal, told, add } = rig();
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

test('positions continue behind those of another host of the store', () => {
  const { store, journal } = rig();
  expect(journal.nextPos()).toBe(1);
  store.known = 41;
  expect([journal.nextPos(), journal.nextPos()]).toEqual([42, 43]);
});

class SlowStore implements LogStore {
  readonly commits: { batch: Batch; done: () => void; failed: (cause: unknown) => void }[] = [];
  known = 0;

  head(): number {
    return this.known;
  }

  summaries = () => [];
  unfinished = () => [];
  read = () => [];
  remove(): void {}
  close(): void {}

  write(batch: Batch): Promise<void> {
    return new Promise((done, failed) => this.commits.push({ batch, done, failed }));
  }

  seqs(): readonly (readonly string[])[] {
    return this.commits.map(({ batch }) =>
      batch.entries.map(({ session, entry }) => `${session}${entry.seq}`),
    );
  }
}

function rig() {
  const store = new SlowStore();
  const journal = new Journal(testWorld(store));
  const told: string[] = [];
  const writers = new Map<string, JournalSession>();
  const writer = (id: string): JournalSession => ({
    id,
    summary: () => summarize(emptyState(id)),
    stored: (count) => told.push(`${id} stored ${count}`),
    lost: () => told.push(`${id} lost`),
  });
  const add = (id: string, seq: number) => {
    const known = writers.get(id) ?? writer(id);
    writers.set(id, known);
    const event: Entry['event'] = { kind: 'session.changed', changes: { title: id } };
    journal.append(known, { seq, pos: journal.nextPos(), at: 0, by: { kind: 'host' }, event });
  };
  return { store, journal, told, add };
}
