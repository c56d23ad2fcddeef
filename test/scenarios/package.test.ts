// The package as users get it: packed, installed into an empty folder without scripts or compiler, and used
// from there with a fresh home.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { foundingScenario } from '../kit/founding.ts';
import { newHome } from '../kit/parley.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const minutes = 60_000;

let place: string;
let names: readonly string[];
let installed: string;

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), 'parley-package-'));
  const packed = await npm(['pack', '--ignore-scripts', '--json', '--pack-destination', place], root);
  const [tarball] = JSON.parse(packed) as { filename: string; files: { path: string }[] }[];
  names = tarball?.files.map(({ path }) => path) ?? [];
  const folder = join(place, 'empty');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  await npm(
    [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      join(place, tarball?.filename ?? ''),
    ],
    folder,
  );
  installed = join(folder, 'node_modules', 'parley');
}, 5 * minutes);

afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));

test('holds the program, its launchers and nothing of the workshop', () => {
  expect(names).toEqual(
    expect.arrayContaining([
      'package.json',
      'README.md',
      'LICENSE',
      'bin/parley.js',
      'bin/parley.bat',
      'dist/parley.cjs',
      'dist/web/index.html',
      'docs/settings.schema.json',
    ]),
  );
  expect(
    names.filter(
      (name) =>
        !/^(?:bin|dist)\/|^(?:package\.json|README\.md|LICENSE|docs\/settings\.schema\.json)$/.test(name) ||
        /\.ts$|\.map$|\.stamp/.test(name),
    ),
  ).toEqual([]);
  expect(readFileSync(join(installed, 'bin', 'parley.bat'), 'utf8')).toBe('@node "%~dp0parley.js" %*\r\n');
});

test('needs no package that it could not do without', () => {
  const { dependencies = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies?: object;
  };
  expect(Object.keys(dependencies)).toEqual([]);
});

test('runs where it is installed', async () => {
  const link = join(place, 'empty', 'node_modules', '.bin', 'parley');
  expect(existsSync(link)).toBe(true);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const home = newHome(link);
  try {
    expect(await home.run('--version').done).toMatchObject({ code: 0, out: `parley ${version}\n`, err: '' });
    delete home.env['PARLEY_SCRIPTED'];
    expect(await home.run('run', '--model', 'demo/demo', 'What is in this folder?').done).toMatchObject({
      code: 0,
      out: expect.stringContaining('workspace'),
    });
    expect(await home.run('sessions', 'verify').done).toMatchObject({ code: 0, err: '' });
  } finally {
    await home.dispose();
  }
});

// oxlint-disable-next-line vitest/expect-expect -- the scenario holds the expectations
test(
  'plays the founding scenario',
  async () => {
    const home = newHome(join(installed, 'bin', 'parley.js'));
    try {
      await foundingScenario(home);
    } finally {
      await home.dispose();
    }
  },
  minutes,
);

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const { stdout } = await run('npm', [...args], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  return stdout;
}
