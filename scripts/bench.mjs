// Bundles each bench/*.bench.ts and runs it alone. A benchmark with a limit fails by exiting non-zero; those
// that print targets only (delta, sandbox, start) or ratios only (agentRelay) always pass.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

// Inside node_modules, so that packages left out of the bundle are still found.
const outdir = 'node_modules/.cache/parley-bench';

process.chdir(join(import.meta.dirname, '..'));
const wanted = process.argv.slice(2);
const benches = readdirSync('bench')
  .filter((name) => name.endsWith('.bench.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (benches.length === 0) throw new Error('No benchmark has that name.');

await build({
  entryPoints: benches.map((name) => join('bench', name)),
  outdir,
  outExtension: { '.js': '.mjs' },
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  bundle: true,
  packages: 'external',
  logLevel: 'warning',
});

// Node 20 parses this certificate file at every start; that time would count as ours.
delete process.env.NODE_EXTRA_CA_CERTS;
const failed = benches.filter((name) => {
  process.stdout.write(`\n${name}\n`);
  const script = join(outdir, `${basename(name, '.ts')}.mjs`);
  return spawnSync(process.execPath, ['--expose-gc', script], { stdio: 'inherit' }).status !== 0;
});
process.stdout.write(
  failed.length === 0 ? '\nNo benchmark exceeded its limit.\n' : `\nFailed: ${failed.join(', ')}\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
