// Runs a test of faults for longer than `npm test` does. Its options become variables that the test reads.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

export function runFaults(test, wishes) {
  const named = { ...wishes, seed: { variable: 'PARLEY_SEED' } };
  const { values } = parseArgs({
    options: Object.fromEntries(Object.keys(named).map((name) => [name, { type: 'string' }])),
  });
  const env = { ...process.env };
  for (const [name, { variable, otherwise }] of Object.entries(named)) {
    const value = values[name] ?? otherwise;
    if (value !== undefined) env[variable] = value;
  }
  for (const args of [['scripts/prepare.mjs'], ['node_modules/vitest/vitest.mjs', 'run', test]]) {
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
    if (status !== 0) process.exit(status ?? 1);
  }
}
