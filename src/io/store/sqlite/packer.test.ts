// Packing changes how entries are stored, and nothing that anybody reads.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { foldLog, foldUntil } from '../../../host/session/foldLog.ts';
import type { Batch } from '../../../host/session/logStore.ts';
import { summarize } from '../../../host/session/summary.ts';
import type { Entry, Event, Origin } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import { chatCreated, created, read, title, turnStarted } from '../../../../test/contracts/logStore.ts';
import { logs } from '../../../../test/kit/logs.ts';
import { sessionIndex } from '../../search/sessionIndex.ts';
import { loadDatabase, query } from './database.ts';
import { openStore } from './open.ts';
import { peekLog } from './peek.ts';
import type { SqliteStore } from './sqlite.ts';

const openDatabase = await loadDatabase();
const cleanup: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const clean of cleanup.splice(0).toReversed()) await clean();
});

test('1,000 random logs: entries, states, replays from any point, lists and searches stay', async () => {
  const { store, directory, path } = await newStore();
  const written: Entry[][] = [];
  const batches: Batch[] = [];
  let pos = 0;
  for (const [index, { entries }] of fc.sample(logs(60), { numRuns: 1_000, seed: 18 }).entries()) {
    const log = inPieces(entries, { id: `s${index}`, pos });
    pos = log.at(-1)?.pos ?? pos;
    written.push(log);
    batches.push(batchOf(`s${index}`, log));
  }
  for (let at = 0; at < batches.length; at += 50) {
    const some = batches.slice(at, at + 50);
    const [entries, summaries] = [some.flatMap((one) => one.entries), some.flatMap((one) => one.summaries)];
    await store.write({ entries, summaries, sync: 'disk' });
  }
  const rows = countRows(path);
  const before = await everything(store, directory, written);
  await store.pack();
  expect(countRows(path)).toBeLessThan(rows * 0.6);
  expect(await everything(store, directory, written)).toEqual(before);
  await store.close();
  const again = await reopen(directory);
  expect([again.head(), again.summaries(), await again.verify()]).toEqual([pos, before[0], []]);
}, 300_000);

/** All that clients can be shown; checks for each log what follows a point in it. */
async function everything(store: SqliteStore, directory: string, written: readonly Entry[][]) {
  const shown: unknown[] = [store.summaries(), await searched(store, directory)];
  const peek = await peekLog(directory);
  for (const [index, log] of written.entries()) {
    const id = `s${index}`;
    const cut = (index * 31) % (log.length + 1);
    // Texts are compared, because comparing values takes most of a minute.
    const whole = JSON.stringify(await read(store, id));
    const rest = JSON.stringify(await read(store, id, cut));
    expect(whole === JSON.stringify(log), id).toBe(true);
    expect(rest === JSON.stringify(log.slice(cut)), `${id} after ${cut}`).toBe(true);
    const state = JSON.stringify((await foldLog({ store }, id)).state);
    expect(JSON.stringify(peek?.state(id).state)).toBe(state);
    shown.push(state);
  }
  peek?.close();
  return shown;
}

async function searched(store: SqliteStore, directory: string): Promise<unknown> {
  const index = sessionIndex({ directory, store, report: fail });
  const sessions = store.summaries();
  const signal = new AbortController().signal;
  const found: unknown[] = [];
  for (const word of ['b c', '😀', 'x', 'nobody says this'])
    found.push(await index.search(sessions, { words: [word], limit: 1_000, signal }));
  await index.close();
  rmSync(join(directory, 'search.db'), { force: true });
  return found;
}

test('every point of a log is followed by the same entries, whatever of it is packed', async () => {
  const { store, path } = await newStore();
  const log = await talk(store, 's', { pieces: 700 });
  await store.pack();
  expect(countRows(path)).toBeLessThan(12);
  await talk(store, 's', { log, pieces: 5 });
  for (let after = 0; after <= log.length; after += after < 10 || after > 690 ? 1 : 37)
    expect(await read(store, 's', after)).toEqual(log.slice(after));
});

test('the state at every point is that of the entries before it, whatever of them is packed', async () => {
  const { store } = await newStore();
  const log = await talk(store, 's', { pieces: 600 });
  await store.pack();
  let state = emptyState('s');
  for (const entry of log) {
    state = reduce(state, entry);
    if (entry.seq > 8 && entry.seq < 590 && entry.seq % 61 !== 0) continue;
    expect(await foldUntil(store, 's', { isBehind: ({ seq }) => seq > entry.seq })).toEqual(state);
    expect(await foldUntil(store, 's', { isBehind: ({ pos }) => pos > entry.pos })).toEqual(state);
  }
  expect(await foldUntil(store, 's')).toEqual(state);
});

test('a reader goes on while what it reads is packed', async () => {
  const { store } = await newStore();
  const log = await talk(store, 's', { pieces: 2_000 });
  const seen: Entry[] = [];
  for await (const entry of store.read('s')) {
    seen.push(entry);
    if (entry.seq === 10) await store.pack();
  }
  expect(seen).toEqual(log);
});

test('a session is packed after its turn has ended, without being asked, and not before', async () => {
  const { store, path } = await newStore();
  const log = await talk(store, 's', { pieces: 300, end: false });
  await store.pack();
  expect(countRows(path)).toBe(log.length);
  await save(store, { id: 's', log }, ended('s', log));
  await expect.poll(() => countRows(path), { timeout: 100_000 }).toBeLessThan(12);
  expect(await read(store, 's')).toEqual(log);
});

