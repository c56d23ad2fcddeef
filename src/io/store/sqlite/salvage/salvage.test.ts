// A database that is damaged as a whole: kept aside as it was, and whatever is left of it is there again.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { LogDamage } from '../../../../host/session/logStore.ts';
import {
  chatCreated,
  created,
  Log,
  read,
  text,
  title,
  turnStarted,
} from '../../../../../test/contracts/logStore.ts';
import { loadDatabase, query } from '../database.ts';
import { openStore } from '../open.ts';
import type { SqliteStore } from '../sqlite.ts';

const pageSize = 4096;
const openDatabase = await loadDatabase();
const cleanup: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const clean of cleanup.splice(0).toReversed()) await clean();
});

describe('what is left is saved', () => {
  saves('a first page of zeros', (bytes) => bytes.fill(0, 0, pageSize), 'all');
  saves('a head of garbage', (bytes) => bytes.fill(0xa5, 0, 100), 'all');
  saves('a torn end', (bytes) => bytes.subarray(0, bytes.length - 3 * pageSize - 100), 'some');
  saves('a lost second half', (bytes) => bytes.subarray(0, Math.floor(bytes.length / 2)), 'some');
  saves('a lost catalogue', (bytes, roots) => wipe(bytes, roots['sessions']), 'all');
  saves('a lost digest', (bytes, roots) => wipe(bytes, roots['meta']), 'all');
  saves('a lost root of the entries', (bytes, roots) => wipe(bytes, roots['entries']), 'all');
  saves('another file altogether', () => Buffer.from('This is no database. '.repeat(900)), 'none');

  function saves(
    name: string,
    damage: (bytes: Buffer, roots: Record<string, number>) => Buffer,
    expected: 'all' | 'some' | 'none',
  ): void {
    test(`after ${name}`, async () => {
      const { path, logs, head } = await prepared();
      const damaged = damage(readFileSync(path), rootPages(path));
      const directory = withFiles({ 'log.db': damaged });
      const problems: string[] = [];
      const store = await open(directory, (problem) => problems.push(String(problem)));

      const [aside = ''] = readdirSync(directory).filter((file) => file.startsWith('log.db.damaged-'));
      expect(readFileSync(join(directory, aside)).equals(damaged)).toBe(true);
      expect(problems.some((problem) => problem.includes(aside))).toBe(true);

      const found = await Promise.all(logs.map((log) => sound(store, log)));
      const [whole, left] = [found.every(({ complete }) => complete), found.some(({ count }) => count > 0)];
      expect(whole ? 'all' : left ? 'some' : 'none').toBe(expected);
      const listed = new Map(store.summaries().map((summary) => [summary.id, summary]));
      // A session is listed while anything is left of it, and only a whole one is listed as such.
      for (const [index, { complete, count }] of found.entries()) {
        const summary = listed.get(`session-${index}`);
        expect({
          index,
          listed: summary !== undefined || count === 0,
          whole: summary !== undefined && summary.damage === undefined,
        }).toEqual({ index, listed: true, whole: complete });
      }
      expect(store.head()).toBeGreaterThan(head);

      const fresh = new Log('fresh');
      fresh.pos = store.head();
      await store.write(fresh.batch([created('fresh')], 'disk'));
      await store.close();
      const again = await open(directory, (problem) => {
        throw problem;
      });
      expect(await read(again, 'fresh')).toEqual(fresh.entries);
      expect((await again.verify()).filter(({ part }) => part !== 'log')).toEqual([]);
    });
  }
});

test('what the write-ahead log still had is saved with the rest', async () => {
  const { directory, path, logs } = await prepared();
  const store = await open(directory, () => {});
  const [log] = logs;
  if (!log) throw new Error('There is a first log.');
  log.pos = store.head();
  await store.write(log.batch([title('only in the write-ahead log')], 'disk'));
  const crashed = withFiles({
    'log.db': readFileSync(path).fill(0, 0, pageSize),
    'log.db-wal': readFileSync(`${path}-wal`),
  });
  const again = await open(crashed, () => {});
  for (const each of logs) expect(await read(again, each.id)).toEqual(each.entries);
});

