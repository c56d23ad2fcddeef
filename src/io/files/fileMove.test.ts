// A confined program that changes the workspace while the host moves a file in it.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import type { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { movePath } from './fileMove.ts';

/** What happens when the file is to get its second name, which then fails as it does between two disks. */
const meanwhile = vi.hoisted(() => ({ change: () => {}, refusesRights: false }));
vi.mock('node:fs/promises', async (original) => ({
  ...(await original<object>()),
  open: async (path: string, flags: string | number, mode?: number) => {
    const file = await (await original<{ open: typeof openFile }>()).open(path, flags, mode);
    const refuse = () => Promise.reject(Object.assign(new Error('not here'), { code: 'EPERM' }));
    return meanwhile.refusesRights ? Object.assign(file, { chmod: refuse }) : file;
  },
  link: () => {
    meanwhile.change();
    return Promise.reject(Object.assign(new Error('two disks'), { code: 'EXDEV' }));
  },
}));

let base: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'parley-move-')));
  Object.assign(meanwhile, { change: () => {}, refusesRights: false });
  writeFileSync(join(base, 'secret'), 'SECRET');
  mkdirSync(join(base, 'w'));
  writeFileSync(join(base, 'w', 'a'), 'text');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

test('a file moves to another disk with its permissions', async () => {
  chmodSync(join(base, 'w', 'a'), 0o751);
  expect(await movePath(join(base, 'w', 'a'), join(base, 'w', 'new', 'b'))).toBeUndefined();
  expect(readFileSync(join(base, 'w', 'new', 'b'), 'utf8')).toBe('text');
  expect(statSync(join(base, 'w', 'new', 'b')).mode & 0o777).toBe(0o751);
  expect(existsSync(join(base, 'w', 'a'))).toBe(false);
});

test('a file moves also where no permissions can be set, as on a share of another system', async () => {
  meanwhile.refusesRights = true;
  chmodSync(join(base, 'w', 'a'), 0o640);
  expect(await movePath(join(base, 'w', 'a'), join(base, 'w', 'b'))).toBeUndefined();
  expect(readFileSync(join(base, 'w', 'b'), 'utf8')).toBe('text');
  expect(statSync(join(base, 'w', 'b')).mode & 0o137).toBe(0);
});

test('a link that takes the place of the file meanwhile is not followed', async () => {
  meanwhile.change = () => {
    unlinkSync(join(base, 'w', 'a'));
    symlinkSync(join(base, 'secret'), join(base, 'w', 'a'));
  };
  expect(await movePath(join(base, 'w', 'a'), join(base, 'w', 'b'))).toMatchObject({ problem: 'moved' });
  expect(existsSync(join(base, 'w', 'b'))).toBe(false);
});

test('no file is replaced that appears meanwhile', async () => {
  meanwhile.change = () => writeFileSync(join(base, 'w', 'b'), 'other');
  expect(await movePath(join(base, 'w', 'a'), join(base, 'w', 'b'))).toMatchObject({ problem: 'stale' });
  expect(readFileSync(join(base, 'w', 'b'), 'utf8')).toBe('other');
});
