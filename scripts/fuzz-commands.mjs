// Bundles the command-line fuzzer and runs it with the given arguments.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';

process.chdir(join(import.meta.dirname, '..'));
// Inside node_modules, so that packages left out of the bundle are still found.
const outfile = 'node_modules/.cache/parley-fuzz/commandFuzz.mjs';
await build({
  entryPoints: ['test/attacks/commandFuzzMain.ts'],
  outfile,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  bundle: true,
  packages: 'external',
  logLevel: 'warning',
});
process.exitCode =
  spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: 'inherit' }).status ?? 1;
