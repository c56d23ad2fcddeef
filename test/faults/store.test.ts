// The log in its file under real faults: processes killed while they pack it, bits that flip, files that are
// torn, disks that are full, hosts that race.
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { LogDamage } from '../../src/host/session/logStore.ts';
import { acquire } from '../../src/io/store/lock.ts';
import { loadDatabase, query } from '../../src/io/store/sqlite/database.ts';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import type { SqliteStore } from '../../src/io/store/sqlite/sqlite.ts';
import { StoreError } from '../../src/io/store/sqlite/storeError.ts';
import type { Entry } from '../../src/model/event.ts';
import { chatCreated, created, Log, read, text, title, turnStarted } from '../contracts/logStore.ts';
import { bundle } from '../kit/bundle.ts';
import type { Bundle } from '../kit/bundle.ts';
import { isExpected } from './writtenEntries.ts';

const openDatabase = await loadDatabase();
let program: Bundle;
const cleanup: (() => void | Promise<void>)[] = [];

beforeAll(async () => {
  program = await bundle(fileURLToPath(new URL('./storeProgram.ts', import.meta.url)));
});
afterAll(() => program.dispose());
afterEach(async () => {
  for (const clean of cleanup.splice(0).toReversed()) await clean();
});

test('nothing is lost when the process is killed while it packs entries', { timeout: 120_000 }, async () => {
  const directory = temporary();
  let partly = 0;
  for (let round = 0; round < 8; round += 1) {
    const child = start(['pack', directory]);
    let left = 1 + round;
    for await (const line of createInterface({ input: child.stdout }))
      if ((left -= 1) === 0 || line === 'packed') child.kill('SIGKILL');
    await ended(child);
    expect(child.signalCode).toBe('SIGKILL');
    const rows = rowsOf(directory, `packed-${round}`);
    if (rows > 20 && rows < 6_001) partly += 1;

    const store = await open(directory);
    for (let session = 0; session <= round; session += 1) {
      const entries = await read(store, `packed-${session}`);
      expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 6_001 }, (_, at) => at + 1));
      expect(entries.filter((entry) => !isExpected(`packed-${session}`, entry))).toEqual([]);
    }
    expect(await store.verify()).toEqual([]);
    await store.close();
  }
  expect(partly).toBeGreaterThan(0);
});

describe('a bit that flips', () => {
  test('in an entry costs that session its end and nobody else anything', async () => {
    const { bytes, logs } = await smallStore();
    for (const [index, log] of logs.entries()) {
      const at = bytes.indexOf(`marker of ${log.id}`);
      const directory = withFile(flipped(bytes, at + 3, 1));
      const store = await open(directory);
      for (const [other, each] of logs.entries()) {
        const { entries, damage } = await salvageable(store, each);
        expect([each.id, entries.length, damage?.seq]).toEqual(
          other === index ? [each.id, 9, 10] : [each.id, each.entries.length, undefined],
        );
      }
      expect(
        store
          .summaries()
          .map(({ id, damage }) => [id, damage !== undefined])
          .toSorted(byFirst),
      ).toEqual(logs.map(({ id }) => [id, id === log.id]));
      await store.close();
    }
  });

  test(
    'anywhere in the file never shows a wrong entry, and what is missing is told',
    { timeout: 120_000 },
    async () => {
      const { bytes, logs } = await smallStore();
      const outcomes = { untouched: 0, damaged: 0, saved: 0, refused: 0 };
      for (let round = 0; round < 160; round += 1) {
        const at = (round * 7919 + 13 * round * round) % bytes.length;
        // The head of the file and the first cells of each page are few bytes with much meaning, so they get
        // more than their share.
        const offset = round % 4 === 0 ? at % 100 : round % 4 === 1 ? at - (at % 4096) + (at % 40) : at;
        outcomes[await tryFlip(flipped(bytes, Math.min(offset, bytes.length - 1), round % 8), logs)] += 1;
      }
      expect(Object.entries(outcomes).filter(([, times]) => times === 0)).toEqual([]);
    },
  );

  async function tryFlip(
    bytes: Buffer,
    logs: readonly Log[],
  ): Promise<'untouched' | 'damaged' | 'saved' | 'refused'> {
    const directory = withFile(bytes);
    const problems: unknown[] = [];
    const store = await openStore({ directory, report: (problem) => problems.push(problem) }).catch(refusal);
    if (store === 'refused') return store;
    try {
      const found = await Promise.all(logs.map((log) => salvageable(store, log)));
      expect(silentlyLost(found, logs, problems)).toEqual([]);
      if (problems.length > 0) return 'saved';
      return found.some(({ damage }) => damage) ? 'damaged' : 'untouched';
    } finally {
      await store.close();
      rmSync(directory, { recursive: true });
    }
  }
});

