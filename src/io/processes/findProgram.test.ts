import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram } from './findProgram.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-path-'));
  for (const place of ['a', 'b']) mkdirSync(join(folder, place));
  writeFileSync(join(folder, 'a', 'tool'), '');
  writeFileSync(join(folder, 'b', 'tool'), '');
  writeFileSync(join(folder, 'b', 'other.EXE'), '');
  chmodSync(join(folder, 'b', 'tool'), 0o755);
  chmodSync(join(folder, 'b', 'other.EXE'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the first program on the PATH that can be run is found', () => {
  const env = { PATH: `relative:${join(folder, 'a')}:${join(folder, 'b')}` };
  expect(findProgram('tool', env, 'linux')).toBe(join(folder, 'b', 'tool'));
  expect(findProgram(join(folder, 'b', 'tool'), {}, 'linux')).toBe(join(folder, 'b', 'tool'));
  expect([
    findProgram('a', { PATH: folder }, 'linux'),
    findProgram('nothing', env, 'linux'),
    findProgram('tool', {}, 'linux'),
  ]).toEqual([undefined, undefined, undefined]);
  expect(findProgram('other', { PATH: join(folder, 'b'), PATHEXT: '.COM;.EXE' }, 'win32')).toBe(
    join(folder, 'b', 'other.EXE'),
  );
});
