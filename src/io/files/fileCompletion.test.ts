import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { workspaceFiles } from './fileCompletion.ts';

let place: Workspace;
afterEach(() => place.close());

const tree = { 'src/a.txt': '', 'src/deep/apple.ts': '', 'README.md': '', 'src/deep/map.ts': '' };

async function check(query: string, roots?: readonly string[]): Promise<readonly string[]> {
  const found = await workspaceFiles().find(query.replace('$ROOT', place.root), roots ?? [place.root]);
  return found.map(
    ({ type, path }) => `${path.slice(place.root.length + 1)}${type === 'directory' ? '/' : ''}`,
  );
}

describe('without git', () => {
  const cases: readonly (readonly [query: string, found: readonly string[]])[] = [
    ['', ['README.md', 'src/', 'src/a.txt', 'src/deep/', 'src/deep/apple.ts', 'src/deep/map.ts']],
    ['a.t', ['src/a.txt']],
    ['AP', ['src/deep/apple.ts', 'src/deep/map.ts']],
    ['deep', ['src/deep/', 'src/deep/map.ts', 'src/deep/apple.ts']],
    ['src/', ['src/deep/', 'src/a.txt']],
    ['./src', ['src/deep/', 'src/a.txt']],
    ['$ROOT/src/nothing', ['src/deep/', 'src/a.txt']],
    ['src/nothing-here', []],
  ];
  test.each(cases)('%s', async (query, found) => {
    place = workspace(tree);
    expect(await check(query)).toEqual(found);
  });
});

test('with git, no program runs that the repository names', async () => {
  place = workspace(tree);
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: place.root,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('sparse-checkout', 'set', '--cone', '--sparse-index', 'none');
  // What the list needs is missing, and the repository says how to fetch it.
  const missing = git('rev-parse', 'HEAD:src');
  rmSync(join(place.root, '.git/objects', missing.slice(0, 2), missing.slice(2)));
  const settings = {
    'core.repositoryformatversion': '1',
    'extensions.partialClone': 'evil',
    'remote.evil.promisor': 'true',
    'remote.evil.url': place.root,
    'remote.evil.uploadpack': `touch ${place.root}/ran; false`,
  };
  for (const [name, value] of Object.entries(settings)) git('config', name, value);
  await check('');
  expect(readdirSync(place.root)).toEqual(['.git', 'README.md']);
});

test('with git, what it ignores is left out and what is new is not', async () => {
  place = workspace({ ...tree, '.gitignore': 'src/deep\n' });
  execFileSync('git', ['init', '-q'], { cwd: place.root });
  expect(await check('')).toEqual(['.gitignore', 'README.md', 'src/', 'src/a.txt']);
});

test('at most a hundred are given, and names are believed for a minute', async () => {
  place = workspace(Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`file-${at}`, ''])));
  let now = 0;
  const finder = workspaceFiles(() => now);
  expect((await finder.find('', [place.root])).length).toBe(100);
  place.put({ 'later-on': '' });
  expect(await finder.find('later', [place.root])).toEqual([]);
  now = 60_000;
  expect((await finder.find('later', [place.root])).length).toBe(1);
});