describe('a torn tail', () => {
  test('of the write-ahead log costs only whole commits at its end', async () => {
    const directory = temporary();
    const store = await open(directory);
    const log = new Log('s');
    await store.write(log.batch([created('s'), chatCreated('s'), turnStarted('s')], 'disk'));
    for (let n = 0; n < 12; n += 1)
      await store.write(log.batch([text('s', `a${n}`), text('s', `b${n}`)], n % 2 === 0 ? 'kernel' : 'disk'));
    const size = statSync(join(directory, 'log.db-wal')).size;
    let last = 0;
    for (const part of Array.from({ length: 41 }, (_, index) => index)) {
      const cut = Math.floor((size * part) / 40);
      const torn = temporary();
      copyFileSync(join(directory, 'log.db'), join(torn, 'log.db'));
      copyFileSync(join(directory, 'log.db-wal'), join(torn, 'log.db-wal'));
      truncateSync(join(torn, 'log.db-wal'), cut);
      const again = await open(torn);
      const entries = await read(again, 's');
      expect(entries).toEqual(log.entries.slice(0, entries.length));
      // The first commit has three entries and every other two.
      expect(entries.length === 0 || entries.length % 2 === 1).toBe(true);
      expect(entries.length).toBeGreaterThanOrEqual(last);
      expect(await again.verify()).toEqual([]);
      last = entries.length;
      await again.close();
    }
    expect(last).toBe(log.entries.length);
  });

  test('of the database leaves what is before it', async () => {
    const { bytes, logs } = await smallStore();
    for (const kept of [bytes.length - 1, bytes.length - 4096, Math.floor(bytes.length * 0.6), 5000]) {
      const problems: unknown[] = [];
      const directory = withFile(bytes.subarray(0, kept));
      const store = await openStore({ directory, report: (problem) => problems.push(problem) });
      cleanup.push(() => store.close());
      const found = await Promise.all(logs.map((log) => salvageable(store, log)));
      expect(silentlyLost(found, logs, problems)).toEqual([]);
    }
  });
});

