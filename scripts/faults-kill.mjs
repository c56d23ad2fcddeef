// Kills the host at many moments and compares what clients were shown: --rounds N (default 500), --seed N.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '500' }, seed: { type: 'string' } },
});
const env = {
  ...process.env,
  PARLEY_KILL_ROUNDS: values.rounds,
  ...(values.seed === undefined ? {} : { PARLEY_SEED: values.seed }),
};
for (const args of [
  ['scripts/prepare.mjs'],
  ['node_modules/vitest/vitest.mjs', 'run', 'test/faults/kill.test.ts'],
]) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
