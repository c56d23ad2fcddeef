// What V8 has compiled of a file is kept and used again; whatever is wrong with it, the program runs.
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fileLoader } from './programFiles.ts';

let folder: string;
let path: string;
const source = (word: string) =>
  `const { sep } = require('node:path'); module.exports = { sep, __filename, say: () => '${word}' };`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-files-'));
  path = join(folder, 'part.cjs');
  writeFileSync(path, source('one'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test('a file is loaded once, as require does it', () => {
  const { load } = fileLoader(60_000);
  const first = load(path);
  expect(first).toMatchObject({ sep: join('a', 'b')[1], __filename: path });
  expect(load(path)).toBe(first);
  expect(createRequire(path).cache[path]?.exports).toBe(first);
});

test('compiled code is kept once, and the next start uses it', async () => {
  const kept = await keep();
  const before = readFileSync(kept);
  expect(say()).toBe('one');
  await new Promise((resolve) => setTimeout(resolve, 30));
  // Code that V8 had refused would have been replaced.
  expect(readFileSync(kept).equals(before)).toBe(true);
  expect(readdirSync(join(folder, '.compiled'))).toHaveLength(1);
});

test('a program that ends soon keeps its code before that', () => {
  const { load, keepLoaded } = fileLoader(60_000);
  load(path);
  expect(existsSync(join(folder, '.compiled'))).toBe(false);
  keepLoaded();
  expect(readdirSync(join(folder, '.compiled'))).toHaveLength(1);
});

const damages: { readonly [name: string]: (kept: Buffer) => Buffer } = {
  'is empty': () => Buffer.alloc(0),
  'was cut off': (kept) => kept.subarray(0, kept.length / 2),
  'was never written to the disk': (kept) => Buffer.alloc(kept.length),
  'has one wrong bit': (kept) => kept.map((byte, at) => (at === 200 ? byte ^ 1 : byte)) as Buffer,
};

for (const [name, damage] of Object.entries(damages))
  test(`kept code that ${name} is not used, and is replaced`, async () => {
    const kept = await keep();
    const good = readFileSync(kept).length;
    writeFileSync(kept, damage(readFileSync(kept)));
    const broken = readFileSync(kept);
    expect(say()).toBe('one');
    await expect.poll(() => readFileSync(kept).equals(broken)).toBe(false);
    expect(readFileSync(kept)).toHaveLength(good);
  });

test('kept code of another file with the same name and length is not used', async () => {
  await keep();
  writeFileSync(path, source('two'));
  expect(say()).toBe('two');
});

test('a folder that cannot be written, and the switch of Node, keep nothing', async () => {
  vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', '1');
  expect(say()).toBe('one');
  await new Promise((resolve) => setTimeout(resolve, 30));
  vi.unstubAllEnvs();
  expect(existsSync(join(folder, '.compiled'))).toBe(false);
  writeFileSync(join(folder, '.compiled'), 'in the way');
  chmodSync(folder, 0o500);
  expect(say()).toBe('one');
  await new Promise((resolve) => setTimeout(resolve, 30));
  chmodSync(folder, 0o700);
  expect(readdirSync(folder).toSorted()).toEqual(['.compiled', 'part.cjs']);
});

/** Lets a first start keep what it has compiled; returns the file. */
async function keep(): Promise<string> {
  expect(say()).toBe('one');
  const place = join(folder, '.compiled');
  const kept = () => readdirSync(place).filter((name) => name.endsWith(process.arch));
  await expect.poll(() => (existsSync(place) ? kept() : [])).toHaveLength(1);
  return join(place, readdirSync(place)[0] ?? '');
}

/** What the file says after a new start. */
function say(): string {
  return (fileLoader(1).load(path) as { say(): string }).say();
}