describe('a full disk', () => {
  test('stops writing with a clear error, keeps what is stored, and goes on when there is room', async () => {
    const means = canMount() ? 'mount' : 'limit';
    const directory = temporary();
    const node = `exec "${process.execPath}" "${program.path}" fill "${directory}"`;
    const script =
      means === 'mount'
        ? inMount(`mount -t tmpfs -o size=4m,mode=700 none "${directory}" && ${node}`)
        : `ulimit -f 2048; ${node}`;
    const child = spawn('sh', ['-c', script], {
      env: { ...process.env, BALLAST: '1500000' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    cleanup.push(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await ended(child);
    const seen = JSON.parse(said) as {
      codes: string[];
      before: number;
      listed: number;
      after: string;
      entries: number;
      acknowledged: number;
      findings: unknown[];
    };
    const [full, then] = means === 'mount' ? ['full', 'works'] : ['io', 'io'];
    expect(seen).toMatchObject({ codes: [full, full, full], listed: 1, after: then, findings: [] });
    expect(seen.before).toBeGreaterThan(100);
    expect(seen.entries).toBe(seen.acknowledged);
  });

  test('that is full again and again under a limit on file sizes loses nothing', async () => {
    const directory = temporary();
    const limited = spawnSync(
      'sh',
      ['-c', `ulimit -f 1024; exec "${process.execPath}" "${program.path}" fill "${directory}"`],
      { encoding: 'utf8' },
    );
    const seen = JSON.parse(limited.stdout) as {
      codes: string[];
      before: number;
      entries: number;
      acknowledged: number;
      findings: unknown[];
    };
    expect(seen).toMatchObject({ codes: ['io', 'io', 'io'], findings: [] });
    const store = await open(directory);
    expect((await read(store, 'one')).length).toBe(seen.acknowledged);
    const log = new Log('two');
    log.pos = store.head();
    await store.write(log.batch([created('two'), title('There is room.')], 'disk'));
    expect(await store.verify()).toEqual([]);
  });
});

describe('two hosts on one directory', () => {
  test('the second learns who is first, and has the lock at once when the first is killed', async () => {
    const directory = temporary();
    for (let round = 0; round < 5; round += 1) {
      const first = start(['hold', directory]);
      expect(await firstLine(first)).toBe('held');
      expect(await acquire(directory)).toMatchObject({ heldBy: { pid: first.pid } });
      const second = start(['hold', directory]);
      expect(JSON.parse(await firstLine(second))).toMatchObject({ pid: first.pid });
      await ended(second);
      first.kill('SIGKILL');
      await ended(first);
      const lock = await acquire(directory);
      expect('release' in lock).toBe(true);
      if ('release' in lock) lock.release();
    }
  });

  test('of many that start together exactly one gets it', async () => {
    const directory = temporary();
    const children = Array.from({ length: 6 }, () => start(['hold', directory]));
    const said = await Promise.all(children.map(firstLine));
    expect(said.filter((line) => line === 'held').length).toBe(1);
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(children.map(ended));
  });
});

function start(args: readonly string[]) {
  const child = spawn(process.execPath, [program.path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanup.push(async () => {
    child.kill('SIGKILL');
    await ended(child);
  });
  return child;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function firstLine(child: ReturnType<typeof start>): Promise<string> {
  for await (const line of createInterface({ input: child.stdout })) return line;
  return '';
}

async function open(directory: string): Promise<SqliteStore> {
  const store = await openStore({
    directory,
    report: (problem) => {
      throw problem;
    },
  });
  cleanup.push(() => store.close());
  return store;
}

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'parley-fault-'));
  cleanup.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function withFile(bytes: Buffer): string {
  const directory = temporary();
  writeFileSync(join(directory, 'log.db'), bytes);
  return directory;
}

async function smallStore(): Promise<{ bytes: Buffer; logs: readonly Log[] }> {
  const directory = temporary();
  const store = await open(directory);
  const logs = ['a', 'b', 'c'].map((id) => new Log(`session-${id}`));
  let pos = 0;
  for (let round = 0; round < 12; round += 1) {
    for (const log of logs) {
      log.pos = pos;
      const events =
        round === 0
          ? [created(log.id), chatCreated(log.id), turnStarted(log.id)]
          : [text(log.id, round === 7 ? `marker of ${log.id}` : 'some words '.repeat(10))];
      await store.write(log.batch(events, 'disk'));
      pos = log.pos;
    }
  }
  await store.close();
  return { bytes: readFileSync(join(directory, 'log.db')), logs };
}

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8((copy[at] ?? 0) ^ (1 << bit), at);
  return copy;
}

/** What a store gives out of a log; every entry of it must be right. */
async function salvageable(
  store: SqliteStore,
  log: Log,
): Promise<{ entries: Entry[]; damage: LogDamage | undefined }> {
  const entries: Entry[] = [];
  let damage: LogDamage | undefined;
  try {
    for await (const entry of store.read(log.id)) entries.push(entry);
  } catch (error) {
    if (!(error instanceof LogDamage)) throw error;
    damage = error;
  }
  expect(entries).toEqual(log.entries.slice(0, entries.length));
  return { entries, damage };
}

/** A store may refuse a file, but only in its own words. */
function refusal(error: unknown): 'refused' {
  if (error instanceof StoreError) return 'refused';
  throw error;
}

/** Sessions that lack entries without anybody saying so. */
function silentlyLost(
  found: readonly { entries: Entry[]; damage: LogDamage | undefined }[],
  logs: readonly Log[],
  problems: readonly unknown[],
): string[] {
  return logs
    .filter(
      (log, index) =>
        problems.length === 0 && !found[index]?.damage && found[index]?.entries.length !== log.entries.length,
    )
    .map(({ id }) => id);
}

function rowsOf(directory: string, session: string): number {
  const database = openDatabase(join(directory, 'log.db'), { readOnly: true });
  try {
    return Number(query(database, 'SELECT count(*) FROM entries WHERE session = ?')(session)[0]?.[0]);
  } finally {
    database.close();
  }
}

function canMount(): boolean {
  return spawnSync('sh', ['-c', inMount(`mount -t tmpfs -o size=64k none "${temporary()}"`)]).status === 0;
}

/** Runs a command line where mounts are its own and end with it. */
function inMount(script: string): string {
  return `exec unshare -m sh -c '${script}'`;
}

function byFirst([a]: readonly unknown[], [b]: readonly unknown[]): number {
  return String(a) < String(b) ? -1 : 1;
}
