// npm run conformance:ahp -- DIR... runs every AHP case below the folders and prints the failures.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const folders = process.argv.slice(2);
if (folders.length === 0) {
  console.error('usage: npm run conformance:ahp -- DIR...');
  process.exit(2);
}

const runFile = await loadRunner();
let passed = 0;
let failed = 0;
const notCases = [];

// npm runs scripts in the package's folder; the paths are relative to the caller's folder.
const origin = process.env.INIT_CWD ?? process.cwd();
for (const folder of folders.map((name) => resolve(origin, name))) {
  if (existsSync(folder)) jsonFiles(folder).forEach(report);
  else fail(folder, ['no such file or folder']);
}

for (const path of notCases) console.log(`not a case: ${path}`);
console.log(`${passed} passed, ${failed} failed, ${passed + failed} cases`);
if (passed + failed === 0) console.error('no case was found');
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function report(path) {
  let content;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return fail(path, [`unreadable: ${error.message}`]);
  }
  const outcome = runFile(content, path);
  if (outcome.kind === 'noCases') return notCases.push(path);
  if (outcome.kind === 'unknownForm') return fail(path, ['not a case of a known form']);
  for (const { name, problems } of outcome.results) {
    if (problems.length === 0) passed += 1;
    else fail(name.startsWith(path) ? name : `${path}: ${name}`, problems);
  }
}

function fail(name, problems) {
  failed += 1;
  console.log(`FAILED ${name}`);
  for (const problem of problems) console.log(`    ${problem}`);
}

/** A file given by name counts as well as a folder. */
function jsonFiles(path) {
  if (!statSync(path).isDirectory()) return path.endsWith('.json') ? [path] : [];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => jsonFiles(join(path, name)));
}

/** The sources are TypeScript, so they are bundled in memory first. */
async function loadRunner() {
  const { outputFiles } = await build({
    entryPoints: [join(repository, 'test/kit/ahp/conformance.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'error',
  });
  const source = Buffer.from(outputFiles[0].contents).toString('base64');
  const runner = await import(`data:text/javascript;base64,${source}`);
  return runner.runFile;
}
