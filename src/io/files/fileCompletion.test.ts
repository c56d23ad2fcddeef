import { execFileSync } from 'node:child_process';
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
