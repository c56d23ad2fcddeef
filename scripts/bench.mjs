// Bundles each bench/*.bench.ts and runs it alone, then prints all figures with their budgets. A benchmark
// with a limit of its own fails by exiting non-zero. With --check a figure over its budget in
// bench/budgets.json fails, too; with --json the figures come as JSON on stdout, and the rest on stderr. With
// --peer "COMMAND" another ACP agent is measured beside ours, where a benchmark uses a model over HTTP: the
// command finds the address of the model in MODEL_URL (OpenAI chat).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

// Inside node_modules, so that packages left out of the bundle are still found.
const outdir = 'node_modules/.cache/parley-bench';

process.chdir(join(import.meta.dirname, '..'));
const words = process.argv.slice(2);
const peer = words.indexOf('--peer');
if (peer >= 0) {
  const [, command] = words.splice(peer, 2);
  if (command === undefined) throw new Error('After --peer comes a command.');
  process.env.PARLEY_BENCH_PEER = command;
}
const options = new Set(words.filter((word) => word.startsWith('--')));
const unknown = [...options].find((option) => option !== '--json' && option !== '--check');
if (unknown !== undefined) throw new Error(`There is no option ${unknown}.`);
const wanted = words.filter((word) => !options.has(word));
const text = options.has('--json') ? process.stderr : process.stdout;
const benches = readdirSync('bench')
  .filter((name) => name.endsWith('.bench.ts'))
  .filter((name) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
if (benches.length === 0) throw new Error('No benchmark has that name.');

// The fake provider reads its wire formats from a folder beside it, so each is a file of its own.
const wires = 'test/kit/provider/wires';
await build({
  entryPoints: [
    ...[...benches, 'report.ts'].map((name) => ({ in: join('bench', name), out: basename(name, '.ts') })),
    ...readdirSync(wires).map((name) => ({ in: join(wires, name), out: `wires/${basename(name, '.ts')}` })),
  ],
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
const place = mkdtempSync(join(tmpdir(), 'parley-figures-'));
process.env.PARLEY_BENCH_FIGURES = join(place, 'figures');
const failed = benches.filter((name) => {
  text.write(`\n${name}\n`);
  const script = join(outdir, `${basename(name, '.ts')}.mjs`);
  const stdio = ['inherit', options.has('--json') ? 2 : 'inherit', 'inherit'];
  return spawnSync(process.execPath, ['--expose-gc', script], { stdio }).status !== 0;
});
const report = await import(pathToFileURL(resolve(outdir, 'report.mjs')).href);
const { ending, figuresIn, goalLines, judge, table, unmeasured } = report;
const budgets = JSON.parse(readFileSync('bench/budgets.json', 'utf8'));
const figures = process.env.PARLEY_BENCH_FIGURES;
const rows = judge(figuresIn(existsSync(figures) ? readFileSync(figures, 'utf8') : ''), budgets);
const missing = unmeasured(
  rows,
  budgets,
  benches.map((name) => basename(name, '.bench.ts')),
);
rmSync(place, { recursive: true, force: true });
text.write(`\n${table(rows).join('\n')}\n\n${goalLines(rows).join('\n')}\n`);
if (options.has('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
const end = ending(rows, { failed, missing, isChecked: options.has('--check') });
text.write(`\n${end.text}\n`);
process.exitCode = end.isFailure ? 1 : 0;
