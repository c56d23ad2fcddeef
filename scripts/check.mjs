// Runs every `check:` script of package.json. A new check needs only its line there.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(import.meta.dirname, '..');

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failed } = await runChecks();
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Runs them all, even after one failed, and prints the output of those that fail. */
export async function runChecks() {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const counts = { passed: 0, failed: 0 };
  for (const name of Object.keys(scripts).filter((script) => script.startsWith('check:'))) {
    const started = performance.now();
    const { code, output } = await run(scripts[name]);
    counts[code === 0 ? 'passed' : 'failed'] += 1;
    process.stdout.write(
      `${code === 0 ? 'ok' : 'FAILED'} ${name} (${Math.round(performance.now() - started)} ms)\n`,
    );
    if (code !== 0) process.stdout.write(`${output}\n`);
  }
  return counts;
}

function run(command) {
  const PATH = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH, NODE_EXTRA_CA_CERTS: '' };
  const child = spawn(command, { cwd: root, env, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (bytes) => (output += bytes));
  child.stderr.on('data', (bytes) => (output += bytes));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}
