// The package as users get it: packed, installed into an empty folder without scripts or compiler, and used
// from there with a fresh home.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { foundingScenario } from '../kit/founding.ts';
import { newHome } from '../kit/parley.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const minutes = 60_000;

/** What a bill of materials must have, by the schema of CycloneDX 1.6. */
const Materials = z.object({
  bomFormat: z.literal('CycloneDX'),
  specVersion: z.literal('1.6'),
  version: z.literal(1),
  components: z.array(
    z.object({
      type: z.literal('library'),
      name: z.string(),
      version: z.string(),
      scope: z.enum(['required', 'optional']),
      licenses: z.array(z.object({ expression: z.string() })).length(1),
      purl: z.string().startsWith('pkg:npm/'),
      hashes: z.array(z.object({ alg: z.literal('SHA-512'), content: z.string().length(128) })),
      components: z
        .array(z.object({ name: z.string(), version: z.string().optional(), purl: z.string() }))
        .default([]),
    }),
  ),
});

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

test('holds exactly the expected files', async () => {
  const { stdout: documents } = await run('git', ['ls-files', 'docs'], { cwd: root });
  const built = z
    .array(z.string())
    .parse(JSON.parse(readFileSync(join(root, 'dist', '.stamp-files.json'), 'utf8')));
  expect(built).toEqual(
    expect.arrayContaining(['dist/parley.cjs', 'dist/web/index.html', 'dist/client/index.d.ts']),
  );
  expect(names.toSorted()).toEqual(
    [
      ...documents.trim().split('\n'),
      ...built,
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'bin/parley.bat',
      'bin/parley.js',
      'package.json',
    ].toSorted(),
  );
  expect(readFileSync(join(installed, 'bin', 'parley.bat'), 'utf8')).toBe('@node "%~dp0parley.js" %*\r\n');
});

test('every file that README and the documentation link to is in it', () => {
  const missing = names
    .filter((name) => /^(?:README|docs\/.*)\.md$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(installed, name), 'utf8');
      const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? '');
      return links.filter((link) => !existsSync(join(installed, dirname(name), link)));
    });
  expect(missing).toEqual([]);
});

test('it has the licence text of every package that it contains, and a bill of materials', () => {
  const licences = readFileSync(join(installed, 'dist', 'third-party-licenses.txt'), 'utf8');
  const materials = Materials.parse(
    JSON.parse(readFileSync(join(installed, 'dist', 'sbom.cdx.json'), 'utf8')),
  );
  const bundled = materials.components.filter(({ scope }) => scope === 'required');
  expect(bundled.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      ...['@mermaid-js/tiny', 'dompurify', 'highlight.js', 'marked', 'preact'],
      ...['undici', 'ws', 'yaml', 'zod'],
    ]),
  );
  for (const { name, version } of bundled) expect(licences).toContain(`\n${name} ${version} (`);
  expect(licences).toContain('Permission is hereby granted, free of charge');
  const nested = bundled.find(({ name }) => name === '@mermaid-js/tiny')?.components ?? [];
  expect(nested.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'chevrotain',
      'd3-shape',
      'dayjs',
      'dompurify',
      'js-yaml',
      'langium',
      'lodash-es',
    ]),
  );
  const titles = licences.split('\n').filter((line) => line.endsWith('), in @mermaid-js/tiny'));
  expect(titles.map((line) => line.replace(/ \(.*/, '')).toSorted()).toEqual(
    nested.map(({ name, version }) => (version === undefined ? name : `${name} ${version}`)).toSorted(),
  );
  for (const words of ['Cure53', 'Mike Bostock', 'Vitaly Puzrin', 'Preet Shihn', 'OpenJS Foundation'])
    expect(licences).toContain(words);
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