test('a host that died between the two renames is finished by the next', async () => {
  const { path, logs } = await prepared();
  const directory = withFiles({ 'log.db.saved': readFileSync(path) });
  const store = await open(directory, (problem) => {
    throw problem;
  });
  for (const log of logs) expect(await read(store, log.id)).toEqual(log.entries);
  expect(existsSync(join(directory, 'log.db.saved'))).toBe(false);
});

test('a write that meets a damaged index succeeds, and the next start looks at everything', async () => {
  const { path, logs } = await prepared();
  const directory = withFiles({ 'log.db': wipe(readFileSync(path), rootPages(path)['entries_of_session']) });
  const met = await open(directory, () => {});
  const log = new Log('new');
  log.pos = met.head();
  await met.write(log.batch([created('new')], 'disk'));
  await met.close();
  const problems: string[] = [];
  const mended = await open(directory, (problem) => problems.push(String(problem)));
  expect(problems.join()).toContain('sessions were saved');
  for (const each of logs) expect(await read(mended, each.id)).toEqual(each.entries);
  await mended.write(log.batch([title('goes on')], 'disk'));
});

test('an empty file is a new log', async () => {
  const store = await open(withFiles({ 'log.db': Buffer.alloc(0) }), (problem) => {
    throw problem;
  });
  expect(store.summaries()).toEqual([]);
});

/** Sessions whose entries lie across each other over many pages. */
async function prepared(): Promise<{ directory: string; path: string; logs: Log[]; head: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-salvage-'));
  cleanup.push(() => rmSync(directory, { recursive: true }));
  const store = await open(directory, (problem) => {
    throw problem;
  });
  const logs = Array.from({ length: 6 }, (_, index) => new Log(`session-${index}`));
  let pos = 0;
  const write = async (log: Log, batch: Parameters<Log['batch']>) => {
    log.pos = pos;
    await store.write(log.batch(...batch));
    pos = log.pos;
  };
  for (const log of logs)
    await write(log, [[created(log.id), chatCreated(log.id), turnStarted(log.id)], 'disk']);
  for (let round = 0; round < 20; round += 1)
    for (const log of logs)
      await write(log, [[text(log.id, `${round} `.repeat(100)), title(`Title ${round}`)], 'disk']);
  const head = store.head();
  await store.close();
  return { directory, path: join(directory, 'log.db'), logs, head };
}

/**
 * A directory as a dead process might have left it; files that this process has had open itself would
 * still be known to SQLite.
 */
function withFiles(files: Record<string, Buffer>): string {
  const directory = mkdtempSync(join(tmpdir(), 'parley-salvage-'));
  cleanup.push(() => rmSync(directory, { recursive: true }));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(directory, name), bytes);
  return directory;
}

async function open(directory: string, report: (problem: unknown) => void): Promise<SqliteStore> {
  const store = await openStore({ directory, report });
  cleanup.push(() => store.close());
  return store;
}

/** Every entry that is given out is right, and one that is missing is told. */
async function sound(store: SqliteStore, log: Log): Promise<{ complete: boolean; count: number }> {
  let count = 0;
  try {
    for await (const entry of store.read(log.id)) {
      expect(entry).toEqual(log.entries[count]);
      count += 1;
    }
    return { complete: count === log.entries.length, count };
  } catch (error) {
    if (!(error instanceof LogDamage)) throw error;
    return { complete: false, count };
  }
}

function rootPages(path: string): Record<string, number> {
  const database = openDatabase(path);
  const pages = query(database, 'SELECT name, rootpage FROM sqlite_schema')().map(([name, page]) => [
    String(name),
    Number(page),
  ]);
  database.close();
  return Object.fromEntries(pages) as Record<string, number>;
}

function wipe(bytes: Buffer, page = 0): Buffer {
  return bytes.fill(0xff, (page - 1) * pageSize, page * pageSize);
}
