// How long `parley --version` takes against a bare Node that does nothing, both started in turn in the same run.
import { spawnSync } from 'node:child_process';

const rounds = 20;
const limit = 1.5;

const floor: number[] = [];
const ours: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  floor.push(timeStart(['-e', '0']));
  ours.push(timeStart(['bin/parley.js', '--version']));
}

// The fastest start of each is the one that other work on the machine disturbed least.
const ratio = Math.min(...ours) / Math.min(...floor);
process.stdout.write(
  `parley --version ${Math.min(...ours).toFixed(1)} ms, node ${Math.min(...floor).toFixed(1)} ms: ` +
    `${ratio.toFixed(2)}x, limit ${limit}x\n`,
);
if (ratio > limit) process.exitCode = 1;

function timeStart(args: readonly string[]): number {
  const started = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: 'ignore' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} exited with ${status}`);
  return performance.now() - started;
}
