// Space that is not used any more goes back to the file system, and nothing else changes.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Log, chatCreated, created, read, text, turnStarted } from '../../../../test/contracts/logStore.ts';
import type { Entry } from '../../../model/event.ts';
import { loadDatabase, query } from './database.ts';
import { openStore } from './open.ts';
import { createTables } from './schema.ts';
import type { SqliteStore } from './sqlite.ts';

const openDatabase = await loadDatabase();
const cleanup: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const clean of cleanup.splice(0).toReversed()) await clean();
});

test('a deleted session gives its space back while the host runs', async () => {
  const { store, directory } = await filled();
  const path = join(directory, 'log.db');
  expect(ask(path, 'PRAGMA page_count')).toBeGreaterThan(100);
  await store.remove('s');
  await expect.poll(() => ask(path, 'PRAGMA page_count'), { timeout: 100_000 }).toBeLessThan(50);
  expect(await store.verify()).toEqual([]);
  await store.close();
  expect(statSync(path).size).toBeLessThan(50 * 4096);
});

test('a small file of an older version is converted when it is opened, and has the same entries', async () => {
  const { log, directory } = await older();
  const path = join(directory, 'log.db');
  const store = await reopen(directory);
  expect(ask(path, 'PRAGMA auto_vacuum')).toBe(2);
  expect(await read(store, 's')).toEqual(log.entries);
  expect(await store.verify()).toEqual([]);
});

test('a file of an older version with a damaged page is left as it is', async () => {
  const { directory, path } = await older();
  const root = ask(path, "SELECT rootpage FROM sqlite_schema WHERE name = 'entries_of_session'");
  const bytes = readFileSync(path);
  bytes.fill(0xa5, root * 4096 - 100, root * 4096);
  writeFileSync(path, bytes);
  const store = await openStore({ directory, report: () => {} });
  cleanup.push(() => store.close());
  expect(ask(path, 'PRAGMA auto_vacuum')).toBe(0);
  expect(await store.compact()).toBe(false);
});

test('compacting leaves no unused page, and a file that can lose its first page', async () => {
  const { store, log, directory } = await filled();
  const path = join(directory, 'log.db');
  await store.write(log.batch([chatEnd], 'disk'));
  const other = new Log('other', log);
  const words = Array.from({ length: 1_000 }, (_, at) => text('other', `word ${at}`));
  await store.write(other.batch([created('other'), ...words], 'disk'));
  await store.remove('other');
  expect(ask(path, 'PRAGMA freelist_count')).toBeGreaterThan(10);
  expect(await store.compact()).toBe(true);
  await store.close();
  expect(ask(path, 'PRAGMA freelist_count')).toBe(0);
  expect(await withoutFirstPage(directory)).toEqual(log.entries);
});

test('a file of an older version can lose its first page', async () => {
  const { directory, log } = await older();
  expect(await withoutFirstPage(directory)).toEqual(log.entries);
});

const chatEnd = { kind: 'turn.ended', chat: 's', turn: 't1', outcome: { kind: 'completed' } } as const;

async function withoutFirstPage(directory: string): Promise<readonly Entry[]> {
  const path = join(directory, 'log.db');
  const bytes = readFileSync(path);
  bytes.fill(0, 0, 4096);
  writeFileSync(path, bytes);
  const problems: string[] = [];
  const store = await openStore({ directory, report: (problem) => problems.push(String(problem)) });
  cleanup.push(() => store.close());
  expect(problems.at(-1)).toContain('entries of 1 sessions were saved');
  expect(await store.verify()).toEqual([]);
  expect(existsSync(`${path}.plain`)).toBe(false);
  return read(store, 's');
}

/** A session of a running turn with many pieces. */
async function filled(): Promise<{ store: SqliteStore; log: Log; directory: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-space-'));
  cleanup.push(() => rmSync(directory, { recursive: true }));
  const store = await reopen(directory);
  const log = new Log('s');
  const words = Array.from({ length: 3_000 }, (_, at) => text('s', `word ${at}`));
  await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s'), ...words], 'disk'));
  return { store, log, directory };
}

/** The same in a file that was made as version 0.2 made it. */
async function older(): Promise<{ log: Log; directory: string; path: string }> {
  const { store, log, directory } = await filled();
  await store.close();
  const path = join(directory, 'log.db');
  const old = openDatabase(`${path}.old`);
  createTables(old, 'keeps pages');
  old.exec(`
    ATTACH '${path}' AS today;
    INSERT INTO entries SELECT * FROM today.entries;
    INSERT INTO sessions SELECT * FROM today.sessions;
    DELETE FROM meta;
    INSERT INTO meta SELECT * FROM today.meta;
    DETACH today;
    ALTER TABLE sessions DROP COLUMN packed;
    PRAGMA user_version = 2;
    PRAGMA journal_mode = WAL;
  `);
  old.close();
  writeFileSync(path, readFileSync(`${path}.old`));
  expect(ask(path, 'PRAGMA auto_vacuum')).toBe(0);
  return { log, directory, path };
}

async function reopen(directory: string): Promise<SqliteStore> {
  const store = await openStore({
    directory,
    report: (problem) => {
      throw problem;
    },
  });
  cleanup.push(() => store.close());
  return store;
}

function ask(path: string, sql: string): number {
  const database = openDatabase(path, { readOnly: true });
  try {
    return Number(query(database, sql)()[0]?.[0]);
  } finally {
    database.close();
  }
}