test('what an earlier host has left is packed after the next start', async () => {
  const { store, directory, path } = await newStore();
  const log = await talk(store, 's', { pieces: 300 });
  await store.close();
  expect(countRows(path)).toBe(log.length);
  const again = await reopen(directory);
  await again.warm('all');
  await expect.poll(() => countRows(path), { timeout: 100_000 }).toBeLessThan(12);
  expect(await read(again, 's')).toEqual(log);
});

test('damage in a packed row is told as the loss of its entries, and what follows is found', async () => {
  const { store, directory, path } = await newStore();
  const log = await talk(store, 's', { pieces: 100 });
  await store.pack();
  await store.close();
  change(
    path,
    "UPDATE entries SET event = replace(event, 'piece 50', 'piece 5O') WHERE event LIKE '%packed%'",
  );
  const again = await reopen(directory);
  await expect(read(again, 's')).rejects.toMatchObject({ seq: 4, next: log.length });
  expect(await again.verify()).toEqual([
    { part: 'log', session: 's', seq: 4, problem: 'Entry 4 is missing or damaged.' },
  ]);
  // A damaged log is left as it is.
  await again.pack();
  await expect(read(again, 's', 50)).rejects.toMatchObject({ seq: 51, next: log.length });
});

test('entries that are found alone and in a packed row are restored once', async () => {
  const { store, directory, path } = await newStore();
  const log = await talk(store, 's', { pieces: 20 });
  await store.close();
  change(path, 'CREATE TABLE alone AS SELECT * FROM entries WHERE seq BETWEEN 6 AND 9');
  const packed = await reopen(directory);
  await packed.pack();
  await packed.close();
  change(path, 'INSERT INTO entries SELECT * FROM alone; DROP TABLE alone');
  writeFileSync(`${path}.suspect`, '');
  const problems: string[] = [];
  const again = await openStore({ directory, report: (problem) => problems.push(String(problem)) });
  cleanup.push(() => again.close());
  expect(problems.at(-1)).toContain(`${log.length} entries of 1 sessions were saved`);
  expect(await read(again, 's')).toEqual(log);
  expect(await again.verify()).toEqual([]);
});

/** Many pieces: the first turn of a log, or what follows it. */
async function talk(
  store: SqliteStore,
  id: string,
  { log = [], pieces, end = true }: { log?: Entry[]; pieces: number; end?: boolean },
): Promise<Entry[]> {
  const isFirst = log.length === 0;
  const words = Array.from({ length: pieces }, (_, at): Event => ({
    kind: 'text.added',
    chat: id,
    turn: 't1',
    item: `i${log.length}`,
    channel: 'answer',
    text: `piece ${at} `,
  }));
  const begin = isFirst ? [created(id), chatCreated(id), turnStarted(id)] : [title('More')];
  await save(
    store,
    { id, log },
    [...begin, ...words].map((event, at) => entryOf(log.length + at + 1, event)),
  );
  if (end) await save(store, { id, log }, isFirst ? ended(id, log) : [entryOf(log.length + 1, title('End'))]);
  return log;
}

function entryOf(seq: number, event: Event): Entry {
  return { seq, pos: seq, at: 1_000 + 20 * seq, by: agent, event };
}

const agent: Origin = { kind: 'agent', agent: 'script' };

/** The ends of all turns that run. */
function ended(id: string, log: readonly Entry[]): readonly Entry[] {
  const state = log.reduce(reduce, emptyState(id));
  const last = log.at(-1);
  const open = Object.values(state.chats).flatMap(({ id: chat, active }) =>
    active ? [{ chat, turn: active.id }] : [],
  );
  return open.map(({ chat, turn }, index) => ({
    seq: log.length + 1 + index,
    pos: (last?.pos ?? 0) + 1 + index,
    at: last?.at ?? 0,
    by: agent,
    event: { kind: 'turn.ended', chat, turn, outcome: { kind: 'completed' } },
  }));
}

async function save(
  store: SqliteStore,
  { id, log }: { id: string; log: Entry[] },
  fresh: readonly Entry[],
): Promise<void> {
  log.push(...fresh);
  await store.write(batchOf(id, log, fresh));
}

function batchOf(id: string, log: readonly Entry[], fresh: readonly Entry[] = log): Batch {
  const entries = fresh.map((entry) => ({ session: id, entry }));
  return { entries, summaries: [summarize(log.reduce(reduce, emptyState(id)))], sync: 'disk' };
}

/** The same log with each text in pieces of one character, behind a position, with all turns ended. */
function inPieces(entries: readonly Entry[], { id, pos }: { id: string; pos: number }): Entry[] {
  const log: Entry[] = [];
  const add = (entry: Entry, event: Event) =>
    log.push({ ...entry, seq: log.length + 1, pos: pos + entry.pos + log.length, event });
  for (const entry of entries) {
    const { event } = entry;
    if (event.kind !== 'text.added' || event.text === '') add(entry, event);
    else for (const text of event.text.repeat(4).split('')) add(entry, { ...event, text });
  }
  log.push(...ended(id, log));
  return log;
}

async function newStore(): Promise<{ store: SqliteStore; directory: string; path: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-pack-'));
  cleanup.push(() => rmSync(directory, { recursive: true }));
  return { store: await reopen(directory), directory, path: join(directory, 'log.db') };
}

async function reopen(directory: string): Promise<SqliteStore> {
  const store = await openStore({ directory, report: fail });
  cleanup.push(() => store.close());
  return store;
}

function fail(problem: unknown): void {
  throw problem;
}

function change(path: string, sql: string): void {
  const database = openDatabase(path);
  database.exec(sql);
  database.close();
}

function countRows(path: string): number {
  const database = openDatabase(path, { readOnly: true });
  try {
    return Number(query(database, 'SELECT count(*) FROM entries')()[0]?.[0]);
  } finally {
    database.close();
  }
}
