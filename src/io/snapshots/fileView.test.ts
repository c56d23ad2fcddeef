import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { viewFile, viewOf } from './fileView.ts';

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'parley-view-')));
  for (const [folder, text] of [
    ['w/keys', 'harmless'],
    ['outside', 'secret'],
  ] as const) {
    mkdirSync(join(base, folder), { recursive: true });
    writeFileSync(join(base, folder, 'key'), text);
  }
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** As an agent does that may write in the workspace only. */
function swap(): void {
  renameSync(join(base, 'w', 'keys'), join(base, 'w', 'moved'));
  symlinkSync(join(base, 'outside'), join(base, 'w', 'keys'));
}

test('a file is gone where a link has taken the place of its folder', async () => {
  const path = join(base, 'w', 'keys', 'key');
  expect(await viewFile(path)).toMatchObject({ text: 'harmless' });
  swap();
  expect(await viewFile(path)).toBe(null);
  expect(await viewFile(join(base, 'w', 'moved', 'key'))).toMatchObject({ text: 'harmless' });
});

test('a link that takes the place of a folder after the look at its file is not followed', async () => {
  const path = join(base, 'w', 'keys', 'key');
  const found = lstatSync(path);
  swap();
  expect(await viewOf(path, found, 1_000)).toMatchObject({ text: undefined, why: 'it cannot be read.' });
});

test('a large file that takes the place of a small one is not read', async () => {
  const path = join(base, 'w', 'keys', 'key');
  const found = lstatSync(path);
  writeFileSync(path, 'x'.repeat(2_000));
  expect(await viewOf(path, found, 1_000)).toMatchObject({ text: undefined, why: 'it cannot be read.' });
  writeFileSync(path, 'x'.repeat(1_000));
  expect(await viewOf(path, found, 1_000)).toMatchObject({ text: 'x'.repeat(1_000) });
});
