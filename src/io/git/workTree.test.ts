import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
