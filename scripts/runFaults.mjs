// Runs tests of faults for longer than `npm test` does. Their options become variables that the tests read.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/** Gives the variables for the tests; those of `wishes` name an option each. */
export function readWishes(wishes) {
  const named = { ...wishes, seed: { variable: 'PARLEY_SEED' } };
  const { values } = parseArgs({
    options: Object.fromEntries(Object.keys(named).map((name) => [name, { type: 'string' }])),
  });
  const variables = {};
  for (const [name, { variable, otherwise }] of Object.entries(named)) {
    const value = values[name] ?? otherwise;
    if (value !== undefined) variables[variable] = value;
  }
  return variables;
}

/** Runs tests of a project of vitest.config.mts, or ends with their exit code. */
export function runTests(project, tests, variables) {
  const env = { ...process.env, ...variables };
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...tests];
  for (const args of [['scripts/prepare.mjs'], vitest]) {
    const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
    if (status !== 0) process.exit(status ?? 1);
  }
}

export function runFaults(test, wishes) {
  runTests('programs', [test], readWishes(wishes));
}
