// The SQLite store: the contract of every log store, and what only a store with a file can get wrong.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { LogDamage } from '../../../host/session/logStore.ts';
import type { Summary } from '../../../host/session/summary.ts';
import {
  chatCreated,
  created,
  Log,
  logStoreContract,
  read,
  text,
  title,
  turnStarted,
} from '../../../../test/contracts/logStore.ts';
import { isSameSummary } from './catalogue.ts';
import { loadDatabase, query } from './database.ts';
import type { Database } from './database.ts';
import { openStore } from './open.ts';
import type { SqliteStore } from './sqlite.ts';
import { StoreError } from './storeError.ts';

logStoreContract('the SQLite store', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-log-'));
  const open = () => openStore({ directory, report: fail });
  let store = await open();
  let other: Database | undefined;
  return {
    get store() {
      return store;
    },
    async reopen() {
      await store.close();
      return (store = await open());
    },
    breakWrites() {
      other = openDatabase(join(directory, 'log.db'));
      other.exec('BEGIN IMMEDIATE');
    },
    mendWrites: () => other?.exec('ROLLBACK'),
    async dispose() {
      other?.close();
      await store.close();
      rmSync(directory, { recursive: true });
    },
  };
});

const openDatabase = await loadDatabase();
const cleanup: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const clean of cleanup.splice(0).toReversed()) await clean();
});

