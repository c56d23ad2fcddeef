import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { repositoriesAt, repositoryAt } from '../files/repositoryAt.ts';
import { commitFiles, workTree } from './workTree.ts';

test('branch, staged and changed files are told, and a commit takes the named files alone', async () => {
  const root = repository();
  const write = (name: string, text: string) => writeFileSync(join(root, name), text);
  write('kept.txt', 'one\n');
  write('gone.txt', 'two\n');
  expect(await workTree(root)).toEqual({
    folder: root,
    branch: 'trunk',
    staged: [],
    changed: ['gone.txt', 'kept.txt'],
  });
  const all = {
    message: 'Begin\n\n# not a comment',
    paths: [join(root, 'kept.txt'), join(root, 'gone.txt')],
  };
  expect(await commitFiles(root, all)).toEqual({ commit: expect.stringMatching(/^[0-9a-f]{7,}$/) });
  write('kept.txt', 'changed\n');
  write('mine.txt', 'staged by hand\n');
  write('new *.txt', 'a name like a pattern\n');
  rmSync(join(root, 'gone.txt'));
  git(root, 'add', 'mine.txt');
  const paths = ['kept.txt', 'gone.txt', 'new *.txt'].map((name) => join(root, name));
  await commitFiles(join(root, 'inner'), { message: 'Second', paths });
  expect(git(root, 'show', '--name-status', '--format=%s', 'HEAD').split('\n')).toEqual([
    'Second',
    '',
    'D\tgone.txt',
    'M\tkept.txt',
    'A\tnew *.txt',
    '',
  ]);
  expect(await workTree(root)).toMatchObject({ staged: ['mine.txt'], changed: ['mine.txt'] });
});

test('what cannot be committed is refused in words', async () => {
  const root = repository();
  writeFileSync(join(root, 'a'), 'a');
  const commit = (paths: readonly string[], message = 'No') => commitFiles(root, { message, paths });
  expect(await commit([join(root, '..', 'b')])).toMatchObject({
    refused: expect.stringContaining('is not in'),
  });
  expect(await commit([join(root, 'none')])).toMatchObject({ refused: expect.stringContaining('none') });
  expect(await commit([join(root, 'a')], '')).toMatchObject({ refused: expect.stringContaining('message') });
  // Hooks are programs; they do not run.
  writeFileSync(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\ntouch ran\nexit 1\n', { mode: 0o755 });
  expect(await commit([join(root, 'a')])).toMatchObject({ commit: expect.any(String) });
  expect(() => readFileSync(join(root, 'ran'))).toThrow('ENOENT');
  git(root, 'config', 'filter.x.clean', 'touch ran');
  expect(await workTree(root)).toMatchObject({ refused: expect.stringContaining('starts programs') });
  expect(await commit([join(root, 'a')])).toMatchObject({
    refused: expect.stringContaining('starts programs'),
  });
});

test('git starts nothing that a repository inside another one configures', async () => {
  const root = repository();
  const inner = join(root, 'inner');
  git(inner, 'init', '--quiet');
  git(inner, 'config', 'user.name', 'Test');
  git(inner, 'config', 'user.email', 'test@example.com');
  writeFileSync(join(inner, 'b'), 'b');
  git(inner, 'add', 'b');
  git(inner, 'commit', '--quiet', '--message=inner');
  git(root, '-c', 'advice.addEmbeddedRepo=false', 'add', 'inner');
  git(root, 'commit', '--quiet', '--message=outer');
  expect(await repositoryAt(root)).toMatchObject({ startsPrograms: false });
  expect(await workTree(root)).toMatchObject({ changed: [] });
  // What is in a clone can ask git to look into each repository.
  writeFileSync(join(root, '.gitmodules'), '[submodule "s"]\n\tpath = inner\n\tignore = none\n');
  git(inner, 'config', 'filter.x.clean', `touch ${root}/ran; cat`);
  writeFileSync(join(inner, '.git/info/attributes'), '* filter=x\n');
  // Of the same size, so that git must read it.
  writeFileSync(join(inner, 'b'), 'c');
  utimesSync(join(inner, 'b'), 1, 1);
  for (const format of ['2', '4']) {
    git(root, 'update-index', '--index-version', format);
    expect(await repositoryAt(root)).toMatchObject({ startsPrograms: true });
    expect(await workTree(root)).toMatchObject({ refused: expect.stringContaining('starts programs') });
  }
  expect(() => readFileSync(join(root, 'ran'))).toThrow('ENOENT');
  // The reason for all this.
  git(root, 'status');
  expect(readFileSync(join(root, 'ran'), 'utf8')).toBe('');
});

test('a repository is read once for all folders that lie in it', async () => {
  const root = repository();
  const inner = join(root, 'inner');
  git(inner, 'init', '--quiet');
  const places = [root, join(root, 'origin'), join(root, 'inner/main'), inner, join(root, 'src/deep')];
  const found = await repositoriesAt(places);
  expect(places.map((place) => found.get(place)?.folder)).toEqual([root, root, inner, inner, root]);
  // The same objects, not only equal ones.
  expect(new Set(found.values()).size).toBe(2);
});

test('an ordinary submodule, and an index that is no file, are told apart', async () => {
  const root = repository();
  const other = repository();
  writeFileSync(join(other, 'b'), 'b');
  git(other, 'add', 'b');
  git(other, 'commit', '--quiet', '--message=other');
  git(root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other, 'deep/sub');
  expect(await repositoryAt(root)).toMatchObject({ startsPrograms: false });
  rmSync(join(root, '.git/index'));
  execFileSync('mkfifo', [join(root, '.git/index')]);
  expect(await repositoryAt(root)).toMatchObject({ startsPrograms: true });
});

test('a folder without a repository has no state', async () => {
  const folder = temporaryFolder();
  expect(await workTree(folder)).toBeUndefined();
  expect(await commitFiles(folder, { message: 'x', paths: [] })).toMatchObject({
    refused: expect.any(String),
  });
});

function repository(): string {
  const root = temporaryFolder();
  mkdirSync(join(root, 'inner'));
  git(root, 'init', '--quiet', '--initial-branch=trunk');
  git(root, 'config', 'user.name', 'Test');
  git(root, 'config', 'user.email', 'test@example.com');
  return root;
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
}

function temporaryFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'parley-git-')));
}
