import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PluginFetcher } from './fetchPlugins.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-plugins-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function repository(): string {
  const path = join(directory, 'repository');
  mkdirSync(path);
  writeFileSync(join(path, 'eca.json'), '{}');
  const author = ['-c', 'user.name=x', '-c', 'user.email=x@example.com'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...author, 'commit', '-qm', 'x'],
  ])
    execFileSync('git', ['-C', path, ...args]);
  return path;
}

test('a copy is made under a name that nobody can guess, and appears whole', async () => {
  const folder = join(directory, 'copies', 'one');
  const guessed = `${folder}.${process.pid}.new`;
  mkdirSync(guessed, { recursive: true });
  writeFileSync(join(guessed, 'of somebody else'), '');
  const problem = await new PluginFetcher().fetch({ name: 'one', folder, address: repository() });
  expect([problem, existsSync(join(folder, 'eca.json'))]).toEqual([undefined, true]);
  expect(readdirSync(join(directory, 'copies'))).toEqual(['one', `one.${process.pid}.new`]);
  expect(readdirSync(guessed)).toEqual(['of somebody else']);
});

test('a copy that cannot be made is told, and leaves nothing behind', async () => {
  const folder = join(directory, 'copies', 'one');
  const problem = await new PluginFetcher().fetch({ name: 'one', folder, address: join(directory, 'none') });
  expect(problem).toContain('The plugins of one cannot be fetched');
  expect(readdirSync(join(directory, 'copies'))).toEqual([]);
});
