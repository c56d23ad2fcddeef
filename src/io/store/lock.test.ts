// The lock of a data directory, within one process; what happens between processes is tested with real ones.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { acquire } from './lock.ts';
import type { Lock } from './lock.ts';

const cleanup: (() => void)[] = [];
afterEach(() =>
  cleanup
    .splice(0)
    .toReversed()
    .forEach((clean) => clean()),
);

test('only one has it, the other learns who, and it is free after release', async () => {
  const directory = temporary();
  const first = await taken(directory);
  expect(await acquire(directory)).toEqual({ heldBy: { pid: process.pid, started: expect.any(Number) } });
  first.release();
  first.release();
  expect(existsSync(join(directory, 'lock.json'))).toBe(false);
  const second = await taken(directory);
  expect(await acquire(directory)).toMatchObject({ heldBy: { pid: process.pid } });
  second.release();
});

test('two directories are two locks', async () => {
  await taken(temporary());
  expect(
    await acquire(temporary()).then((lock) => ('release' in lock ? lock.release() : lock)),
  ).toBeUndefined();
});

test('words of a process that is gone, or no words at all, name nobody', async () => {
  const directory = temporary();
  await taken(directory);
  const gone = 2 ** 22 + 1;
  for (const words of [JSON.stringify({ pid: gone, started: 1 }), 'nonsense', '{}', '']) {
    writeFileSync(join(directory, 'lock.json'), words);
    expect(await acquire(directory)).toEqual({ heldBy: {} });
  }
});

test('words that a dead holder left behind hinder nobody', async () => {
  const directory = temporary();
  writeFileSync(join(directory, 'lock.json'), JSON.stringify({ pid: 1, started: 1 }));
  await taken(directory);
  expect(JSON.parse(readFileSync(join(directory, 'lock.json'), 'utf8'))).toMatchObject({ pid: process.pid });
});

test("the files are the owner's alone", async () => {
  const directory = join(temporary(), 'new');
  await taken(directory);
  expect(
    [directory, join(directory, 'lock.db'), join(directory, 'lock.json')].map(
      (path) => statSync(path).mode & 0o777,
    ),
  ).toEqual([0o700, 0o600, 0o600]);
});

test('a damaged file is set aside and then locked', async () => {
  const directory = temporary();
  const garbage = 'This is no database. '.repeat(300);
  writeFileSync(join(directory, 'lock.db'), garbage);
  await taken(directory);
  expect(await acquire(directory)).toMatchObject({ heldBy: { pid: process.pid } });
  const aside = readdirSync(directory).filter((name) => name.startsWith('lock.db.damaged-'));
  expect(aside.map((name) => readFileSync(join(directory, name), 'utf8'))).toEqual([garbage]);
});

test('a directory in the way is an error', async () => {
  const directory = temporary();
  mkdirSync(join(directory, 'lock.db'));
  await expect(acquire(directory)).rejects.toThrow(/lock.db is not a regular file/);
});

async function taken(directory: string): Promise<Lock> {
  const lock = await acquire(directory);
  if ('heldBy' in lock) throw new Error('Somebody else has the lock.');
  cleanup.push(() => lock.release());
  return lock;
}

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'parley-lock-'));
  cleanup.push(() => rmSync(directory, { recursive: true }));
  return directory;
}
