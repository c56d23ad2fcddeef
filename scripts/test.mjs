// Runs the checks and the tests, then ends with one line that counts both. A run without tests has failed.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { startVitest } from 'vitest/node';
import { runChecks } from './check.mjs';
import { SilenceLimit } from './silenceLimit.mjs';

process.chdir(join(import.meta.dirname, '..'));
/** A test that was never run did not pass. */
const outcomes = { passed: 'passed', failed: 'failed', skipped: 'skipped', pending: 'failed' };
const counts = { passed: 0, failed: 0, skipped: 0 };

// Written on exit, so that it is the last line.
process.on('exit', () => {
  if (counts.failed > 0) process.exitCode ||= 1;
  process.stdout.write(
    `Tests: ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`,
  );
});

add(await runChecks());
try {
  const silence = new SilenceLimit((files) => {
    process.stderr.write(`No test has ended for a long time. Still running: ${files.join(', ')}\n`);
    add({ failed: Math.max(1, files.length) });
    // A worker that never lets other code run does not notice that its parent has ended.
    if (process.platform !== 'win32') spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
    process.exit();
  });
  const reporters = ['default', silence];
  const vitest = await startVitest('test', process.argv.slice(2), { run: true, watch: false, reporters });
  add(countTests(vitest.state));
  await vitest.exit();
} catch (error) {
  process.stderr.write(`${error.stack}\n`);
  add({ failed: 1 });
}

function countTests(state) {
  const tally = { passed: 0, failed: state.getUnhandledErrors().length, skipped: 0 };
  const modules = state.getTestModules();
  if (modules.length === 0) tally.failed += 1;
  for (const module of modules) {
    // A file that does not load, or a suite whose hook breaks, has no failed test of its own to count.
    for (const group of [module, ...module.children.allSuites()]) tally.failed += group.errors().length;
    for (const test of module.children.allTests()) tally[outcomes[test.result().state]] += 1;
  }
  return tally;
}

function add(tally) {
  for (const outcome of Object.keys(tally)) counts[outcome] += tally[outcome];
}