describe('failures have a code and undo everything', () => {
  test('another writer', async () => {
    const { store, directory } = await newStore();
    const other = openDatabase(join(directory, 'log.db'));
    cleanup.push(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    expect(codeOf(() => void store.write(new Log('s').batch([created('s')], 'kernel')))).toBe('busy');
    other.exec('ROLLBACK');
    await store.write(new Log('s').batch([created('s')], 'kernel'));
  });

  test('a sequence number that is taken', async () => {
    const { store } = await newStore();
    const log = new Log('s');
    await store.write(log.batch([created('s')], 'disk'));
    const twice = { ...log.batch([title('a'), title('b')], 'disk') };
    const clash = {
      ...twice,
      entries: twice.entries.map(({ session, entry }) => ({
        session,
        entry: { ...entry, seq: entry.seq - 1 },
      })),
    };
    expect(codeOf(() => void store.write(clash))).toBe('conflict');
    expect((await read(store, 's')).length).toBe(1);
    await store.write(twice);
    expect(await read(store, 's')).toEqual(log.entries);
  });

  test('a closed store', async () => {
    const { store, directory } = await newStore();
    await store.close();
    await store.close();
    expect(codeOf(() => void store.write(new Log('s').batch([created('s')], 'disk')))).toBe('closed');
    expect(codeOf(() => void store.remove('s'))).toBe('closed');
    await expect(read(store, 's')).rejects.toMatchObject({ code: 'closed' });
    const silent = await reopen(directory, () => {});
    await silent.close();
    expect(codeOf(() => void silent.takePosition())).toBe('closed');
  });
});

describe('a file that is not for us is refused as it is', () => {
  refused('a newer schema', 'newer', (db) => db.exec('PRAGMA user_version = 99'));
  refused('another program', 'foreign', (db) => db.exec('PRAGMA application_id = 7'));
  refused('another program without an id', 'foreign', (db) => db.exec('PRAGMA application_id = 0'));

  function refused(name: string, code: string, change: (database: Database) => void): void {
    test(`refuses ${name}`, async () => {
      const { store, directory, path } = await newStore();
      await store.write(new Log('s').batch([created('s')], 'disk'));
      await store.close();
      tamper(path, change);
      const before = readFileSync(path);
      await expect(openStore({ directory, report: fail })).rejects.toMatchObject({ code });
      expect(readFileSync(path).equals(before)).toBe(true);
    });
  }
});

describe('damage is found on reading, told by sequence number, and remembered', () => {
  damaged('a changed event', 3, [
    "UPDATE entries SET event = replace(event, 'two', 'TWO') WHERE session = 'bad' AND seq = 3",
  ]);
  damaged('a changed time', 2, ["UPDATE entries SET at = at + 1 WHERE session = 'bad' AND seq = 2"]);
  damaged('a changed origin', 1, [
    'UPDATE entries SET by = \'{"kind":"host"}\' WHERE session = \'bad\' AND seq = 1',
  ]);
  damaged('a changed position', 4, ["UPDATE entries SET pos = 9000 WHERE session = 'bad' AND seq = 4"]);
  damaged('a changed format', 4, ["UPDATE entries SET format = 3 WHERE session = 'bad' AND seq = 4"]);
  damaged('a changed checksum', 2, ["UPDATE entries SET crc = crc + 1 WHERE session = 'bad' AND seq = 2"]);
  damaged('a value of another type', 2, [
    "UPDATE entries SET event = x'00ff' WHERE session = 'bad' AND seq = 2",
  ]);
  damaged('a missing entry', 2, ["DELETE FROM entries WHERE session = 'bad' AND seq = 2"]);
  damaged('a missing beginning', 1, ["DELETE FROM entries WHERE session = 'bad' AND seq = 1"]);
  damaged('a missing end', 4, ["DELETE FROM entries WHERE session = 'bad' AND seq = 4"]);
  damaged('no entries at all', 1, ["DELETE FROM entries WHERE session = 'bad'"]);
  damaged('an entry of another session', 3, [
    "DELETE FROM entries WHERE session = 'bad' AND seq = 3; UPDATE entries SET session = 'bad' WHERE " +
      "session = 'good' AND seq = 3",
    'good',
  ]);

  function damaged(name: string, seq: number, [sql, also]: [sql: string, also?: string]): void {
    test(`finds ${name}`, async () => {
      const { store, directory, path } = await newStore();
      const logs = [new Log('good'), new Log('bad'), new Log('fine')];
      logs.forEach((log, index) => (log.pos = index * 10));
      for (const log of logs)
        await store.write(log.batch([created(log.id), title('one'), title('two'), title('three')], 'disk'));
      await store.close();
      tamper(path, (db) => db.exec(sql));

      const again = await reopen(directory);
      expect(
        again
          .summaries()
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(['bad', 'fine', 'good']);
      const failure = await read(again, 'bad').catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(LogDamage);
      expect(failure).toMatchObject({ session: 'bad', seq });
      const sound: number[] = [];
      await (async () => {
        for await (const entry of again.read('bad')) sound.push(entry.seq);
      })().catch(() => {});
      expect(sound).toEqual(Array.from({ length: seq - 1 }, (_, n) => n + 1));
      for (const log of logs.filter(({ id }) => id !== 'bad' && id !== also))
        expect(await read(again, log.id)).toEqual(log.entries);
      expect(await again.verify()).toContainEqual(
        expect.objectContaining({ part: 'log', session: 'bad', seq }),
      );
      await again.close();

      const third = await reopen(directory);
      expect(
        byId(third.summaries()).map(({ id, title: words, damage }) => [id, words, damage !== undefined]),
      ).toEqual([
        ['bad', 'three', true],
        ['fine', 'three', false],
        ['good', 'three', false],
      ]);
    });
  }

  test('damage that was mended is forgotten', async () => {
    const { store, directory, path } = await newStore();
    await store.write(new Log('s').batch([created('s'), title('one')], 'disk'));
    await store.close();
    tamper(path, (db) => db.exec('UPDATE entries SET crc = crc + 1 WHERE seq = 2'));
    const damagedStore = await reopen(directory);
    await expect(read(damagedStore, 's')).rejects.toBeInstanceOf(LogDamage);
    await damagedStore.close();
    tamper(path, (db) => db.exec('UPDATE entries SET crc = crc - 1 WHERE seq = 2'));
    const mended = await reopen(directory);
    expect(mended.summaries()[0]?.damage).toBe('Entry 2 is damaged: its checksum is wrong.');
    await read(mended, 's');
    expect(mended.summaries()[0]?.damage).toBeUndefined();
    await mended.close();
    expect((await reopen(directory)).summaries()[0]?.damage).toBeUndefined();
  });
});

test('a damaged index is built again while the store is used', async () => {
  const { store, directory, path } = await newStore();
  const log = new Log('one');
  const words = Array.from({ length: 400 }, (_, at) => text('one', `word ${at}`));
  await store.write(log.batch([created('one'), chatCreated('one'), turnStarted('one'), ...words], 'disk'));
  await store.close();
  const page = Number(rootOf(path, 'entries_of_session'));
  const bytes = readFileSync(path);
  bytes.fill(0xa5, (page - 1) * 4096, page * 4096);
  writeFileSync(path, bytes);
  const problems: string[] = [];
  const again = await reopen(directory, (problem) => problems.push(String(problem)));
  await again.write(log.batch([text('one', 'and one more')], 'disk'));
  expect(await read(again, 'one')).toEqual(log.entries);
  expect(problems).toEqual([expect.stringContaining('An index of the log was damaged and was built again.')]);
  await again.close();
  const last = await reopen(directory, () => {});
  expect(await read(last, 'one')).toEqual(log.entries);
  expect(await last.verify()).toEqual([]);
});

describe('a log that is not what it was is noticed', () => {
  const losses: { name: string; lose: (path: string, old: Buffer) => void; told: RegExp }[] = [
    {
      name: 'missing',
      lose: (path) => ['', '-wal', '-shm'].forEach((part) => rmSync(path + part, { force: true })),
      told: /The log is missing\. It had 1 sessions\./,
    },
    { name: 'older', lose: (path, old) => writeFileSync(path, old), told: /older than it was: 5 entries/ },
  ];
  test.each(losses)('$name', async ({ lose, told }) => {
    const { store, directory, path } = await newStore();
    const log = new Log('one');
    await store.write(log.batch([created('one'), chatCreated('one'), turnStarted('one')], 'disk'));
    await store.close();
    const old = readFileSync(path);
    const later = await reopen(directory);
    await later.write(
      log.batch(
        ['a', 'b', 'c', 'd', 'e'].map((word) => text('one', word)),
        'disk',
      ),
    );
    await later.close();
    lose(path, old);
    const problems: string[] = [];
    const again = await reopen(directory, (problem) => problems.push(String(problem)));
    expect(problems).toEqual([expect.stringMatching(told)]);
    expect(readFileSync(`${path}.loss`, 'utf8')).toMatch(told);
    expect(again.head()).toBeGreaterThan(log.pos);
    await again.close();
    await (await reopen(directory)).close();
  });
});

describe('the catalogue can always be had from the entries', () => {
  heals('a lost row', "DELETE FROM sessions WHERE id = 'b'");
  heals('all rows lost', 'DELETE FROM sessions');
  heals(
    'an altered row',
    "UPDATE sessions SET summary = replace(summary, 'Title of b', 'Something') WHERE id = 'b'",
  );
  heals('an unreadable row', "UPDATE sessions SET summary = 'nonsense' WHERE id = 'b'");
  heals(
    'a row of another session',
    "UPDATE sessions SET (summary, crc) = (SELECT summary, crc FROM sessions WHERE id = 'a') WHERE id = 'b'",
  );
  heals('a lost digest', 'DELETE FROM meta');
  heals('a wrong digest', 'UPDATE meta SET digest = 5');
  heals('rows in an older shape', 'UPDATE meta SET summaries = 0');

  function heals(name: string, sql: string): void {
    test(`survives ${name}`, async () => {
      const { directory, path, summaries } = await threeSessions();
      tamper(path, (db) => db.exec(sql));
      const again = await reopen(directory, () => {});
      expect(byId(again.summaries())).toEqual(summaries);
      expect(await again.verify()).toEqual([]);
      await again.close();
      const third = await reopen(directory);
      expect(byId(third.summaries())).toEqual(summaries);
    });
  }

  test('a row of a version that told no failure is sound, and one with another failure is not', async () => {
    const { summaries } = await threeSessions();
    for (const summary of summaries) {
      const told = { ...summary, failure: 'It broke.' };
      const same = [summary, told, { ...summary, failure: 'No.' }].map((row) => isSameSummary(row, told));
      expect(same).toEqual([true, true, false]);
    }
  });

  test('a row of a version that told no rules is sound, and gets them when the file is opened', async () => {
    const { store, directory, path } = await newStore();
    const log = new Log('s');
    const rules = [{ id: 'r', effect: 'allow', tool: 'x' }] as const;
    await store.write(log.batch([created('s'), { kind: 'session.changed', changes: { rules } }], 'disk'));
    await store.close();
    const { rules: told, ...older } = log.summary;
    const row = JSON.stringify(older);
    expect([told, isSameSummary(older, log.summary)]).toEqual([rules, true]);
    expect(isSameSummary({ ...older, rules: [] }, log.summary)).toBe(false);
    tamper(path, (db) => {
      db.prepare('UPDATE sessions SET summary = ?, crc = ?').run(row, crc32(row));
      db.prepare('UPDATE meta SET digest = ?, summaries = 3').run(crc32(row));
    });
    const again = await reopen(directory);
    expect(again.summaries()).toEqual([log.summary]);
    expect(await again.verify()).toEqual([]);
  });

  test('a row from before the last changes', async () => {
    const { directory, path, summaries } = await threeSessions();
    let old: readonly unknown[] = [];
    tamper(path, (db) => {
      [old = []] = query(db, "SELECT summary, crc FROM sessions WHERE id = 'b'")();
    });
    const store = await reopen(directory);
    const log = new Log('b');
    log.entries = await read(store, 'b');
    log.pos = store.head();
    await store.write(log.batch([title('Newest')], 'disk'));
    await store.close();
    tamper(path, (db) =>
      db
        .prepare("UPDATE sessions SET summary = ?, crc = ? WHERE id = 'b'")
        .run(String(old[0]), Number(old[1])),
    );
    const again = await reopen(directory, () => {});
    expect(again.summaries().find(({ id }) => id === 'b')).toEqual(log.summary);
    expect(again.summaries().find(({ id }) => id === 'a')).toEqual(summaries[0]);
  });

  test('the end of a stream does not make a row stale', async () => {
    const { store, directory } = await newStore();
    const log = new Log('s');
    await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
    const { summary } = log;
    await store.write({ ...log.batch([text('s', 'a'), text('s', 'b')], 'kernel'), summaries: [] });
    expect(await store.verify()).toEqual([]);
    await store.close();
    const again = await reopen(directory);
    expect(again.summaries()).toEqual([summary]);
    expect(await again.verify()).toEqual([]);
  });

  test('entries that came without a summary are listed all the same', async () => {
    const { store, directory } = await newStore();
    const log = new Log('s');
    await store.write({ ...log.batch([created('s'), title('Mine')], 'kernel'), summaries: [] });
    expect(store.summaries()).toEqual([log.summary]);
    await store.write({ ...log.batch([title('Changed')], 'disk'), summaries: [] });
    await store.close();
    expect((await reopen(directory, () => {})).summaries()).toEqual([log.summary]);
  });

  test('rebuild derives every row anew', async () => {
    const { store } = await newStore();
    const log = new Log('s');
    await store.write({
      ...log.batch([created('s'), title('True')], 'disk'),
      summaries: [{ ...log.summary, title: 'False' }],
    });
    expect(await store.verify()).toEqual([
      { part: 'catalogue', session: 's', problem: 'The row does not match the entries.' },
    ]);
    await store.rebuild();
    expect(store.summaries()).toEqual([log.summary]);
    expect(await store.verify()).toEqual([]);
  });
});

test('an index that lies is found, and rebuilt', async () => {
  const { store, directory, path } = await newStore();
  const log = new Log('a session to be found');
  await store.write(log.batch([created(log.id), title('one'), title('two')], 'disk'));
  await store.close();
  const bytes = readFileSync(path);
  // In a cell of the index the id is followed by the sequence number.
  const at = bytes.indexOf(`${log.id}\u0002`, (Number(rootOf(path, 'entries_of_session')) - 1) * 4096);
  bytes.writeUInt8('z'.charCodeAt(0), at);
  writeFileSync(path, bytes);
  const problems: string[] = [];
  const again = await reopen(directory, (problem) => problems.push(String(problem)));
  expect((await again.verify()).map(({ part }) => part)).toContain('database');
  expect(await read(again, log.id)).toEqual(log.entries);
  expect(problems).toEqual([expect.stringContaining('An index of the log was damaged and was built again.')]);
  await again.close();
  const last = await reopen(directory, () => {});
  expect(await last.verify()).toEqual([]);
  expect(await read(last, log.id)).toEqual(log.entries);
});

test('only the owner can read what is stored', async () => {
  const { store, directory, path } = await newStore();
  await store.write(new Log('s').batch([created('s')], 'kernel'));
  const modes = [directory, path, `${path}-wal`, `${path}-shm`].map((file) => statSync(file).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600, 0o600, 0o600]);
});

test('a start that was cut off while it made the log is made up for by the next', async () => {
  const { store, directory } = await newStore();
  await store.close();
  const path = join(directory, 'log.db');
  const half = readFileSync(path).subarray(0, 5_000);
  rmSync(path);
  writeFileSync(`${path}.new`, half);
  writeFileSync(path, '');
  const next = await openStore({ directory, report: fail });
  cleanup.push(() => next.close());
  expect(statSync(path).size).toBeGreaterThan(half.length);
  expect(existsSync(`${path}.new`)).toBe(false);
});

test('a closed store is one file with everything in it', async () => {
  const { store, path } = await newStore();
  await store.write(new Log('s').batch([created('s')], 'kernel'));
  await store.close();
  expect(existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0).toBe(0);
});

function fail(problem: unknown): void {
  throw problem;
}

async function newStore(): Promise<{ store: SqliteStore; directory: string; path: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-log-'));
  cleanup.push(() => rmSync(directory, { recursive: true }));
  return { store: await reopen(directory), directory, path: join(directory, 'log.db') };
}

async function reopen(directory: string, report: (problem: unknown) => void = fail): Promise<SqliteStore> {
  const store = await openStore({ directory, report });
  cleanup.push(() => store.close());
  return store;
}

async function threeSessions() {
  const made = await newStore();
  const logs = ['a', 'b', 'c'].map((id) => new Log(id));
  logs.forEach((log, index) => (log.pos = index * 10));
  for (const log of logs)
    await made.store.write(
      log.batch([created(log.id), chatCreated(log.id), title(`Title of ${log.id}`)], 'disk'),
    );
  await made.store.close();
  return { ...made, summaries: logs.map(({ summary }) => summary) };
}

function tamper(path: string, change: (database: Database) => void): void {
  const database = openDatabase(path);
  change(database);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

function rootOf(path: string, name: string): unknown {
  let root: unknown;
  tamper(path, (db) => {
    root = query(db, 'SELECT rootpage FROM sqlite_schema WHERE name = ?')(name)[0]?.[0];
  });
  return root;
}

function byId(summaries: readonly Summary[]): readonly Summary[] {
  return summaries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function codeOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return error instanceof StoreError ? error.code : String(error);
  }
}

test('a file of schema 1 gets the columns of today, and keeps its sessions and what was unfinished in them', async () => {
  const { store, directory } = await newStore();
  const log = new Log('s');
  await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
  await store.close();
  const old = openDatabase(join(directory, 'log.db'));
  old.exec(
    'ALTER TABLE sessions DROP COLUMN status; ALTER TABLE sessions DROP COLUMN format; ' +
      'ALTER TABLE sessions DROP COLUMN packed; PRAGMA user_version = 1',
  );
  old.close();
  const again = await openStore({ directory, report: fail });
  cleanup.push(() => again.close());
  expect([
    again.unfinished(),
    again.summaries().map(({ id, status }) => [id, status]),
    await again.verify(),
  ]).toEqual([['s'], [['s', 'running']], []]);
});
