// The settings of the real program: what holds, where it comes from, and a folder that is
// trusted and not any more.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

let home: Home;
afterEach(() => home.dispose());

const ok = async (...args: readonly string[]) => {
  const { code, out, err } = await home.run(...args).done;
  expect([code, err]).toEqual([0, '']);
  return out;
};

test('shows every value with its source and no secret', async () => {
  home = newHome();
  const file = join(home.dir, 'home', 'config.jsonc');
  mkdirSync(join(home.dir, 'home'), { recursive: true });
  writeFileSync(
    file,
    '{ /* mine */ "defaultModel": "a/b", "providers": { "p": { "url": "http://me:pass@h/", "key": "${env:P_KEY}" } } }',
  );
  const { values } = JSON.parse(await ok('config', 'show', '--json')) as {
    values: { key: string; value: unknown; source: string }[];
  };
  expect(values).toContainEqual({ key: 'defaultModel', value: 'a/b', source: file });
  expect(values).toContainEqual({ key: 'limits.steps', value: 100, source: 'built-in' });
  expect(values).toContainEqual({ key: 'providers.p.key', value: '${env:P_KEY}', source: file });
  expect(values).toContainEqual({ key: 'providers.p.url', value: 'http://[hidden]@h/', source: file });
  expect(await ok('config', 'path')).toContain(file);
  expect(JSON.parse(await ok('config', 'schema'))).toMatchObject({ type: 'object' });
  expect(await ok('config', 'schema', '--markdown')).toBe(readFileSync('docs/settings.md', 'utf8'));
});

test('a folder is trusted with its content, and a broken file is told', async () => {
  home = newHome();
  const folder = join(home.dir, '.parley');
  mkdirSync(folder);
  writeFileSync(join(folder, 'config.jsonc'), '{ "defaultModel": "w/x" }');
  const before = await home.run('config').done;
  expect([before.code, before.out.includes('w/x'), before.err]).toEqual([
    0,
    false,
    expect.stringContaining('is not trusted'),
  ]);
  expect(await ok('trust', home.dir, '--yes')).toContain('defaultModel = "w/x"');
  expect(await ok('config')).toContain('defaultModel = "w/x"');
  expect(await ok('untrust')).toContain('no longer trusted');
  writeFileSync(join(folder, 'config.jsonc'), '{ oops');
  const broken = await home.run('config').done;
  expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('is broken in line 1')]);
});
