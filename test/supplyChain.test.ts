// What is done before the package reaches anybody: the release workflow, and what `npm test` installs.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'parley-supply-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const workflow = z.object({
  jobs: z.object({
    publish: z.object({
      needs: z.string(),
      permissions: z.record(z.string(), z.string()),
      steps: z.array(z.object({ run: z.string().optional() })),
    }),
  }),
});

test('a release is tested, its dependencies are verified, and it is published with provenance', () => {
  const text = readFileSync(join(root, '.github', 'workflows', 'release.yml'), 'utf8');
  const { publish } = workflow.parse(parse(text)).jobs;
  const runs = publish.steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
  expect([publish.needs, publish.permissions['id-token']]).toEqual(['test', 'write']);
  const order = [
    'npm ci --ignore-scripts',
    'npm audit signatures',
    'npm publish --provenance --access public',
  ];
  expect(runs.filter((run) => order.includes(run))).toEqual(order);
  expect(text).not.toMatch(/continue-on-error|NODE_AUTH_TOKEN|\|\| true/);
});

const bundles = z.object({
  bundles: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      file: z.string(),
      licences: z.array(
        z.object({
          licence: z.string(),
          copyright: z.array(z.string()),
          packages: z
            .array(
              z.object({
                name: z.string(),
                version: z.string().optional(),
                textOf: z.string().optional(),
                sign: z.string().optional(),
              }),
            )
            .nonempty(),
          text: z.string().min(500),
        }),
      ),
    }),
  ),
});

test('what is listed as part of a bundle that we bundle is found in the installed one', () => {
  const list = bundles.parse(
    JSON.parse(readFileSync(join(root, 'scripts', 'packagesInBundles.json'), 'utf8')),
  );
  expect(list.bundles.map(({ name }) => name)).toEqual(['@mermaid-js/tiny']);
  for (const { name, version, file, licences } of list.bundles) {
    const installed = join(root, 'node_modules', name);
    expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))).toMatchObject({ version });
    const code = readFileSync(join(installed, file), 'utf8');
    const packages = licences.flatMap((each) => each.packages);
    expect(packages.filter(({ sign }) => sign !== undefined && !code.includes(sign))).toEqual([]);
    // Each is known by its version, or by its name alone, and then it says where the text is from.
    expect(packages.filter((each) => (each.version === undefined) === (each.textOf === undefined))).toEqual(
      [],
    );
    // Notices in the code itself, such as `dompurify/dist/purify.es.mjs:`, name nothing that is not listed.
    const noticed = [...code.matchAll(/^((?:@[\w-]+\/)?[\w.-]+)\/\S+:$/gm)].map((match) => match[1]);
    expect(noticed).not.toEqual([]);
    expect(noticed.filter((each) => packages.every((known) => known.name !== each))).toEqual([]);
  }
});

test('root is told which Debian packages are installed and why, before anything is', () => {
  const { status, stderr, installed } = prepareTests({ uid: 0 });
  expect(status).toBe(0);
  const words = 'Installing Debian packages for the tests, because this runs as root:\n';
  expect(stderr).toContain(`${words}  chromium: the console is tested in a real browser\n`);
  expect(stderr.indexOf('  chromium: ')).toBeLessThan(stderr.indexOf('apt-get runs'));
  expect(installed).toContain('install -q -y --no-install-recommends chromium');
});

test('everybody else is told what is missing and how to get it, and nothing is installed', () => {
  const { status, stderr, installed } = prepareTests({ uid: 1000 });
  expect([status, installed]).toEqual([1, '']);
  expect(stderr).toContain('The tests need programs that are not installed:\n  chromium: the console');
  expect(stderr).toContain('Install them and try again. On Debian: sudo apt-get install chromium');
});

/** Runs the script in a repository where everything but the Debian packages is there. */
function prepareTests({ uid }: { readonly uid: number }) {
  const place = join(folder, String(uid));
  const programs = join(place, 'programs');
  for (const part of ['.', 'test/realAgents', 'test/realAgents/goose']) {
    mkdirSync(join(place, part, 'node_modules'), { recursive: true });
    for (const name of ['package-lock.json', 'node_modules/.package-lock.json'])
      writeFileSync(join(place, part, name), '{ "packages": { "": {} } }');
  }
  mkdirSync(join(place, 'scripts'));
  mkdirSync(programs);
  cpSync(join(root, 'scripts', 'prepare.mjs'), join(place, 'scripts', 'prepare.mjs'));
  writeFileSync(join(place, 'scripts', 'stamp.mjs'), 'export const isBuilt = () => true;\n');
  const record = join(place, 'installed');
  writeFileSync(record, '');
  for (const name of ['apt-get', 'dpkg']) {
    writeFileSync(join(programs, name), `#!/bin/sh\necho "${name} runs" >&2\necho "$@" >> '${record}'\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const asUser = `data:text/javascript,process.getuid=()=>${uid}`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', asUser, join(place, 'scripts', 'prepare.mjs'), 'test'],
    { env: { PATH: programs }, encoding: 'utf8' },
  );
  return { status, stderr, installed: readFileSync(record, 'utf8') };
}
