// A session is opened from its stored state and the entries since, and from its log alone if anything is
// wrong with the stored state.
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logs, sessionId } from '../../../test/kit/logs.ts';
import { foldLog, foldUntil } from '../../host/session/foldLog.ts';
import type { EarlierState, StoredState } from '../../host/session/logStore.ts';
import { summarize } from '../../host/session/summary.ts';
import type { Entry, Event } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState, stateFormat } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import { loadDatabase } from './sqlite/database.ts';
import { openStore } from './sqlite/open.ts';
import type { SqliteStore } from './sqlite/sqlite.ts';

let directory: string;
let store: SqliteStore;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parley-states-'));
  store = await opened();
});

afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

test('whatever is in a session, its stored state and the entries since make the state of its log', async () => {
  await fc.assert(
    fc.asyncProperty(
      logs(60),
      fc.integer({ min: 1, max: 59 }),
      fc.nat(59),
      async ({ entries }, stored, point) => {
        await store.close();
        rmSync(directory, { recursive: true });
        store = await opened();
        await put(entries);
        const before = entries.slice(0, stored);
        const at = before.at(-1)?.at ?? 0;
        await store.states.write({
          state: before.reduce(reduce, emptyState(sessionId)),
          at,
          earlier: statesIn(before),
        });
        const { state } = await foldLog({ store }, sessionId);
        expect(state).toEqual(entries.reduce(reduce, emptyState(sessionId)));
        const earlier = await foldUntil(store, sessionId, { isBehind: ({ seq }) => seq > point });
        expect(earlier).toEqual(entries.slice(0, point).reduce(reduce, emptyState(sessionId)));
        await store.remove(sessionId);
        expect(stateFiles()).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

test('opening a long session stores its state, and opening it again reads the entries since', async () => {
  const state = await put(turns(600));
  expect((await foldLog({ store }, 's')).state).toEqual(state);
  await expect.poll(stateFiles).toHaveLength(1);
  await store.close();
  expect(statSync(join(folder(), stateFiles()[0] ?? '')).mode & 0o077).toBe(0);

  store = await opened();
  const later = await put(turns(601), state);
  const read = vi.spyOn(store, 'read');
  expect((await foldLog({ store }, 's')).state).toEqual(later);
  expect(read.mock.calls.map(([, after]) => after)).toEqual([state.seq - 1, state.seq]);
});

test('a client that comes back after a restart needs only the entries since its turn', async () => {
  const entries = turns(600);
  await put(entries);
  await foldLog({ store }, 's');
  await expect.poll(stateFiles).toHaveLength(1);
  await vi.waitFor(async () => expect(await store.states.read('s')).toBeDefined());
  await store.close();

  store = await opened();
  const read = vi.spyOn(store, 'read');
  for (const missed of [1, 7, 80]) {
    read.mockClear();
    const last = entries.length - missed;
    const state = await foldUntil(store, 's', { isBehind: ({ seq }) => seq > last });
    expect(state).toEqual(entries.slice(0, last).reduce(reduce, emptyState('s')));
    expect(Math.min(...read.mock.calls.map(([, after]) => after ?? 0))).toBeGreaterThan(last - 6);
  }
});

test('earlier states that are no part of the stored one, or large, are left out', async () => {
  const state = await put(turns(3));
  const other = turns(2).reduce(reduce, emptyState('s'));
  const large = { ...emptyState('s'), title: 'Long. '.repeat(100_000) };
  const earlier = [other, large, state].map(({ seq, pos }, at) => {
    return { seq, pos, at: turnsAt + seq - 1, read: () => [other, large, state][at] };
  });
  await store.states.write({ ...asStored(state), earlier });
  expect((await store.states.read('s'))?.earlier?.map((each) => each.read())).toEqual([state]);
});

test('an earlier state that is damaged in the file comes from the log', async () => {
  const entries = turns(3);
  const state = await put(entries);
  await store.states.write({ ...asStored(state), earlier: statesIn(entries.slice(0, 10)) });
  const file = join(folder(), stateFiles()[0] ?? '');
  const bytes = readFileSync(file);
  const [end = ''] = bytes.toString('latin1').trimEnd().split('\n').slice(-1);
  const head = Number(/"head":(\d+)/.exec(end)?.[1]);
  writeFileSync(file, bytes.fill(0, 0, head));
  const before = await foldUntil(store, 's', { isBehind: ({ seq }) => seq > 8 });
  expect(before).toEqual(entries.slice(0, 8).reduce(reduce, emptyState('s')));
});

test('a short session has no stored state', async () => {
  await put(turns(3));
  await foldLog({ store }, 's');
  await store.close();
  expect(stateFiles()).toEqual([]);
});

test.each<[string, (text: string) => string]>([
  ['a changed letter', (text) => text.replace('Please explain', 'Please destroy')],
  ['a missing end', (text) => text.slice(0, -20)],
  ['a missing line', (text) => text.split('\n').toSpliced(2, 1).join('\n')],
  ['nothing in it', () => ''],
  ['no text at all', () => '\0'.repeat(4096)],
  ['another format', (text) => signed(text, `.${stateFormat}","session"`, '.0","session"')],
  ['another session', (text) => signed(text, '"session":"s"', '"session":"t"')],
  ['an entry that the log does not have', (text) => signed(text, '"pos":6,', '"pos":7,')],
])('a stored state with %s is passed over', async (_, change) => {
  const state = await put(turns(2));
  await store.states.write(asStored(turns(1).reduce(reduce, emptyState('s'))));
  const file = join(folder(), stateFiles()[0] ?? '');
  const changed = change(readFileSync(file, 'utf8'));
  expect(changed).not.toBe(readFileSync(file, 'utf8'));
  writeFileSync(file, changed);
  const read = vi.spyOn(store, 'read');
  expect((await foldLog({ store }, 's')).state).toEqual(state);
  expect(read.mock.calls.map(([, after]) => after).at(-1)).toBe(0);
});

test('turns that are damaged in the file of an open session come from the log', async () => {
  const before = turns(2).reduce(reduce, emptyState('s'));
  await put(turns(3));
  await store.states.write(asStored(before));
  const stored = await store.states.read('s');
  const file = join(folder(), stateFiles()[0] ?? '');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('Some words.', 'Bad words!!'));
  expect(stored?.state).toEqual(before);
});

test.each<[string, (store: SqliteStore) => Promise<unknown>]>([
  ['somebody has read it', (damaged) => readAll(damaged.read('s')).catch(() => {})],
  ['it was checked', (damaged) => damaged.verify()],
])('damage of a log is seen when its session is opened after %s', async (_, find) => {
  await store.states.write(asStored(await put(turns(2))));
  await store.close();
  const database = (await loadDatabase())(join(directory, 'log.db'));
  database.exec('UPDATE entries SET crc = crc + 1 WHERE seq = 3');
  database.close();
  store = await opened();
  expect((await foldLog({ store }, 's')).unreadable).toBeUndefined();
  await find(store);
  expect((await foldLog({ store }, 's')).unreadable).toMatchObject({ seq: 3 });
});

test('an unfinished file is not used, and the store closes while one is written', async () => {
  const state = await put(turns(600));
  void store.states.write(asStored(state));
  await store.close();
  expect(readdirSync(directory).includes('log.db-states') ? readdirSync(folder()) : []).toEqual(stateFiles());
  store = await opened();
  await store.states.write(asStored(state));
  const [name = ''] = stateFiles();
  renameSync(join(folder(), name), join(folder(), `${name}.new`));
  await store.close();
  store = await opened();
  expect(await store.states.read('s')).toBeUndefined();
});

test.each<[string, (state: State) => readonly Promise<unknown>[]]>([
  ['is being stored', (state) => [store.states.write(asStored(state)), store.remove('s')]],
  ['was read before', (state) => [store.remove('s'), store.states.write(asStored(state))]],
])('a session that is removed while its state %s leaves no file', async (_, run) => {
  await Promise.all(run(await put(turns(600))));
  expect(readdirSync(directory).includes('log.db-states') ? readdirSync(folder()) : []).toEqual([]);
});

test('what a killed host has begun to store is removed', async () => {
  await store.states.write(asStored(await put(turns(2))));
  await store.close();
  writeFileSync(join(folder(), 'half.new'), 'half');
  store = await opened();
  expect(await store.states.read('s')).toBeDefined();
  await store.close();
  expect(readdirSync(folder())).toEqual(stateFiles());
});

test('a folder of states that cannot be read keeps no session from being opened', async () => {
  const state = await put(turns(2));
  symlinkSync('log.db-states', folder());
  expect((await foldLog({ store }, 's')).state).toEqual(state);
  await store.remove('s');
  rmSync(folder());
});

test('the state of a log that was replaced by an older copy is passed over', async () => {
  const [begun, full] = [turns(1), turns(2)];
  await put(begun);
  await store.close();
  const copy = readFileSync(join(directory, 'log.db'));
  const seal = readFileSync(join(directory, 'log.db.seal'));
  store = await opened();
  await store.states.write(asStored(await put(full, begun.reduce(reduce, emptyState('s')))));
  await store.close();
  writeFileSync(join(directory, 'log.db'), copy);
  writeFileSync(join(directory, 'log.db.seal'), seal);
  store = await opened();
  const other = full.map((entry) =>
    entry.event.kind === 'text.added' && entry.seq > begun.length
      ? { ...entry, at: entry.at + 1, event: { ...entry.event, text: 'Other words.' } }
      : { ...entry, at: entry.seq > begun.length ? entry.at + 1 : entry.at },
  );
  const now = await put(other, begun.reduce(reduce, emptyState('s')));
  expect((await foldLog({ store }, 's')).state).toEqual(now);
});

async function readAll(entries: AsyncIterable<Entry>): Promise<void> {
  for await (const _ of entries);
}

function opened(): Promise<SqliteStore> {
  return openStore({
    directory,
    report: (problem) => {
      throw problem;
    },
  });
}

function folder(): string {
  return join(directory, 'log.db-states');
}

function stateFiles(): readonly string[] {
  return readdirSync(directory).includes('log.db-states')
    ? readdirSync(folder()).filter((name) => !name.endsWith('.new'))
    : [];
}

/** A file in which one line says something else, with its checksum. */
function signed(text: string, old: string, now: string): string {
  return text
    .split('\n')
    .map((line) => {
      if (!line.includes(old)) return line;
      const changed = line.slice(line.indexOf(' ') + 1).replace(old, now);
      return `${crc32(changed).toString(16)} ${changed}`;
    })
    .join('\n');
}

/** Stores the entries that a state does not have yet. */
async function put(entries: readonly Entry[], from?: State): Promise<State> {
  const [session] = [entries[0]?.event.kind === 'session.created' ? entries[0].event.session : 's'];
  let state = from ?? emptyState(session);
  const more = entries.filter(({ seq }) => seq > state.seq);
  state = more.reduce(reduce, state);
  await store.write({
    entries: more.map((entry) => ({ session, entry })),
    summaries: [summarize(state)],
    sync: 'disk',
  });
  return state;
}

/** The states after each of some entries. */
function statesIn(entries: readonly Entry[]): readonly EarlierState[] {
  let state = emptyState(entries[0]?.event.kind === 'session.created' ? entries[0].event.session : 's');
  return entries.map((entry) => {
    const after = reduce(state, entry);
    state = after;
    return { seq: entry.seq, pos: entry.pos, at: entry.at, read: () => after };
  });
}

/** A state of such a session, as it is stored. */
function asStored(state: State): StoredState {
  return { state, at: turnsAt + state.seq - 1 };
}

const turnsAt = 1_760_000_000_000;

/** A session of short turns, four entries each. */
function turns(count: number): readonly Entry[] {
  const events: Event[] = [
    { kind: 'session.created', session: 's', agent: 'native', roots: ['/work'] },
    { kind: 'chat.created', chat: 's', origin: { type: 'user' } },
  ];
  for (let n = 0; n < count; n += 1) {
    const of = { chat: 's', turn: `turn-${n}` };
    const message = { id: `message-${n}`, text: 'Please explain this.' };
    events.push(
      { kind: 'turn.started', ...of, message, queued: false },
      { kind: 'notice.added', ...of, level: 'info', text: 'Wait.' },
      { kind: 'text.added', ...of, item: `item-${n}`, channel: 'answer', text: 'Some words.' },
      { kind: 'turn.ended', ...of, outcome: { kind: 'completed' } },
    );
  }
  const by = { kind: 'host' } as const;
  return events.map((event, at) => ({ seq: at + 1, pos: at + 1, at: turnsAt + at, by, event }));
}
