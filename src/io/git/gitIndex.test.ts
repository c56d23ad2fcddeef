import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repositoriesInIndex } from './gitIndex.ts';

let folder: string;
const git = (args: readonly string[], input = '') => execFileSync('git', args, { cwd: folder, input });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-git-'));
  git(['init', '-q']);
  const id = '1'.repeat(40);
  const long = `${'folder/'.repeat(700)}x`;
  const files = ['.gitignore', 'a', 'a/...', 'deep/.github/x', 'deep/.gitmodules', long, 'z'];
  const lines = [
    ...files.map((name) => `100644 ${id} 0\t${name}`),
    ...links.map((name) => `160000 ${id} 0\t${name}`),
  ];
  git(['update-index', '--index-info'], `${lines.join('\n')}\n`);
  git(['update-index', '--skip-worktree', 'z']);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const links = ['deep/other', `${'deep/'.repeat(900)}repository`, 'repository'];

test.each(['2', '4'])('version %s of git is read whole', async (version) => {
  git(['update-index', '--index-version', version]);
  const index = readFileSync(join(folder, '.git/index'));
  expect((await repositoriesInIndex(index))?.map(String)).toEqual(links.toSorted());
  for (const length of [0, 11, 40, 80, 500])
    expect(await repositoriesInIndex(index.subarray(0, length))).toBe(undefined);
});

test.each(['2', '4'])('a large index of version %s lets other work run while it is read', async (version) => {
  const id = '1'.repeat(40);
  const names = Array.from({ length: 50_000 }, (_, at) => `100644 ${id} 0\tlarge/${at}\n`);
  git(['update-index', '--index-info'], names.join(''));
  git(['update-index', '--index-version', version]);
  const index = readFileSync(join(folder, '.git/index'));
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  expect((await repositoriesInIndex(index))?.map(String)).toEqual(links.toSorted());
  clearImmediate(next);
  expect(turns).toBeGreaterThan(9);
});

test('an entry that is a whole folder may have a repository in it', async () => {
  const index = Buffer.from(readFileSync(join(folder, '.git/index')));
  const first = 12 + 24;
  index.writeUInt32BE(0o040000, first);
  expect(await repositoriesInIndex(index)).toBe(undefined);
});
