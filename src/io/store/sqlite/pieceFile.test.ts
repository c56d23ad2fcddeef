// Pieces of running answers wait in a file of their own. Readers see them at once, and a host that dies
// leaves none of them behind.
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  watch,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import fc from 'fast-check';
import {
  chatCreated,
  created,
  Log,
  read,
  text,
  title,
  turnStarted,
} from '../../../../test/contracts/logStore.ts';
import { random as randomNumbers } from '../../../../test/faults/shownIsKept.ts';
import { logs as randomLogs } from '../../../../test/kit/logs.ts';
import type { Entry, Event } from '../../../model/event.ts';
import { loadDatabase, query } from './database.ts';
import { openStore } from './open.ts';
import { peekLog } from './peek.ts';
import type { SqliteStore } from './sqlite.ts';

const openDatabase = await loadDatabase();
/** Below the data directory. */
const file = join('log.db-running', 'pieces');
const cleanup: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const clean of cleanup.splice(0).toReversed()) await clean();
});

test('a piece costs its own bytes, is read at once, and shares a row with others', async () => {
  const { store, directory } = await newStore();
  const log = await begun(store, 's');
  const before = statSync(join(directory, 'log.db-wal')).size;
  for (let n = 0; n < 100; n += 1) await say(store, log, `word ${n} `);
  expect(statSync(join(directory, 'log.db-wal')).size).toBe(before);
  expect(statSync(join(directory, file)).size).toBeLessThan(100 * 400);
  expect((await peekLog(directory))?.state('s').state).toEqual(log.state);
  expect(await read(store, 's', 50)).toEqual(log.entries.slice(50));
  expect(rowsOf(directory, 's')).toBe(4);
  expect(await store.verify()).toEqual([]);
});

test('what a dead host has left is restored, whatever the database has of it', async () => {
  const { store, directory } = await newStore();
  const logs = [await begun(store, 'a'), await begun(store, 'b', 100_000)];
  const add = async (count: number) => {
    for (let n = 0; n < count; n += 1) for (const log of logs) await say(store, log, `${n} ü `);
  };
  await add(40);
  const some = crashed(directory);
  // So many that some are in the database, and in the file all the same.
  await add(600);
  const more = crashed(directory);
  for (const log of logs) await store.write(log.batch([title('Later')], 'disk'));
  await add(3);
  const last = crashed(directory);
  for (const [copy, length] of [
    [some, 43],
    [more, 643],
    [last, 647],
  ] as const) {
    const again = await open(copy);
    for (const { entries, id } of logs) expect(await read(again, id)).toEqual(entries.slice(0, length));
    expect([await again.verify(), existsSync(join(copy, file))]).toEqual([[], false]);
  }
});

test('words wake nobody who watches the folder of the log', async () => {
  const { store, directory } = await newStore();
  const log = await begun(store, 's');
  await say(store, log, 'first');
  await wait(200);
  const changed: (string | null)[] = [];
  const watcher = watch(directory, (_, name) => changed.push(name));
  cleanup.push(() => watcher.close());
  for (let n = 0; n < 20; n += 1) {
    await say(store, log, `word ${n} `);
    await wait(10);
  }
  await wait(100);
  expect(changed).toEqual([]);
});

test('what a host of an earlier version has left beside the log is shown and restored', async () => {
  const { store, directory } = await newStore();
  const log = await begun(store, 's');
  for (let n = 0; n < 5; n += 1) await say(store, log, `${n} `);
  const copy = crashed(directory);
  renameSync(join(copy, file), join(copy, 'log.db-pieces'));
  expect((await peekLog(copy))?.state('s').state).toEqual(log.state);
  const again = await open(copy);
  expect(await read(again, 's')).toEqual(log.entries);
  expect([await again.verify(), existsSync(join(copy, 'log.db-pieces'))]).toEqual([[], false]);
});

test('a file that is cut anywhere costs only the pieces behind the cut', async () => {
  const { store, directory } = await newStore();
  const log = await begun(store, 's');
  for (let n = 0; n < 20; n += 1) await say(store, log, `word ${n} `);
  const size = statSync(join(directory, file)).size;
  let most = 0;
  for (let part = 0; part <= 20; part += 1) {
    const copy = crashed(directory);
    truncateSync(join(copy, file), Math.floor((size * part) / 20));
    const again = await open(copy);
    const found = await read(again, 's');
    expect(found).toEqual(log.entries.slice(0, found.length));
    expect(found.length).toBeGreaterThanOrEqual(most);
    most = found.length;
    await again.close();
  }
  expect(most).toBe(log.entries.length);
});

test('lines of the time before the file began anew are not taken for new ones', async () => {
  const { store, directory } = await newStore();
  const log = await begun(store, 's');
  for (let n = 0; n < 10; n += 1) await say(store, log, 'old');
  await store.write(log.batch([text('s', 'on the disk')], 'disk'));
  await say(store, log, 'new');
  const again = await open(crashed(directory));
  expect(await read(again, 's')).toEqual(log.entries);
});

test('pieces that do not follow the log are kept in a file of their own', async () => {
  const { store, directory } = await newStore();
  const log = await begun(store, 's');
  const early = crashed(directory);
  await store.write(log.batch([turnStarted('s')], 'disk'));
  await say(store, log, 'late');
  mkdirSync(dirname(join(early, file)), { recursive: true });
  copyFileSync(join(directory, file), join(early, file));
  const problems: string[] = [];
  const again = await open(early, (problem) => problems.push(String(problem)));
  expect(await read(again, 's')).toEqual(log.entries.slice(0, 3));
  const aside = readdirSync(early).find((name) => name.endsWith('-pieces'));
  expect(problems.join()).toContain(String(aside));
  expect(readFileSync(join(early, String(aside)), 'utf8')).toContain('late');
});

