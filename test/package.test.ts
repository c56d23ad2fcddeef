// Promises of the package itself: pinned dependencies, no registry in the lockfile, nothing
// that must run at install.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';

const Versions = z.record(z.string(), z.string()).default({});
const manifest = z
  .object({ dependencies: Versions, optionalDependencies: Versions, devDependencies: Versions })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));
const lockfile = z
  .object({
    packages: z.record(
      z.string(),
      z.object({ resolved: z.string(), hasInstallScript: z.boolean() }).partial(),
    ),
  })
  .parse(JSON.parse(readFileSync('package-lock.json', 'utf8')));

test('every dependency is pinned to one version', () => {
  const all = Object.entries({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.devDependencies,
  });
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test('the lockfile names no registry', () => {
  const resolved = Object.entries(lockfile.packages).filter(([, entry]) => entry.resolved !== undefined);
  expect(resolved).toEqual([]);
});

// These two carry an install script, but bring ready builds and work when it is not run.
test('no other dependency has an install script', () => {
  const scripted = Object.keys(lockfile.packages).filter((name) => lockfile.packages[name]?.hasInstallScript);
  expect(scripted).toEqual(['node_modules/@photostructure/sqlite', 'node_modules/esbuild']);
});