test('a removed session leaves nothing that a later start finds', async () => {
  const { store, directory } = await newStore();
  const log = await begun(store, 's');
  await say(store, log, 'gone');
  await store.remove('s');
  const again = await open(crashed(directory));
  expect([again.summaries(), await read(again, 's')]).toEqual([[], []]);
});

test('pieces of a removed session in a file that others still use are not taken for damage', async () => {
  const { store, directory } = await newStore();
  const log = await begun(store, 'stays');
  const gone = await begun(store, 'gone', 100);
  await say(store, gone, 'gone');
  const before = crashed(directory);
  const removed = store.remove('gone');
  // The host dies before the removal is on the disk, or after others have added pieces.
  const at = crashed(directory);
  log.pos = gone.pos;
  await say(store, log, 'stays');
  await removed;
  const after = crashed(directory);
  expect(readFileSync(join(after, file), 'utf8')).toContain('gone');
  const lengths = [before, at, after].map(async (copy) => {
    const again = await open(copy);
    expect(existsSync(join(copy, file))).toBe(false);
    return [(await read(again, 'stays')).length, (await read(again, 'gone')).length];
  });
  expect(await Promise.all(lengths)).toEqual([
    [3, 4],
    [3, 0],
    [4, 0],
  ]);
});

test('where the file cannot be written, pieces go to the database', async () => {
  const problems: string[] = [];
  const directory = temporary();
  const store = await open(directory, (problem) => problems.push(String(problem)));
  const log = await begun(store, 's');
  mkdirSync(join(directory, file), { recursive: true });
  await say(store, log, 'in the database');
  expect(await read(store, 's')).toEqual(log.entries);
  expect([rowsOf(directory, 's'), problems.length]).toEqual([4, 1]);
  rmSync(join(directory, file), { recursive: true });
});

test('a long answer goes through the file again and again', async () => {
  const { store, directory } = await newStore();
  const log = await begun(store, 's');
  for (let n = 0; n < 900; n += 1) await say(store, log, `${n} `.repeat(400));
  await say(store, log, 'x'.repeat(1_000_000));
  expect(statSync(join(directory, file)).size).toBeLessThan(1_400_000);
  const again = await open(crashed(directory));
  expect(await read(again, 's')).toEqual(log.entries);
});

test('random logs of several sessions are whole whenever the host dies', async () => {
  const { store, directory } = await newStore();
  const random = randomNumbers(18);
  const logs: Log[] = [];
  for (const [index, { entries }] of fc.sample(randomLogs(60), { numRuns: 12, seed: 18 }).entries()) {
    const log = new Log(`s${index}`, logs.at(-1));
    logs.push(log);
    for (const { event } of entries) {
      const batch = log.batch([event], isPiece(event) ? 'kernel' : 'disk');
      // Pieces change no row of the catalogue.
      await store.write(isPiece(event) ? { ...batch, summaries: [] } : batch);
      if (random() > 0.03) continue;
      const again = await open(crashed(directory));
      for (const { id, entries: written } of logs)
        expect(JSON.stringify(await read(again, id)) === JSON.stringify(written), id).toBe(true);
      expect(await again.verify()).toEqual([]);
      await again.close();
    }
  }
});

function isPiece({ kind }: Event): boolean {
  return ['text.added', 'tool.input', 'tool.output', 'usage.reported'].includes(kind);
}

/** Stores a piece as a host does. */
async function say(store: SqliteStore, log: Log, words: string): Promise<void> {
  log.pos += 1;
  const by = { kind: 'agent', agent: 'script' } as const;
  const [seq, at] = [log.entries.length + 1, 1_700_000_000_000 + log.pos];
  const entry: Entry = { seq, pos: log.pos, at, by, event: text(log.id, words) };
  log.entries.push(entry);
  await store.write({ entries: [{ session: log.id, entry }], summaries: [], sync: 'kernel' });
}

/** A session with a running turn. */
async function begun(store: SqliteStore, session: string, pos = 0): Promise<Log> {
  const log = new Log(session);
  log.pos = pos;
  await store.write(log.batch([created(session), chatCreated(session), turnStarted(session)], 'disk'));
  return log;
}

/** The files as a host leaves them that is killed now. */
function crashed(directory: string): string {
  const copy = temporary();
  for (const name of readdirSync(directory))
    if (name.startsWith('log.db') && !name.endsWith('-shm'))
      cpSync(join(directory, name), join(copy, name), { recursive: true });
  return copy;
}

function rowsOf(directory: string, session: string): number {
  const database = openDatabase(join(directory, 'log.db'), { readOnly: true });
  const [count] = query(database, 'SELECT count(*) FROM entries WHERE session = ?')(session)[0] ?? [];
  database.close();
  return Number(count);
}

async function newStore(): Promise<{ readonly store: SqliteStore; readonly directory: string }> {
  const directory = temporary();
  return { directory, store: await open(directory) };
}

async function open(
  directory: string,
  report: (problem: unknown) => void = (problem) => {
    throw problem;
  },
): Promise<SqliteStore> {
  const store = await openStore({ directory, report });
  cleanup.push(() => store.close());
  return store;
}

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'parley-pieces-'));
  cleanup.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
